//! What can be written at a place: fields, their values, tools, skills and files.

use super::{
    field_help,
    place::{self, Place},
};
use crate::visible;
use serde::Serialize;
use skillful_format::field::{self, FIELDS, FieldValue};
use skillful_profiles::{AgentProfiles, part_of};
use std::{fmt::Write as _, ops::Range};

/// Items of one answer.
pub const ITEMS: usize = 500;

/// Everything that a completion is made from.
pub struct Completer<'a> {
    /// The text of the skill file.
    pub text: &'a str,
    /// The known agents.
    pub agents: &'a AgentProfiles,
    /// The name of the folder around the file.
    pub folder: Option<&'a str>,
    /// The other skills, by name. Asked only where a skill can be written.
    pub skills: &'a dyn Fn() -> Vec<OfferedSkill>,
    /// The other files of the skill, relative to its folder and sorted. Asked only where a file can be written.
    pub files: &'a dyn Fn() -> Vec<String>,
}

/// A skill that a text can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedSkill {
    /// Its name, as a text writes it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its state, in one word.
    pub state: String,
}

/// What can be written at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Completion {
    /// The bytes that an item replaces.
    pub replaces: Range<usize>,
    /// The items, in the order in which they are shown.
    pub items: Vec<CompletionItem>,
    /// Whether there are more than these.
    pub is_incomplete: bool,
}

/// One way to go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionItem {
    /// What the list shows.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// What is written.
    pub insert: String,
    /// A few words beside the label.
    pub detail: Option<String>,
    /// What the author reads about it.
    pub about: Option<String>,
    /// Whether that is Markdown of ours; what authors of skills wrote is text.
    pub about_is_markdown: bool,
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompletionKind {
    /// A field of the frontmatter, or a key inside of one.
    Field,
    /// A value.
    Value,
    /// One of the words that a value may be.
    Word,
    /// A tool of an agent.
    Tool,
    /// Another skill.
    Skill,
    /// A file of the skill.
    File,
}

impl CompletionKind {
    /// The kind in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Value => "value",
            Self::Word => "word",
            Self::Tool => "tool",
            Self::Skill => "skill",
            Self::File => "file",
        }
    }
}

impl CompletionItem {
    fn new(label: &str, insert: impl Into<String>, kind: CompletionKind) -> Self {
        Self {
            label: label.to_owned(),
            kind,
            insert: insert.into(),
            detail: None,
            about: None,
            about_is_markdown: false,
        }
    }

    fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }

    fn markdown(self, about: String) -> Self {
        Self { about: (!about.is_empty()).then_some(about), about_is_markdown: true, ..self }
    }
}

