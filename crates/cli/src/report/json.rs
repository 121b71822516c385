//! JSON: diagnostics with the ends of their ranges, and text that is safe to print.

use super::{
    sources::{Sources, end},
    visible,
};
use serde::Serialize;
use skillful::views::DiagnosticView;
use skillful_format::Diagnostic;
use std::{fmt::Write as _, path::Path};

/// Diagnostics with the end of each range. `read` gives the text of a file.
pub fn with_ends(diagnostics: &[Diagnostic], read: impl Fn(&Path) -> Option<String>) -> Vec<DiagnosticView> {
    let mut sources = Sources::new(read);
    let view = |diagnostic: &Diagnostic| {
        let span = diagnostic.span;
        let end =
            span.and_then(|span| sources.text(diagnostic.path.as_deref(), span).map(|text| end(text, span)));
        DiagnosticView {
            end_line: end.map(|(line, _)| line),
            end_column: end.map(|(_, column)| column),
            ..DiagnosticView::from(diagnostic)
        }
    };
    diagnostics.iter().map(view).collect()
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
