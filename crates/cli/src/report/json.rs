//! JSON: diagnostics with the ends of their ranges, and text that is safe to print.

use super::{
    sources::{Sources, end},
    visible,
};
use serde::{Serialize, ser::Error as _};
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use skillful::views::DiagnosticView;
use skillful_format::Diagnostic;
use std::{
    borrow::Cow,
    io::{self, Write},
    path::Path,
};

/// Diagnostics with the end of each range. `read` gives the text of a file.
pub fn with_ends<'a, T: Into<Cow<'a, str>>>(
    diagnostics: &[Diagnostic],
    read: impl Fn(&Path) -> Option<T>,
) -> Vec<DiagnosticView> {
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
    /// Indented, for a terminal.
    Indented,
    /// On one line, for a program.
    OneLine,
}

/// Writes a value as JSON with a line end. The text is safe to print on a terminal.
///
/// JSON allows most invisible characters inside strings, and a terminal would obey some of them. They are written as
/// `\u` escapes, which a parser reads as the same characters.
pub fn write(to: impl Write, value: &impl Serialize, layout: Layout) -> serde_json::Result<()> {
    let mut to = to;
    match layout {
        Layout::Indented => {
            let format = Safe(PrettyFormatter::new());
            value.serialize(&mut Serializer::with_formatter(&mut to, format))?;
        }
        Layout::OneLine => {
            value.serialize(&mut Serializer::with_formatter(&mut to, Safe(CompactFormatter)))?;
        }
    }
    to.write_all(b"\n").map_err(serde_json::Error::io)
}

/// The same as a text.
pub fn to_text(value: &impl Serialize, layout: Layout) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    write(&mut bytes, value, layout)?;
    String::from_utf8(bytes).map_err(serde_json::Error::custom)
}

/// Lays JSON out as another formatter does, with hidden characters as escapes.
struct Safe<F>(F);

impl<F: Formatter> Formatter for Safe<F> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Only the delete character is hidden and ASCII here: serde_json escapes the others itself.
        if fragment.is_ascii() && !fragment.contains('\u{7f}') {
            return writer.write_all(fragment.as_bytes());
        }
        let mut written = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| visible::is_hidden(*c)) {
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests;
