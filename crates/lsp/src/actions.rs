//! Fixes as code actions.

use crate::{
    Encoding, Settings, Text,
    check::{self, Checked},
    edits,
};
use lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};
use skillful_format::{Diagnostic, Fix, fix};
use std::{collections::HashMap, path::Path};

/// All automatic fixes at once.
pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.skillful");

/// Everything that code actions are made from.
pub(crate) struct Actions<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) path: &'a Path,
    pub(crate) version: i32,
    pub(crate) text: &'a Text,
    pub(crate) checked: &'a Checked,
    pub(crate) settings: &'a Settings,
    pub(crate) encoding: Encoding,
    /// Whether the client takes edits with the version of the text.
    pub(crate) versioned: bool,
}

impl Actions<'_> {
    /// The actions for a range.
    pub(crate) fn at(&self, range: Range, context: &CodeActionContext) -> Vec<CodeActionOrCommand> {
        let wants = |kind: &CodeActionKind| {
            context.only.as_ref().is_none_or(|only| {
                only.iter().any(|wanted| {
                    let rest = kind.as_str().strip_prefix(wanted.as_str());
                    rest.is_some_and(|rest| {
                        rest.is_empty() || rest.starts_with('.') || wanted.as_str().is_empty()
                    })
                })
            })
        };
        let mut actions = Vec::new();
        if wants(&CodeActionKind::QUICKFIX) {
            let near = |fix: &&Fix| {
                let own = check::range_of(fix.span, self.text, self.encoding);
                own.start.line <= range.end.line && range.start.line <= own.end.line
            };
            let near: Vec<&Fix> = self.checked.fixes.iter().filter(near).collect();
            // Two problems of one value may have the same fix.
            let is_first = |at: &usize| near[..*at].iter().all(|other| other.edits != near[*at].edits);
            actions.extend((0..near.len()).filter(is_first).map(|at| self.quick_fix(near[at])));
        }
        if wants(&FIX_ALL) {
            actions.extend(self.fix_all());
        }
        actions
    }

    fn quick_fix(&self, fix: &Fix) -> CodeActionOrCommand {
        let is_it = |found: &&Diagnostic| found.code == fix.code && found.span == fix.span;
        let about = self.checked.diagnostics.iter().find(is_it);
        CodeActionOrCommand::CodeAction(CodeAction {
            title: capitalised(&fix.title),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: about.map(|found| vec![check::converted(found, self.text, self.encoding)]),
            edit: Some(self.edit(&fix.edits)),
            is_preferred: Some(fix.automatic),
            ..CodeAction::default()
        })
    }

    fn fix_all(&self) -> Option<CodeActionOrCommand> {
        if !self.checked.fixes.iter().any(|fix| fix.automatic) {
            return None;
        }
        let old = self.text.as_str();
        let read = |text: &str| check::read(text, self.path, self.settings);
        let new = fix::fix_all(old, self.checked.folder.as_deref(), read);
        (new != old).then(|| {
            CodeActionOrCommand::CodeAction(CodeAction {
                title: "Fix all problems that have one clear fix".to_owned(),
                kind: Some(FIX_ALL),
                edit: Some(self.edit(&edits::between(old, &new))),
                ..CodeAction::default()
            })
        })
    }

    fn edit(&self, edits: &[fix::TextEdit]) -> WorkspaceEdit {
        let edits = converted(edits, self.text, self.encoding);
        if self.versioned {
            let document = OptionalVersionedTextDocumentIdentifier {
                uri: self.uri.clone(),
                version: Some(self.version),
            };
            let edits = edits.into_iter().map(OneOf::Left).collect();
            let changes = vec![TextDocumentEdit { text_document: document, edits }];
            return WorkspaceEdit {
                document_changes: Some(lsp_types::DocumentChanges::Edits(changes)),
                ..WorkspaceEdit::default()
            };
        }
        WorkspaceEdit {
            changes: Some(HashMap::from([(self.uri.clone(), edits)])),
            ..WorkspaceEdit::default()
        }
    }
}

/// Edits for the client.
pub(crate) fn converted(edits: &[fix::TextEdit], text: &Text, encoding: Encoding) -> Vec<TextEdit> {
    let one = |edit: &fix::TextEdit| TextEdit {
        range: text.range(edit.range.clone(), encoding),
        new_text: edit.text.clone(),
    };
    edits.iter().map(one).collect()
}

fn capitalised(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
