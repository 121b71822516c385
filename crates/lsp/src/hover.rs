//! What a text means: fields, values, tools, skills and files.

use crate::{
    Encoding, Text,
    background::{KnownSkill, Snapshot},
};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use skillful::{
    authoring::{
        field_help,
        place::{self, Place},
    },
    visible::{self, sentence},
};
use skillful_format::field::{self, FieldValue};
use skillful_profiles::{AgentProfiles, part_of};

/// What stands at a byte of the text.
pub(crate) fn at(
    text: &Text,
    offset: usize,
    encoding: Encoding,
    agents: &AgentProfiles,
    snapshot: &Snapshot,
) -> Option<Hover> {
    let content = text.as_str();
    // What an author of a skill wrote is text, never markup: an editor would load its pictures and offer its links.
    let mut kind = MarkupKind::Markdown;
    let mut known = |skill: &KnownSkill| {
        kind = MarkupKind::PlainText;
        self::skill(skill)
    };
    let (about, range) = match place::at(content, offset) {
        Place::Key { mut parents, word, .. } => {
            parents.push(content[word.clone()].trim().trim_matches(['"', '\'']).to_owned());
            let path: Vec<&str> = parents.iter().map(String::as_str).collect();
            match part_of(&path)? {
                (field, Some(part)) => (field_help::part(field, part), word),
                // The name of a variable is not a field.
                (_, None) if path.len() > 1 => return None,
                (field, None) => (field_help::field(field, agents), word),
            }
        }
        Place::Value { path, word } => {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            (value(&path, &content[word.clone()], agents, |name| snapshot.skill(name).map(&mut known))?, word)
        }
        Place::Mention(word) => (known(snapshot.skill(&content[word.clone()])?), word),
        Place::Target(_) | Place::Other => return None,
    };
    let contents = HoverContents::Markup(MarkupContent { kind, value: about });
    Some(Hover { contents, range: Some(text.range(range, encoding)) })
}

fn value(
    path: &[&str],
    word: &str,
    agents: &AgentProfiles,
    skill: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    let form = match part_of(path) {
        Some((_, Some(part))) => part.value,
        Some((field, None)) => field.value,
        None if path.len() == 2
            && field::field(path[0]).is_some_and(|field| field.value == FieldValue::SkillsByLabel) =>
        {
            FieldValue::Skill
        }
        None => return None,
    };
    match form {
        FieldValue::Word { words, .. } => {
            let one = words.iter().find(|one| one.word == word)?;
            Some(format!("**{}** — {}", one.word, one.meaning))
        }
        FieldValue::Tools => {
            let name = word.split('(').next().unwrap_or(word);
            agents.tool_names().iter().find(|tool| tool.name == name).map(field_help::tool)
        }
        FieldValue::Skill | FieldValue::Skills => skill(word),
        _ => None,
    }
}

fn skill(skill: &KnownSkill) -> String {
    format!(
        "{} (skill, {})\n\n{}\n\n{}",
        sentence(&skill.name),
        skill.state,
        sentence(&skill.description),
        visible::path(&skill.file)
    )
}
