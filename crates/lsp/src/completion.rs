//! What can be written at a place, as the engine offers it, for the client.

use crate::{Encoding, Text, background::Snapshot, skill_files};
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, TextEdit,
};
use skillful::authoring::{self, CompletionKind, OfferedSkill};
use skillful_profiles::AgentProfiles;
use std::path::Path;

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
        let completer = authoring::Completer {
            text: self.text.as_str(),
            agents: self.agents,
            folder: self.path.parent().and_then(Path::file_name).and_then(|name| name.to_str()),
            skills: &|| self.others(),
            files: &|| skill_files::beside(self.path),
        };
        let found = completer.at(offset);
        let range = self.text.range(found.replaces, self.encoding);
        let items = found.items.into_iter().enumerate();
        CompletionList {
            is_incomplete: found.is_incomplete,
            items: items.map(|(at, item)| converted(at, item, range)).collect(),
        }
    }

    fn others(&self) -> Vec<OfferedSkill> {
        let others = self.snapshot.skills.iter().filter(|skill| skill.file != self.path);
        others
            .map(|skill| OfferedSkill {
                name: skill.name.clone(),
                description: skill.description.clone(),
                state: skill.state.to_owned(),
            })
            .collect()
    }
}

/// One item for the client. Clients sort by label unless `sort_text` keeps the order.
fn converted(at: usize, item: authoring::CompletionItem, range: lsp_types::Range) -> CompletionItem {
    let documentation = item.about.map(|about| {
        if item.about_is_markdown {
            Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value: about })
        } else {
            Documentation::String(about)
        }
    });
    CompletionItem {
        label: item.label,
        kind: Some(match item.kind {
            CompletionKind::Field => CompletionItemKind::FIELD,
            CompletionKind::Value => CompletionItemKind::VALUE,
            CompletionKind::Word => CompletionItemKind::ENUM_MEMBER,
            CompletionKind::Tool => CompletionItemKind::FUNCTION,
            CompletionKind::Skill => CompletionItemKind::MODULE,
            CompletionKind::File => CompletionItemKind::FILE,
        }),
        detail: item.detail,
        documentation,
        sort_text: Some(format!("{at:04}")),
        filter_text: Some(item.insert.trim_end_matches([':', ' ']).to_owned()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: item.insert })),
        ..CompletionItem::default()
    }
}
