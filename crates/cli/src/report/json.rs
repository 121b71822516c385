//! Findings for a script: field names and their meaning change only with [`SCHEMA`].

use super::{
    sources::{Sources, end},
    visible,
};
use serde::Serialize;
use skillful_format::{Code, Diagnostic, Severity};
use std::{borrow::Cow, fmt::Write as _, path::Path};

/// Raised when a field is removed, renamed or means something else; a new field does not raise it.
pub const SCHEMA: u32 = 1;

/// A list of findings with its schema number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Findings<'a> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The findings, in the order given.
    pub diagnostics: Vec<Finding<'a>>,
}

/// One finding. What is not known is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding<'a> {
    /// Its stable code.
    pub code: Code,
    /// `error`, `warning` or `note`.
    pub severity: Severity,
    /// The file or folder, as the check was given it; bytes that are not UTF-8 are replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Cow<'a, str>>,
    /// Where in the file.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What is wrong, in one sentence.
    pub message: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'a str>,
}

/// A range in a file. Lines and columns count from 1, columns in characters; offsets count bytes
/// from 0; ends are exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the end; known only with the text at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// Column of the end; known only with the text at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The view of a list. `read` gives the text of a file, for the end of a range.
pub fn findings(diagnostics: &[Diagnostic], read: impl Fn(&Path) -> Option<String>) -> Findings<'_> {
    let mut sources = Sources::new(read);
    let diagnostics = diagnostics
        .iter()
        .map(|diagnostic| Finding {
            code: diagnostic.code,
            severity: diagnostic.severity,
            path: diagnostic.path.as_deref().map(Path::to_string_lossy),
            place: diagnostic.span.map(|span| {
                let end = sources.text(diagnostic.path.as_deref(), span).map(|text| end(text, span));
                Place {
                    line: span.line,
                    column: span.column,
                    end_line: end.map(|(line, _)| line),
                    end_column: end.map(|(_, column)| column),
                    start: span.start,
                    end: span.end,
                }
            }),
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
        })
        .collect();
    Findings { schema: SCHEMA, diagnostics }
}

/// How JSON is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Indented, for a person.
    Indented,
    /// On one line, for a program.
    OneLine,
}

/// Any value as JSON, ending with a line end, that is safe to show.
///
/// JSON lets most invisible characters stand as they are, so a terminal would obey some of them.
/// They are written as `\u` escapes, which a parser reads as the same characters.
pub fn to_text(value: &impl Serialize, layout: Layout) -> serde_json::Result<String> {
    let raw = match layout {
        Layout::Indented => serde_json::to_string_pretty(value)?,
        Layout::OneLine => serde_json::to_string(value)?,
    };
    let mut text = String::with_capacity(raw.len() + 1);
    for c in raw.chars() {
        if c != '\n' && visible::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests;
