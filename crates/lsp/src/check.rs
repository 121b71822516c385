//! Checks the text of a skill with the engine, and turns diagnostics into those of the protocol.

use crate::{Encoding, Settings, Text, open_file::OpenFile};
use lsp_types::{CodeDescription, DiagnosticSeverity, NumberOrString, Position, Range, Uri};
use skillful::Workspace;
use skillful_agents::refusal_of_text;
use skillful_catalog::inspect::{check_text, folder_name};
use skillful_format::{Code, Diagnostic, Document, Severity, Sidecars, Span, fix::fixes, source::FILE_LIMIT};
use std::{path::Path, str::FromStr};

/// The page that explains the codes.
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/diagnostics.md");
/// Who reports a diagnostic.
pub(crate) const SOURCE: &str = "skillful";

/// What checking one text gave.
pub(crate) struct Checked {
    pub(crate) document: Document,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) fixes: Vec<skillful_format::Fix>,
    /// The name of the skill's folder.
    pub(crate) folder: Option<String>,
}

/// Reads and checks a text, without the agent's refusals.
pub(crate) fn read(text: &str, path: &Path, settings: &Settings) -> (Document, Vec<Diagnostic>) {
    // The engine does not read such a file, so nothing else is known about it.
    if text.len() as u64 > FILE_LIMIT {
        let document = Document::read_text(text, &Sidecars::default());
        let found = document.diagnostics.clone();
        return (document, found);
    }
    check_text(path, text, settings.profile)
}

/// Checks a text.
pub(crate) fn check(text: &str, path: &Path, workspace: &Workspace, settings: &Settings) -> Checked {
    let (document, mut diagnostics) = read(text, path, settings);
    let folder = folder_name(path);
    let fixes = fixes(text, &document, folder.as_deref(), &diagnostics);
    let agent = settings.agent.as_deref().and_then(|name| workspace.agent(name).ok());
    if let Some(agent) = agent
        && let Some(unseen) = refusal_of_text(agent, path, text)
    {
        let message = format!("{} does not load this: {}", agent.title, unseen.reason);
        let found = Diagnostic::new(Code::AgentRefuses, message);
        diagnostics.push(match unseen.fix {
            Some(fix) => found.help(fix),
            None => found,
        });
    }
    Checked { document, diagnostics, fixes, folder }
}

/// The diagnostics of an open file, for the client.
pub(crate) fn report(
    file: &mut OpenFile,
    workspace: &Workspace,
    settings: &Settings,
    encoding: Encoding,
) -> Vec<lsp_types::Diagnostic> {
    if !file.is_skill() {
        return Vec::new();
    }
    match file.checked(workspace, settings) {
        Some((text, checked)) => {
            checked.diagnostics.iter().map(|found| converted(found, text, encoding)).collect()
        }
        None => {
            let message = format!("the text is larger than {} bytes and was not read", crate::TEXT_LIMIT);
            vec![converted(
                &Diagnostic::new(Code::FileTooLarge, message),
                &Text::new(String::new()),
                encoding,
            )]
        }
    }
}

/// One diagnostic for the client.
pub(crate) fn converted(found: &Diagnostic, text: &Text, encoding: Encoding) -> lsp_types::Diagnostic {
    let severity = match found.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    };
    // A position in another file, such as `skill.toml`, means nothing here.
    let message = match (&found.path, &found.help) {
        (Some(path), Some(help)) => format!("{}: {}\nhelp: {help}", path.display(), found.message),
        (Some(path), None) => format!("{}: {}", path.display(), found.message),
        (None, Some(help)) => format!("{}\nhelp: {help}", found.message),
        (None, None) => found.message.clone(),
    };
    lsp_types::Diagnostic {
        range: range_of(found.span.filter(|_| found.path.is_none()), text, encoding),
        severity: Some(severity),
        code: Some(NumberOrString::String(found.code.to_string())),
        code_description: Uri::from_str(PAGE).ok().map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message,
        ..lsp_types::Diagnostic::default()
    }
}

/// The range of a diagnostic; without a position, the first line.
pub(crate) fn range_of(span: Option<Span>, text: &Text, encoding: Encoding) -> Range {
    match span {
        Some(span) => text.range(span.start as usize..span.end as usize, encoding),
        None => {
            let end = text.offset(Position { line: 0, character: u32::MAX }, encoding);
            text.range(0..end, encoding)
        }
    }
}
