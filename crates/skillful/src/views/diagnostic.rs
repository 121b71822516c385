//! A diagnostic for a program.

use super::PathText;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_format::Diagnostic;

/// Something wrong with a file, a setting or a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DiagnosticView {
    /// Its stable code.
    pub code: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// The file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathText>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line of the end, when the text of the file was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// The column just behind the end, when the text of the file was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
    /// The first byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u32>,
    /// One past the last byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<u32>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl From<&Diagnostic> for DiagnosticView {
    fn from(one: &Diagnostic) -> Self {
        Self {
            code: one.code.to_string(),
            severity: one.severity.to_string(),
            path: one.path.as_deref().map(PathText::from),
            line: one.span.map(|span| span.line),
            column: one.span.map(|span| span.column),
            end_line: None,
            end_column: None,
            start: one.span.map(|span| span.start),
            end: one.span.map(|span| span.end),
            message: one.message.clone(),
            help: one.help.as_deref().map(str::to_owned),
        }
    }
}

impl DiagnosticView {
    /// A list of them.
    pub fn all<'a>(diagnostics: impl IntoIterator<Item = &'a Diagnostic>) -> Vec<Self> {
        diagnostics.into_iter().map(Self::from).collect()
    }
}
