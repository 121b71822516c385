//! Text and fences: where a file's header is, where its body is, and where a byte stands.
//!
//! The header opens with `---` on the first line and closes with the next line that is `---` and
//! nothing else. A `---` inside a quoted value is not a fence; inside a block value it is
//! indented and so never looks like one.

use crate::diagnostic::{Code, Diagnostic, Span};
use std::ops::Range;

/// A SKILL.md larger than this is refused without being read.
pub const FILE_LIMIT: u64 = 1 << 20;
/// A header larger than this is refused without being parsed.
pub const HEADER_LIMIT: usize = 64 << 10;

const FENCE: &str = "---";
const MARK: char = '\u{feff}';

/// A byte range as a place that a person can find.
pub fn span_in(text: &str, range: Range<usize>) -> Span {
    let start = floor_boundary(text, range.start.min(text.len()));
    let end = floor_boundary(text, range.end.clamp(start, text.len()));
    let before = &text[..start];
    let mut line = 1;
    let mut line_start = 0;
    let mut last = 0u8;
    for (at, byte) in before.bytes().enumerate() {
        match byte {
            b'\n' if last == b'\r' => line_start = at + 1,
            b'\n' | b'\r' => {
                line += 1;
                line_start = at + 1;
            }
            _ => {}
        }
        last = byte;
    }
    let column = before[line_start..].trim_start_matches(MARK).chars().count() + 1;
    Span { start: to_u32(start), end: to_u32(end), line, column: to_u32(column) }
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn to_u32(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The lines of a text as byte ranges without their ends; `\n`, `\r\n` and `\r` all end a line.
pub(crate) fn lines(text: &str, from: usize) -> impl Iterator<Item = Line> {
    let bytes = text.as_bytes();
    let mut at = from;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        let start = at;
        let end = memchr::memchr2(b'\n', b'\r', &bytes[start..]).map_or(bytes.len(), |i| start + i);
        let next = match (bytes.get(end), bytes.get(end + 1)) {
            (Some(b'\r'), Some(b'\n')) => end + 2,
            (Some(_), _) => end + 1,
            (None, _) => end,
        };
        at = next;
        Some(Line { start, end, next })
    })
}

/// One line: its text is `start..end`, the next line starts at `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

/// Where the parts of a file are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The YAML between the fences; `None` when the file has no header.
    pub header: Option<Range<usize>>,
    /// Everything after the header.
    pub body: Range<usize>,
    /// What is odd about the fences.
    pub diagnostics: Vec<Diagnostic>,
    /// The header was opened and never closed, or stands where it does not count: what it says is
    /// not known, so no gate may open.
    pub gates_unknown: bool,
}

/// Finds header and body.
pub fn split(text: &str) -> Split {
    let mut diagnostics = Vec::new();
    let start = if text.starts_with(MARK) {
        let mark = span_in(text, 0..MARK.len_utf8());
        diagnostics.push(
            Diagnostic::new(Code::ByteOrderMark, "the file starts with a byte order mark").at(mark).help(
                "save the file as UTF-8 without a mark; gemini-cli, Codex and pi do not see the header",
            ),
        );
        MARK.len_utf8()
    } else {
        0
    };
    let whole =
        |diagnostics| Split { header: None, body: start..text.len(), diagnostics, gates_unknown: false };

    let Some(first) = lines(text, start).next() else {
        diagnostics.push(Diagnostic::new(Code::NoHeader, "the file is empty"));
        return whole(diagnostics);
    };
    if !is_fence(&text[first.start..first.end]) {
        let late = lines(text, start).find(|line| !text[line.start..line.end].trim().is_empty());
        let late = late.filter(|line| is_fence(&text[line.start..line.end]));
        if let Some(line) = late {
            diagnostics.push(
                Diagnostic::new(
                    Code::HeaderNotFirst,
                    "blank lines stand before the header, so it does not count",
                )
                .at(span_in(text, line.start..line.end))
                .help("make `---` the first line of the file"),
            );
        } else {
            diagnostics.push(
                Diagnostic::new(Code::NoHeader, "there is no YAML header")
                    .at(span_in(text, first.start..first.end))
                    .help("start the file with `---`, `name:`, `description:` and `---`"),
            );
        }
        return Split { gates_unknown: late.is_some(), ..whole(diagnostics) };
    }
    note_blanks(text, first, &mut diagnostics);

    match closing_fence(text, first.next) {
        Some(Closing { fence, quoted }) => {
            note_blanks(text, fence, &mut diagnostics);
            if let Some(line) = quoted {
                diagnostics.push(
                    Diagnostic::new(Code::FenceInQuotes, "a quoted value has a line `---`")
                        .at(span_in(text, line.start..line.end))
                        .help("write the value on one line; most agents take this line for the end of the header"),
                );
            }
            Split {
                header: Some(first.next..fence.start),
                body: fence.next..text.len(),
                diagnostics,
                gates_unknown: false,
            }
        }
        None => {
            let glued = lines(text, first.next).find(|line| text[line.start..line.end].starts_with(FENCE));
            let help = match glued {
                Some(line) => {
                    let line = span_in(text, line.start..line.end).line;
                    format!("line {line} starts with `---` and goes on; put `---` on a line of its own")
                }
                None => "end the header with a line `---`".to_owned(),
            };
            diagnostics.push(
                Diagnostic::new(Code::HeaderUnclosed, "the header is opened here and never closed")
                    .at(span_in(text, first.start..first.end))
                    .help(help),
            );
            Split { gates_unknown: true, ..whole(diagnostics) }
        }
    }
}

