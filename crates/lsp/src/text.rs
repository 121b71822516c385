//! The text of an open file: incremental changes, and positions in the units that the client counts.

use lsp_types::{Position, PositionEncodingKind, Range};

/// A longer text is not kept; the client gets a diagnostic.
pub const TEXT_LIMIT: usize = 16 << 20;

/// The unit of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16; what every client knows.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The best unit of those that a client offers.
    pub(crate) fn negotiated(offered: &[PositionEncodingKind]) -> Self {
        if offered.contains(&PositionEncodingKind::UTF8) { Self::Utf8 } else { Self::Utf16 }
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text and the places where its lines start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    content: String,
    starts: Vec<usize>,
}

impl Text {
    /// A whole text.
    pub fn new(content: String) -> Self {
        let mut text = Self { content, starts: Vec::new() };
        text.find_lines();
        text
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.content
    }

    /// `\n`, `\r\n` and `\r` end a line.
    fn find_lines(&mut self) {
        let bytes = self.content.as_bytes();
        self.starts.clear();
        self.starts.push(0);
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
        let ends = ends.filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
        self.starts.extend(ends.map(|at| at + 1));
    }

    /// Applies one change. A place outside of the text means its nearest end. Returns whether the text is within the
    /// limit; a change beyond it is not applied.
    pub fn change(&mut self, range: Option<Range>, new: &str, encoding: Encoding) -> bool {
        let (start, end) = match range {
            None => (0, self.content.len()),
            Some(Range { start, end }) => {
                let (a, b) = (self.offset(start, encoding), self.offset(end, encoding));
                (a.min(b), a.max(b))
            }
        };
        if self.content.len() - (end - start) + new.len() > TEXT_LIMIT {
            return false;
        }
        self.content.replace_range(start..end, new);
        self.find_lines();
        true
    }

    /// The byte of a position; positions behind the end of a line or of the text mean that end.
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(start) = self.starts.get(line).copied() else { return self.content.len() };
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let mut units = 0;
        let text = self.line(line);
        for (at, c) in text.char_indices() {
            units += encoding.width(c);
            // A position inside of a character means its start.
            if units > wanted {
                return start + at;
            }
        }
        start + text.len()
    }

    /// The position of a byte.
    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = self.content.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset) - 1;
        let text = &self.content[self.starts[line]..offset];
        // The end of the line before its two bytes are over.
        let text = text.strip_suffix('\r').unwrap_or(text);
        let units: usize = text.chars().map(|c| encoding.width(c)).sum();
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: small(line), character: small(units) }
    }

    /// The range of bytes as positions.
    pub(crate) fn range(&self, range: std::ops::Range<usize>, encoding: Encoding) -> Range {
        Range { start: self.position(range.start, encoding), end: self.position(range.end, encoding) }
    }

    /// A line without its end.
    fn line(&self, line: usize) -> &str {
        let end = self.starts.get(line + 1).copied().unwrap_or(self.content.len());
        self.content[self.starts[line]..end].trim_end_matches(['\r', '\n'])
    }
}
