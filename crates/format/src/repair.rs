//! Repairing a header whose YAML fails although its intent is plain.
//!
//! Runs only after the strict parser failed, works line by line, and reports every change. The
//! result is a list of edits, so that each value still knows its place in the file as written.

use crate::{
    diagnostic::{Code, Diagnostic, Span},
    source::{self, KeyLine, Line, QuoteState, closes, key_of, lines},
    yaml::Origin,
};
use std::ops::Range;

/// One change: the bytes of `range` become `replacement`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Edit {
    range: Range<usize>,
    replacement: String,
}

/// A header with its repairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    /// The text to parse instead.
    pub(crate) text: String,
    /// What was changed and why.
    pub(crate) diagnostics: Vec<Diagnostic>,
    edits: Vec<Edit>,
}

impl Repaired {
    /// Where a byte of the repaired text stood before.
    fn original(&self, at: usize) -> usize {
        let mut shift = 0isize;
        for edit in &self.edits {
            let start = edit.range.start.wrapping_add_signed(shift);
            if at < start {
                break;
            }
            if at < start + edit.replacement.len() {
                return edit.range.start + (at - start).min(edit.range.len());
            }
            shift += edit.replacement.len().cast_signed() - edit.range.len().cast_signed();
        }
        at.wrapping_add_signed(-shift)
    }
}

/// Places of a repaired header in the file it came from.
pub(crate) struct RepairedPart<'a> {
    pub(crate) repaired: &'a Repaired,
    pub(crate) file: &'a str,
    pub(crate) header: Range<usize>,
}

impl Origin for RepairedPart<'_> {
    fn place(&self, range: Range<usize>, _line: usize, _column: usize) -> Span {
        let start = self.header.start + self.repaired.original(range.start);
        let end = self.header.start + self.repaired.original(range.end);
        source::span_in(self.file, start..end.max(start))
    }
}

/// Tries to make sense of a header that is not YAML; `None` when there is nothing to repair.
pub(crate) fn repair(file: &str, header: Range<usize>) -> Option<Repaired> {
    let text = &file[header.clone()];
    let mut edits = Vec::new();
    let mut diagnostics = Vec::new();
    let mut report = |code: Code, range: Range<usize>, message: String, help: &str| {
        let span = source::span_in(file, header.start + range.start..header.start + range.end);
        diagnostics.push(Diagnostic::new(code, message).at(span).help(help));
    };
    let all: Vec<Line> = lines(text, 0).collect();
    let mut state = QuoteState::default();
    let mut tabs_told = false;
    let mut next = 0;
    while next < all.len() {
        let line = all[next];
        next += 1;
        let content = &text[line.start..line.end];

        if state.is_open() {
            // A line of a quoted value at the very start of the line is no YAML; one blank makes
            // it a folded line with the same meaning.
            if !content.is_empty() && !content.starts_with([' ', '\t']) {
                edits.push(Edit { range: line.start..line.start, replacement: " ".to_owned() });
                report(
                    Code::UnindentedText,
                    line.start..line.end,
                    "a quoted value goes on without indentation".to_owned(),
                    "indent the line, or write the value on one line",
                );
            }
            state.advance(content);
            continue;
        }

        let tabs = content.bytes().take_while(|b| matches!(b, b' ' | b'\t')).filter(|b| *b == b'\t').count();
        if tabs > 0 && !state.in_block(content) {
            let indent = content.len() - content.trim_start_matches([' ', '\t']).len();
            let blanks = content[..indent].replace('\t', "  ");
            edits.push(Edit { range: line.start..line.start + indent, replacement: blanks });
            if !tabs_told {
                tabs_told = true;
                report(
                    Code::TabIndentation,
                    line.start..line.start + indent,
                    "the header is indented with tabs".to_owned(),
                    "indent with blanks; YAML forbids tabs",
                );
            }
        }

        if state.in_block(content) {
            continue;
        }
        let Some(key) = key_of(content) else {
            state.advance(content);
            continue;
        };
        let value = Value::of(content, key, line);
        if let Some(fix) = value.fix(text, &all[next..]) {
            report(fix.code, value.range(), fix.message, fix.help);
            edits.push(Edit { range: value.start..fix.end, replacement: fix.replacement });
            next += fix.lines;
            if fix.keeps_block {
                state.advance(content);
            }
            continue;
        }
        state.advance(content);
    }
    if edits.is_empty() {
        return None;
    }
    let mut repaired = String::with_capacity(text.len() + 16 * edits.len());
    let mut at = 0;
    for edit in &edits {
        repaired.push_str(&text[at..edit.range.start]);
        repaired.push_str(&edit.replacement);
        at = edit.range.end;
    }
    repaired.push_str(&text[at..]);
    Some(Repaired { text: repaired, diagnostics, edits })
}

/// The following lines that are the rest of a plain value: those indented deeper than its key and,
/// for a top-level key, whatever stands before the next key.
fn continuation<'a>(text: &'a str, following: &'a [Line], indent: usize) -> Vec<&'a str> {
    let mut rest: Vec<&str> = following
        .iter()
        .map(|line| &text[line.start..line.end])
        .take_while(|content| {
            let own = content.len() - content.trim_start_matches([' ', '\t']).len();
            let blank = content.trim().is_empty();
            blank || own > indent || (indent == 0 && key_of(content).is_none_or(|key| key.indent > 0))
        })
        .collect();
    while rest.last().is_some_and(|line| line.trim().is_empty()) {
        rest.pop();
    }
    rest
}

