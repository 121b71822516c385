//! The frontmatter that nearly every skill has, read without the parser: keys with values of one line, mappings and lists below
//! them, and blocks of text. Whatever else a text has is left to the parser, and what is read here is what the parser reads.

use super::{
    Key, MAX_NODES, Node, Value,
    reader::Origin,
    scalar::{scalar, scalar_of_line},
};
use crate::diagnostic::Span;
use granit_parser::ScalarStyle;
use std::{borrow::Cow, ops::Range};

/// Mappings in each other; deeper ones are left to the parser.
const DEPTH: usize = 8;

/// The tree of a text; none when the text needs the parser.
pub(super) fn read(text: &str, origin: &mut dyn Origin) -> Option<Node> {
    // Counting has no way out of the middle, so that many bytes are compared at a time.
    let is_control = |byte: &u8| *byte < b' ' && *byte != b'\n' || *byte == 0x7f;
    let is_ascii = text.is_ascii();
    if text.bytes().filter(is_control).count() > 0 || !is_ascii && !text.chars().all(is_plain) {
        return None;
    }
    let mut reader = Simple { text, is_ascii, at: 0, line: 1, nodes: 0, origin };
    let first = reader.next_line()?;
    let root = reader.map(&first, 0)?;
    reader.next_line().is_none().then_some(root)
}