fn is_fence(line: &str) -> bool {
    line.strip_prefix(FENCE).is_some_and(|rest| rest.trim().is_empty())
}

fn note_blanks(text: &str, line: Line, diagnostics: &mut Vec<Diagnostic>) {
    if line.end - line.start > FENCE.len() {
        diagnostics.push(
            Diagnostic::new(Code::FenceBlanks, "blanks follow the fence")
                .at(span_in(text, line.start..line.end))
                .help("remove them; gemini-cli and Zed do not see this header"),
        );
    }
}

struct Closing {
    fence: Line,
    /// The first `---` line that turned out to be part of a quoted value.
    quoted: Option<Line>,
}

/// The closing fence. A candidate inside an open quote is passed over only when the quote is
/// closed later and what follows still reads like a header; else a forgotten quote mark would
/// swallow the body.
fn closing_fence(text: &str, from: usize) -> Option<Closing> {
    let mut quotes = QuoteState::default();
    let mut in_quotes: Option<Line> = None;
    for line in lines(text, from) {
        let content = &text[line.start..line.end];
        if is_fence(content) {
            if quotes.is_open() {
                in_quotes.get_or_insert(line);
                continue;
            }
            return Some(Closing { fence: line, quoted: in_quotes });
        }
        if line.start - from > HEADER_LIMIT {
            break;
        }
        if in_quotes.is_some() && !quotes.is_open() && !reads_like_header(content) {
            break;
        }
        quotes.advance(content);
    }
    in_quotes.map(|fence| Closing { fence, quoted: None })
}

fn reads_like_header(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.is_empty()
        || trimmed.len() < line.len()
        || trimmed.starts_with('#')
        || trimmed.starts_with("- ")
        || key_of(line).is_some()
}

/// The key of a `key: value` line with its indentation and where its value starts.
pub(crate) fn key_of(line: &str) -> Option<KeyLine<'_>> {
    let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut start = indent;
    while let Some(rest) = line[start..].strip_prefix("- ") {
        start += 2 + (rest.len() - rest.trim_start_matches(' ').len());
    }
    let rest = &line[start..];
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/') || *b >= 0x80)
        .count();
    let after = rest[length..].strip_prefix(':')?;
    if length == 0 || !(after.is_empty() || after.starts_with([' ', '\t'])) {
        return None;
    }
    let blanks = after.len() - after.trim_start_matches([' ', '\t']).len();
    Some(KeyLine { indent: start, key: &rest[..length], value: start + length + 1 + blanks })
}

/// A `key: value` line taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyLine<'a> {
    /// Columns before the key, list dashes included.
    pub(crate) indent: usize,
    pub(crate) key: &'a str,
    /// Where the value starts in the line; the line's end when there is none.
    pub(crate) value: usize,
}

/// Whether a line is inside a quoted or a block value, told line by line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuoteState {
    quote: Option<u8>,
    block: Option<usize>,
}

impl QuoteState {
    pub(crate) fn is_open(self) -> bool {
        self.quote.is_some()
    }

    /// Whether `line` would be text of a block value.
    pub(crate) fn in_block(self, line: &str) -> bool {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        self.block.is_some_and(|parent| indent > parent || line.trim().is_empty())
    }

    pub(crate) fn advance(&mut self, line: &str) {
        if let Some(quote) = self.quote {
            if closes(line, quote).is_some() {
                self.quote = None;
            }
            return;
        }
        if self.in_block(line) {
            return;
        }
        self.block = None;
        let (indent, value) = match key_of(line) {
            Some(key) => (key.indent, &line[key.value..]),
            None => {
                let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
                (indent, line[indent..].strip_prefix("- ").unwrap_or(&line[indent..]))
            }
        };
        match value.as_bytes().first() {
            Some(b'|' | b'>') => self.block = Some(indent),
            Some(quote @ (b'"' | b'\'')) if closes(&value[1..], *quote).is_none() => {
                self.quote = Some(*quote)
            }
            _ => {}
        }
    }
}

/// Where a quoted value ends: the place of its closing mark.
pub(crate) fn closes(text: &str, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote == b'"' => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}