/// The value of a `key: value` line.
struct Value<'a> {
    key: &'a str,
    indent: usize,
    text: &'a str,
    start: usize,
}

struct Fix {
    code: Code,
    message: String,
    help: &'static str,
    replacement: String,
    end: usize,
    /// Following lines that became part of the replacement.
    lines: usize,
    /// The replacement still opens a block value.
    keeps_block: bool,
}

const QUOTE: &str = "put the value in double quotes";

impl<'a> Value<'a> {
    fn of(content: &'a str, key: KeyLine<'a>, line: Line) -> Self {
        let raw = content[key.value.min(content.len())..].trim_end();
        // A comment after a plain value stays a comment.
        let text = match raw.as_bytes().first() {
            Some(b'"' | b'\'' | b'|' | b'>') => raw,
            _ => raw.find(" #").map_or(raw, |at| raw[..at].trim_end()),
        };
        Self { key: key.key, indent: key.indent, text, start: line.start + key.value.min(content.len()) }
    }

    fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    fn fix(&self, text: &str, following: &[Line]) -> Option<Fix> {
        let end = self.range().end;
        let key = self.key;
        let fix = |code, message: String, help, replacement| {
            Some(Fix { code, message, help, replacement, end, lines: 0, keeps_block: false })
        };
        let first = *self.text.as_bytes().first()?;
        match first {
            b'|' | b'>' => {
                let mark = self
                    .text
                    .bytes()
                    .take_while(|b| matches!(b, b'|' | b'>' | b'+' | b'-' | b'0'..=b'9'))
                    .count();
                let rest = self.text[mark..].trim_start();
                if rest.is_empty() || rest.starts_with('#') {
                    return None;
                }
                let indent = following
                    .first()
                    .map(|line| &text[line.start..line.end])
                    .map(|next| next.len() - next.trim_start_matches(' ').len())
                    .filter(|indent| *indent > self.indent)
                    .unwrap_or(self.indent + 2);
                Some(Fix {
                    code: Code::TextAfterBlockMark,
                    message: format!("the text of `{key}` starts on the line of its `{}`", char::from(first)),
                    help: "start the text on a new, indented line",
                    replacement: format!("{}\n{}{rest}", &self.text[..mark], " ".repeat(indent)),
                    end,
                    lines: 0,
                    keeps_block: true,
                })
            }
            b'"' | b'\'' => match closes(&self.text[1..], first) {
                Some(at) => {
                    let after = self.text[at + 2..].trim_start();
                    if after.is_empty() || after.starts_with('#') {
                        return None;
                    }
                    let message = format!("the value of `{key}` goes on after its closing quote");
                    fix(Code::UnquotedValue, message, "put the whole value in quotes", quoted(self.text))
                }
                None => None,
            },
            b'[' | b'{' if is_whole_flow(self.text) => None,
            _ => {
                let rest = continuation(text, following, self.indent);
                let forgotten = rest.iter().any(|line| !line.is_empty() && !line.starts_with([' ', '\t']));
                let reserved = matches!(first, b'@' | b'[' | b'{' | b'%' | b'`' | b'*' | b',' | b']' | b'}')
                    || self.text.starts_with("- ");
                let (code, message, help) = if reserved {
                    let message = format!("the value of `{key}` starts with `{}`", char::from(first));
                    (Code::UnquotedValue, message, QUOTE)
                } else if forgotten {
                    let help = "indent the following lines, or write the value on one line";
                    (Code::UnindentedText, format!("the value of `{key}` goes on without indentation"), help)
                } else if std::iter::once(self.text).chain(rest.iter().copied()).any(holds_colon) {
                    (
                        Code::UnquotedColon,
                        format!("the value of `{key}` holds a colon and is not quoted"),
                        QUOTE,
                    )
                } else {
                    return None;
                };
                let parts = std::iter::once(self.text).chain(rest.iter().map(|line| line.trim()));
                let joined: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
                let end = rest.len().checked_sub(1).map_or(end, |last| following[last].end);
                let replacement = quoted(&joined.join(" "));
                Some(Fix { code, message, help, replacement, end, lines: rest.len(), keeps_block: false })
            }
        }
    }
}

fn holds_colon(text: &str) -> bool {
    text.contains(": ") || text.trim_end().ends_with(':')
}

/// Whether brackets open and close within the value, so that it is meant as a list or mapping.
fn is_whole_flow(text: &str) -> bool {
    let mut depth = 0i32;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return text[at + 1..].trim().is_empty();
                }
            }
            b'"' => while bytes.next().is_some_and(|(_, b)| b != b'"') {},
            _ => {}
        }
    }
    // Not closed on this line: the list may go on below, which is fine YAML.
    depth > 0 && text.len() > 1 && text.ends_with([',', '[', '{'])
}

/// A YAML double-quoted value.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{85}') => {
                out.push_str(&format!("\\U{:08X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