impl Completer<'_> {
    /// What can be written at a byte of the text.
    pub fn at(&self, offset: usize) -> Completion {
        let (replaces, mut items) = match place::at(self.text, offset) {
            Place::Key { parents, word, has_colon } => {
                let items = self.keys(&parents, &word, has_colon);
                (word, items)
            }
            Place::Value { path, word } => {
                let items = self.values(&path, &word);
                (word, items)
            }
            Place::Target(range) => (range, self.files()),
            Place::Mention(range) => {
                let items = self.skills(&range);
                (range, items)
            }
            Place::Other => (offset..offset, Vec::new()),
        };
        let is_incomplete = items.len() > ITEMS;
        items.truncate(ITEMS);
        Completion { replaces, items, is_incomplete }
    }

    fn keys(&self, parents: &[String], word: &Range<usize>, has_colon: bool) -> Vec<CompletionItem> {
        let end = |value: FieldValue| match value {
            _ if has_colon => "",
            FieldValue::Parts(_)
            | FieldValue::Named(_)
            | FieldValue::Items(_)
            | FieldValue::Free
            | FieldValue::SkillsByLabel => ":",
            _ => ": ",
        };
        if parents.is_empty() {
            let present = self.present(word);
            let open = FIELDS.iter().filter(|field| !present.iter().any(|key| field.is_spelled(key)));
            return open
                .map(|field| {
                    let insert = format!("{}{}", field.name, end(field.value));
                    CompletionItem::new(field.name, insert, CompletionKind::Field)
                        .detail(field.value.words())
                        .markdown(field_help::field(field, self.agents))
                })
                .collect();
        }
        let parents: Vec<&str> = parents.iter().map(String::as_str).collect();
        let Some((field, None)) = part_of(&parents) else { return Vec::new() };
        let parts = match (field.value, parents.len()) {
            // The author chooses the name of a variable.
            (FieldValue::Named(_), 1) => &[],
            (value, _) => value.parts(),
        };
        parts
            .iter()
            .map(|part| {
                let insert = format!("{}{}", part.name, end(part.value));
                CompletionItem::new(part.name, insert, CompletionKind::Field)
                    .markdown(field_help::part(field, part))
            })
            .collect()
    }

    /// The top-level keys of the frontmatter, without the one at the place.
    fn present(&self, word: &Range<usize>) -> Vec<&str> {
        let Some(frontmatter) = place::frontmatter(self.text) else { return Vec::new() };
        let mut at = frontmatter.start;
        let mut keys = Vec::new();
        for line in self.text[frontmatter].split_inclusive('\n') {
            if at != word.start
                && let Some((key, _)) = line.split_once(':')
                && !key.contains(char::is_whitespace)
            {
                keys.push(key);
            }
            at += line.len();
        }
        keys
    }

    fn values(&self, path: &[String], word: &Range<usize>) -> Vec<CompletionItem> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let value = match part_of(&path) {
            Some((_, Some(part))) => part.value,
            Some((field, None)) => field.value,
            // Below a label of the author's.
            None => match path.as_slice() {
                [first, _] if field::field(first).is_some_and(|f| f.value == FieldValue::SkillsByLabel) => {
                    FieldValue::Skill
                }
                _ => return Vec::new(),
            },
        };
        match value {
            FieldValue::Flag => ["true", "false"]
                .iter()
                .map(|flag| CompletionItem::new(flag, *flag, CompletionKind::Value))
                .collect(),
            FieldValue::Word { words, .. } => words
                .iter()
                .map(|one| CompletionItem::new(one.word, one.word, CompletionKind::Word).detail(one.meaning))
                .collect(),
            FieldValue::Tools => self
                .agents
                .tool_names()
                .iter()
                .map(|tool| {
                    CompletionItem::new(tool.name, tool.name, CompletionKind::Tool)
                        .detail(field_help::listed(&tool.agents))
                        .markdown(field_help::tool(tool))
                })
                .collect(),
            FieldValue::Skill | FieldValue::Skills => self.skills(word),
            FieldValue::Limited(_) if path == ["name"] => {
                let item = |name: &str| {
                    CompletionItem::new(name, name, CompletionKind::Value).detail("the folder's name")
                };
                self.folder.map(item).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn skills(&self, word: &Range<usize>) -> Vec<CompletionItem> {
        // A name with a colon and a blank, a quote or a hidden character would be more than a name in the text.
        let is_plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "._:/@+-".contains(c));
        let mut others: Vec<_> = (self.skills)().into_iter().filter(|skill| is_plain(&skill.name)).collect();
        // What was typed goes first, since there may be more skills than one answer holds.
        let typed = self.text[word.clone()].to_lowercase();
        others.sort_by_key(|skill| !skill.name.to_lowercase().contains(&typed));
        let one = |skill: OfferedSkill| {
            let about = visible::sentence(&skill.description);
            CompletionItem {
                about: (!about.is_empty()).then_some(about),
                ..CompletionItem::new(&skill.name, skill.name.clone(), CompletionKind::Skill)
                    .detail(format!("skill, {}", skill.state))
            }
        };
        others.into_iter().take(ITEMS + 1).map(one).collect()
    }

    fn files(&self) -> Vec<CompletionItem> {
        let one = |file: String| CompletionItem::new(&file, link_target(&file), CompletionKind::File);
        (self.files)().into_iter().map(one).collect()
    }
}

/// A path as the target of a link, with escapes for everything that a link does not take as it is.
pub fn link_target(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    escape(path.as_bytes(), &mut out);
    out
}

/// Adds bytes of a path, with escapes for everything that an address or a link does not take as it is.
pub fn escape(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            out.push(char::from(*byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
}
