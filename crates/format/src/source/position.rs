//! Converts byte offsets to lines and columns.

use crate::diagnostic::Span;
use std::ops::Range;

pub(super) const MARK: char = '\u{feff}';

/// The position of a byte range, with line and column.
pub fn span_in(text: &str, range: Range<usize>) -> Span {
    Positions::new(text).span(range)
}

/// Finds many positions in one text. Requests in the order of the text cost one pass together; a
/// request for an earlier offset starts again from the beginning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Positions<'a> {
    text: &'a str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Positions<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    pub(crate) fn span(&mut self, range: Range<usize>) -> Span {
        let start = floor_boundary(self.text, range.start);
        let end = floor_boundary(self.text, range.end.max(start));
        if start < self.at {
            *self = Self::new(self.text);
        }
        self.advance(start);
        Span { start: small(start), end: small(end), line: small(self.line), column: small(self.column) }
    }

    fn advance(&mut self, to: usize) {
        let bytes = self.text.as_bytes();
        while let Some(length) = memchr::memchr2(b'\n', b'\r', &bytes[self.at..to]) {
            let ends = self.at + length;
            // The two bytes of `\r\n` end one line.
            let pair = bytes[ends] == b'\r' && bytes.get(ends + 1) == Some(&b'\n');
            if pair && ends + 1 == to {
                break;
            }
            self.at = ends + if pair { 2 } else { 1 };
            self.line += 1;
            self.column = 1;
        }
        let rest = &self.text[self.at..to];
        // A byte order mark at the start of a file is not visible, so it is not counted as a
        // column.
        let mark = usize::from(self.at == 0 && rest.starts_with(MARK));
        self.column += rest.chars().count() - mark;
        self.at = to;
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

fn small(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
