//! What can be written at a place: fields, their values, tools, skills and files.

use crate::{
    Encoding, Text,
    background::{KnownSkill, Snapshot},
    field_help,
    place::{self, Place},
    skill_files, uri,
};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, TextEdit,
};
use skillful::visible;
use skillful_format::field::{self, FIELDS, FieldValue};
use skillful_profiles::{AgentProfiles, part_of};
use std::{ops::Range, path::Path};

/// Items of one answer.
const ITEMS: usize = 500;

/// Everything that a completion is made from.
pub(crate) struct Completer<'a> {
    pub(crate) text: &'a Text,
    pub(crate) encoding: Encoding,
    pub(crate) path: &'a Path,
    pub(crate) agents: &'a AgentProfiles,
    pub(crate) snapshot: &'a Snapshot,
}

impl Completer<'_> {
    /// What can be written at a byte of the text.
    pub(crate) fn at(&self, offset: usize) -> CompletionList {
        let mut items = match place::at(self.text.as_str(), offset) {
            Place::Key { parents, word, has_colon } => self.keys(&parents, word, has_colon),
            Place::Value { path, word } => self.values(&path, &word),
            Place::Target(range) => self.files(&range),
            Place::Mention(range) => self.skills(&range),
            Place::Other => Vec::new(),
        };
        let is_incomplete = items.len() > ITEMS;
        items.truncate(ITEMS);
        // Clients sort by label unless this keeps the order.
        for (at, item) in items.iter_mut().enumerate() {
            item.sort_text = Some(format!("{at:04}"));
        }
        CompletionList { is_incomplete, items }
    }

    fn keys(&self, parents: &[String], word: Range<usize>, has_colon: bool) -> Vec<CompletionItem> {
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
            let present = self.present(&word);
            let open = FIELDS.iter().filter(|field| !present.iter().any(|key| field.is_spelled(key)));
            return open
                .map(|field| CompletionItem {
                    detail: Some(field.value.words().to_owned()),
                    ..self.item(
                        field.name,
                        format!("{}{}", field.name, end(field.value)),
                        CompletionItemKind::FIELD,
                        &field_help::field(field, self.agents),
                        &word,
                    )
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
                let text = format!("{}{}", part.name, end(part.value));
                self.item(part.name, text, CompletionItemKind::FIELD, &field_help::part(field, part), &word)
            })
            .collect()
    }

    /// The top-level keys of the frontmatter, without the one at the place.
    fn present(&self, word: &Range<usize>) -> Vec<&str> {
        let text = self.text.as_str();
        let Some(frontmatter) = place::frontmatter(text) else { return Vec::new() };
        let mut at = frontmatter.start;
        let mut keys = Vec::new();
        for line in text[frontmatter].split_inclusive('\n') {
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
                .map(|flag| self.item(flag, (*flag).to_owned(), CompletionItemKind::VALUE, "", word))
                .collect(),
            FieldValue::Word { words, .. } => words
                .iter()
                .map(|one| CompletionItem {
                    detail: Some(one.meaning.to_owned()),
                    ..self.item(one.word, one.word.to_owned(), CompletionItemKind::ENUM_MEMBER, "", word)
                })
                .collect(),
            FieldValue::Tools => self
                .agents
                .tool_names()
                .iter()
                .map(|tool| CompletionItem {
                    detail: Some(field_help::listed(&tool.agents)),
                    ..self.item(
                        tool.name,
                        tool.name.to_owned(),
                        CompletionItemKind::FUNCTION,
                        &field_help::tool(tool),
                        word,
                    )
                })
                .collect(),
            FieldValue::Skill | FieldValue::Skills => self.skills(word),
            FieldValue::Limited(_) if path == ["name"] => {
                let folder = self.path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
                let item = |name: &str| CompletionItem {
                    detail: Some("the folder's name".to_owned()),
                    ..self.item(name, name.to_owned(), CompletionItemKind::VALUE, "", word)
                };
                folder.map(item).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn skills(&self, word: &Range<usize>) -> Vec<CompletionItem> {
        // A name with a colon and a blank, a quote or a hidden character would be more than a name in the text.
        let is_plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || "._:/@+-".contains(c));
        let others = self.snapshot.skills.iter();
        let others = others.filter(|skill| skill.file != self.path && is_plain(&skill.name));
        // What was typed goes first, since there may be more skills than one answer holds.
        let typed = self.text.as_str()[word.clone()].to_lowercase();
        let mut others: Vec<_> = others.collect();
        others.sort_by_key(|skill| !skill.name.to_lowercase().contains(&typed));
        let some = others.into_iter().take(ITEMS + 1);
        // What an author of a skill wrote is text, never markup.
        let about = |skill: &KnownSkill| {
            let text = visible::sentence(&skill.description);
            (!text.is_empty()).then_some(Documentation::String(text))
        };
        some.map(|skill| CompletionItem {
            detail: Some(format!("skill, {}", skill.state)),
            documentation: about(skill),
            ..self.item(&skill.name, skill.name.clone(), CompletionItemKind::MODULE, "", word)
        })
        .collect()
    }

    fn files(&self, range: &Range<usize>) -> Vec<CompletionItem> {
        let files = skill_files::beside(self.path);
        files
            .iter()
            .map(|file| {
                let mut target = String::new();
                uri::escape(file.as_bytes(), &mut target);
                self.item(file, target, CompletionItemKind::FILE, "", range)
            })
            .collect()
    }

    fn item(
        &self,
        label: &str,
        new_text: String,
        kind: CompletionItemKind,
        about: &str,
        word: &Range<usize>,
    ) -> CompletionItem {
        let documentation = (!about.is_empty()).then(|| {
            Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: about.to_owned(),
            })
        });
        let range = self.text.range(word.clone(), self.encoding);
        CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            documentation,
            filter_text: Some(new_text.trim_end_matches([':', ' ']).to_owned()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
            ..CompletionItem::default()
        }
    }
}
