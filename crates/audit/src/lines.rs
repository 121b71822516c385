//! Converts offsets to positions, and makes untrusted text safe to print.

use crate::limits;
use skillful_format::Span;
use skillful_format::hidden::is_hidden;
use std::ops::Range;

/// The offsets at which the lines of a text start.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The position of a range; a range outside the text is moved into it.
    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        let start = floor(self.text, range.start);
        let end = floor(self.text, range.end.max(start));
        let line = self.starts.partition_point(|at| *at <= start).saturating_sub(1);
        let from = self.starts.get(line).copied().unwrap_or(0);
        let column = self.text.get(from..start).map_or(0, |before| before.chars().count());
        Span { start: number(start), end: number(end), line: number(line + 1), column: number(column + 1) }
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The last character boundary at or before a byte.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text at a range, as evidence; a short range is shown with its line.
pub(crate) fn around(text: &str, range: &Range<usize>) -> String {
    const SHORT: usize = 40;
    const BEFORE: usize = 60;
    let (start, end) = (floor(text, range.start), floor(text, range.end));
    if end.saturating_sub(start) >= SHORT {
        return evidence(&text[start..end]);
    }
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let close = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let from = floor(text, line.max(start.saturating_sub(BEFORE)));
    evidence(&text[from..close.max(end)])
}

/// Text on one line, shortened, with every invisible character named.
pub(crate) fn evidence(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut blank = true;
    for c in text.chars() {
        if length >= limits::EVIDENCE {
            out.push('…');
            break;
        }
        if c.is_whitespace() {
            if !blank {
                out.push(' ');
                length += 1;
            }
            blank = true;
            continue;
        }
        blank = false;
        if is_hidden(c) {
            let name = format!("<U+{:04X}>", u32::from(c));
            length += name.len();
            out.push_str(&name);
        } else {
            out.push(c);
            length += 1;
        }
    }
    out.truncate(out.trim_end().len());
    out
}