/// Whether the parser takes a character as part of a line, and counts it as one column.
fn is_plain(c: char) -> bool {
    c.is_ascii()
        || matches!(c, '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}

struct Simple<'a> {
    text: &'a str,
    is_ascii: bool,
    /// Where the next line starts, and its number.
    at: usize,
    line: usize,
    nodes: usize,
    /// Of any kind: this code is in the program once.
    origin: &'a mut dyn Origin,
}

/// A line that is not blank: its first character that is not a space, and its end.
#[derive(Clone, Copy)]
struct TextLine {
    indent: usize,
    start: usize,
    end: usize,
}

impl Simple<'_> {
    /// The next line that is not blank.
    fn next_line(&mut self) -> Option<TextLine> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            let rest = &bytes[self.at..];
            let end = self.at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let indent = blanks(&bytes[self.at..end]);
            let start = self.at + indent;
            if start < end {
                return Some(TextLine { indent, start, end });
            }
            self.pass(end);
        }
        None
    }

    /// Passes the line with that end.
    fn pass(&mut self, end: usize) {
        self.at = (end + 1).min(self.text.len());
        self.line += 1;
    }

    /// The position of a part of the line that is next.
    fn span(&mut self, range: Range<usize>) -> Span {
        let before = self.at..range.start;
        let column = if self.is_ascii { before.len() } else { self.text[before].chars().count() };
        self.origin.position(range, self.line, column)
    }

    fn count(&mut self) -> Option<()> {
        self.nodes += 1;
        (self.nodes <= MAX_NODES).then_some(())
    }

    /// The mapping whose first key is on a line.
    fn map(&mut self, first: &TextLine, depth: usize) -> Option<Node> {
        if depth > DEPTH {
            return None;
        }
        self.count()?;
        let span = self.span(first.start..first.start);
        let mut pairs: Vec<(Key, Node)> = Vec::new();
        while let Some(line) = self.next_line().filter(|line| line.indent >= first.indent) {
            if line.indent > first.indent {
                return None;
            }
            let length = key_length(&self.text.as_bytes()[line.start..line.end])?;
            let key = line.start..line.start + length;
            let Value::Text(text) = scalar(Cow::Borrowed(&self.text[key.clone()]), ScalarStyle::Plain) else {
                return None;
            };
            if pairs.iter().any(|(known, _)| known.text == text) {
                return None;
            }
            self.count()?;
            let key = Key { text, span: self.span(key) };
            let value = self.value(&line, line.start + length, depth)?;
            pairs.push((key, value));
        }
        Some(Node { span, value: Value::Map(pairs) })
    }

    /// The value behind the colon of a line.
    fn value(&mut self, line: &TextLine, colon: usize, depth: usize) -> Option<Node> {
        let bytes = self.text.as_bytes();
        let start = colon + 1 + blanks(&bytes[colon + 1..line.end]);
        let written = &self.text[start..start + trimmed(&bytes[start..line.end])];
        match written.as_bytes().first() {
            None => self.below(line, colon, depth),
            Some(b'|' | b'>') => self.block(line, written),
            Some(b'[' | b'{') => {
                let end = start + written.len();
                let mut at = start;
                let value = self.flow(&mut at, end, depth)?;
                self.pass(line.end);
                (at == end).then_some(value)
            }
            Some(_) => self.one_line(line, start..start + written.len()),
        }
    }

    /// A value that is all on its line.
    fn one_line(&mut self, line: &TextLine, range: Range<usize>) -> Option<Node> {
        self.count()?;
        let value = scalar_of_line(&self.text[range.clone()], false)?;
        let span = self.span(range);
        self.pass(line.end);
        Some(Node { span, value })
    }

    /// What is below a key: a mapping, a list or nothing.
    fn below(&mut self, line: &TextLine, colon: usize, depth: usize) -> Option<Node> {
        let (line_start, number) = (self.at, self.line);
        self.pass(line.end);
        let next = self.next_line();
        let is_item = |next: &TextLine| self.text[next.start..next.end].starts_with("- ");
        match next {
            Some(next) if next.indent >= line.indent && is_item(&next) => {
                self.list(&next, next.indent > line.indent)
            }
            Some(next) if next.indent > line.indent => self.map(&next, depth + 1),
            _ => {
                self.count()?;
                let column = colon - line_start;
                let span = self.origin.position(colon..colon, number, column);
                Some(Node { span, value: Value::Null })
            }
        }
    }

    /// The list whose first item is on a line. The parser sees one that is not indented where its first item begins.
    fn list(&mut self, first: &TextLine, is_indented: bool) -> Option<Node> {
        self.count()?;
        let mut span = None;
        let mut items = Vec::new();
        while let Some(line) = self.next_line().filter(|line| line.indent >= first.indent) {
            let Some(rest) = self.text[line.start..line.end].strip_prefix("- ") else {
                if is_indented || line.indent > first.indent {
                    return None;
                }
                break;
            };
            if line.indent > first.indent {
                return None;
            }
            let start = line.end - rest.len() + blanks(rest.as_bytes());
            let range = start..start + trimmed(&self.text.as_bytes()[start..line.end]);
            if span.is_none() {
                let at = if is_indented { line.start } else { range.start };
                span = Some(self.span(at..at));
            }
            if range.is_empty() {
                return None;
            }
            items.push(self.one_line(&line, range)?);
        }
        Some(Node { span: span?, value: Value::List(items) })
    }

    /// A list in brackets or a mapping in braces, from `at` on and on one line.
    fn flow(&mut self, at: &mut usize, end: usize, depth: usize) -> Option<Node> {
        if depth > DEPTH {
            return None;
        }
        self.count()?;
        let bytes = self.text.as_bytes();
        let (is_map, close) = if bytes[*at] == b'{' { (true, b'}') } else { (false, b']') };
        let span = self.span(*at..*at + 1);
        let (mut items, mut pairs) = (Vec::new(), Vec::new());
        *at += 1;
        self.skip_blanks(at, end);
        while *at < end && bytes[*at] != close {
            if is_map {
                let key = self.flow_key(at, end, &pairs)?;
                self.skip_blanks(at, end);
                pairs.push((key, self.flow_value(at, end, depth)?));
            } else {
                items.push(self.flow_value(at, end, depth)?);
            }
            self.skip_blanks(at, end);
            match bytes.get(*at) {
                Some(b',') => {
                    *at += 1;
                    self.skip_blanks(at, end);
                    // A comma at the end is left to the parser.
                    if bytes.get(*at) == Some(&close) {
                        return None;
                    }
                }
                Some(byte) if *byte == close => {}
                _ => return None,
            }
        }
        if *at >= end {
            return None;
        }
        *at += 1;
        Some(Node { span, value: if is_map { Value::Map(pairs) } else { Value::List(items) } })
    }

    fn skip_blanks(&self, at: &mut usize, end: usize) {
        *at += blanks(&self.text.as_bytes()[*at..end]);
    }

    /// A key in braces and its colon.
    fn flow_key(&mut self, at: &mut usize, end: usize, pairs: &[(Key, Node)]) -> Option<Key> {
        let rest = &self.text[*at..end];
        let length = match rest.as_bytes()[0] {
            b'"' => quoted_length(rest)?,
            _ => key_length(rest.as_bytes())?,
        };
        // What stands in quotes needs no blank behind its colon.
        if rest.as_bytes().get(length) != Some(&b':') || rest.len() == length + 1 {
            return None;
        }
        let Value::Text(text) = scalar_of_line(&rest[..length], true)? else { return None };
        if text == "<<" || pairs.iter().any(|(known, _)| known.text == text) {
            return None;
        }
        self.count()?;
        let span = self.span(*at..*at + length);
        *at += length + 1;
        Some(Key { text, span })
    }

    fn flow_value(&mut self, at: &mut usize, end: usize, depth: usize) -> Option<Node> {
        let rest = &self.text[*at..end];
        let length = match rest.as_bytes().first()? {
            b'[' | b'{' => return self.flow(at, end, depth + 1),
            b'"' => quoted_length(rest)?,
            b'\'' => rest[1..].find('\'')? + 2,
            _ => rest.bytes().position(|byte| matches!(byte, b',' | b']' | b'}' | b'[' | b'{'))?,
        };
        self.count()?;
        let written = rest[..length].trim_end_matches(' ');
        let value = scalar_of_line(written, true)?;
        let span = self.span(*at..*at + written.len());
        *at += length;
        Some(Node { span, value })
    }

    /// A block of text below its mark.
    fn block(&mut self, header: &TextLine, mark: &str) -> Option<Node> {
        let (is_folded, is_stripped) = match mark {
            "|" => (false, false),
            "|-" => (false, true),
            ">" => (true, false),
            ">-" => (true, true),
            _ => return None,
        };
        self.count()?;
        self.pass(header.end);
        let start_of_block = self.at;
        let first = self.next_line()?;
        // Blank lines before the text count, and a text has to be indented.
        if self.at != start_of_block || first.indent <= header.indent {
            return None;
        }
        let (line, indent) = (self.line, first.indent);
        let mut out = String::with_capacity(first.end - first.start + 1);
        let mut end = first.start;
        let mut blank_lines = 0;
        while self.at < self.text.len() {
            let rest = &self.text.as_bytes()[self.at..];
            let line_end = self.at + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let own = blanks(&self.text.as_bytes()[self.at..line_end]);
            let is_blank = self.at + own == line_end;
            if own > indent && (is_blank || is_folded) {
                return None;
            }
            if is_blank {
                blank_lines += 1;
            } else if own >= indent {
                if !out.is_empty() {
                    match (is_folded, blank_lines) {
                        (true, 0) => out.push(' '),
                        (true, _) => out.extend(std::iter::repeat_n('\n', blank_lines)),
                        (false, _) => out.extend(std::iter::repeat_n('\n', blank_lines + 1)),
                    }
                }
                blank_lines = 0;
                out.push_str(&self.text[self.at + indent..line_end]);
            } else if own > header.indent {
                return None;
            } else {
                end = self.at + own;
                break;
            }
            end = (line_end + 1).min(self.text.len());
            self.pass(line_end);
        }
        if !is_stripped {
            out.push('\n');
        }
        let span = self.origin.position(first.start..end, line, indent);
        Some(Node { span, value: Value::Text(out) })
    }
}

/// Spaces at the start of a text.
fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == b' ').count()
}

/// The length of a text without the spaces at its end.
fn trimmed(text: &[u8]) -> usize {
    text.len() - text.iter().rev().take_while(|byte| **byte == b' ').count()
}

/// The length of what stands in double quotes at the start of a text.
fn quoted_length(text: &str) -> Option<usize> {
    Some(text[1..].find('"')? + 2)
}

/// The length of a key that is one word, if its colon ends it.
fn key_length(line: &[u8]) -> Option<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    let length = line.iter().take_while(|byte| is_word(byte)).count();
    let begins = line.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let ends = line.get(length) == Some(&b':') && matches!(line.get(length + 1), None | Some(b' '));
    (begins && ends && length <= 128).then_some(length)
}

#[cfg(test)]
mod tests;
