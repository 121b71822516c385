//! Repairs one value on its line: finds the fault and the intended text.

use crate::{
    diagnostic::Code,
    field,
    source::{Line, QuoteState, closes, indent_of, is_tail, item_start, key_of},
    yaml::{push_escaped, quoted},
};
use std::ops::Range;

/// A list or mapping in brackets that is longer than this many lines is treated as never closed.
const FLOW_LINES: usize = 200;

/// The value of a `key: value` or `- value` line.
pub(super) struct Value<'a> {
    key: Option<&'a str>,
    indent: usize,
    /// The rest of the line, including a comment.
    raw: &'a str,
    start: usize,
}

/// The intended meaning is not clear, so the frontmatter stays broken.
pub(super) struct Unclear;

/// A replacement for the value.
pub(super) struct Fix {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: &'static str,
    pub(super) replacement: String,
    pub(super) end: usize,
    /// Number of following lines that became part of the replacement.
    pub(super) lines: usize,
    /// Whether the replacement still opens a block value.
    pub(super) keeps_block: bool,
}

const QUOTE: &str = "put the value in double quotes";
const INDENT: &str = "indent the following lines, or write the value on one line";

impl<'a> Value<'a> {
    pub(super) fn of(content: &'a str, line: Line) -> Option<Self> {
        let (key, indent, at) = match key_of(content) {
            Some(key) => (Some(key.key), key.indent, key.value),
            None => {
                let at = item_start(content);
                let indent = indent_of(content);
                if at == indent {
                    return None;
                }
                (None, indent, at)
            }
        };
        Some(Self { key, indent, raw: content[at..].trim_end(), start: line.start + at })
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    fn name(&self) -> String {
        self.key.map_or_else(|| "an item of the list".to_owned(), |key| format!("the value of `{key}`"))
    }

    fn on_its_line(&self, code: Code, message: String, help: &'static str, replacement: String) -> Fix {
        Fix { code, message, help, replacement, end: self.range().end, lines: 0, keeps_block: false }
    }

    /// Returns `Ok(None)` when the value has no fault.
    pub(super) fn fix(&self, text: &str, content: &str, following: &[Line]) -> Result<Option<Fix>, Unclear> {
        let rest = self.continuation(text, following);
        // A gate that became the end of a sentence would no longer be a gate, and of two versions
        // of the frontmatter the intended one is unknown.
        let unclear = |line: &&str| {
            key_of(line).is_some_and(|key| field::field(key.key).is_some_and(|field| field.gate))
                || ["<<<<<<<", "=======", ">>>>>>>"].iter().any(|mark| line.starts_with(mark))
        };
        let fix = match self.raw.as_bytes().first() {
            None => self.after_empty(text, following, &rest),
            Some(mark @ (b'|' | b'>')) if self.block_mark().is_some() => {
                return Ok(self.after_block_mark(*mark, text, following));
            }
            Some(quote @ (b'"' | b'\'')) => self.after_quote(*quote, text, following, &rest),
            Some(b'[' | b'{') if is_whole_flow(self.raw, content, text, following) => None,
            Some(first) => self.plain(*first, text, following, &rest),
        };
        match fix {
            Some(fix) if fix.lines > 0 && rest.iter().any(unclear) => Err(Unclear),
            fix => Ok(fix),
        }
    }

    /// The following lines that belong to a plain value: those indented deeper than its key and,
    /// for a top-level key, all lines before the next key. A comment ends the value.
    fn continuation<'t>(&self, text: &'t str, following: &[Line]) -> Vec<&'t str> {
        let top = self.key.is_some() && self.indent == 0;
        let mut rest: Vec<&str> = following
            .iter()
            .map(|line| line.text(text))
            .take_while(|content| {
                let trimmed = content.trim_start();
                trimmed.is_empty()
                    || !trimmed.starts_with('#')
                        && (indent_of(content) > self.indent
                            || (top && key_of(content).is_none_or(|key| key.indent > 0)))
            })
            .collect();
        while rest.last().is_some_and(|line| line.trim().is_empty()) {
            rest.pop();
        }
        rest
    }

    /// The value and its further lines as one text, and the offset at which it ends.
    fn joined(&self, text: &str, following: &[Line], rest: &[&str]) -> (String, usize) {
        // A `#` with more text on the next line does not start a comment; at the end of a value it
        // may.
        let Some((last, between)) = rest.split_last() else {
            let own = before_comment(self.raw);
            return (own.to_owned(), self.start + own.len());
        };
        let last = before_comment(last.trim_end());
        let lines = between.iter().copied().chain([last]).map(str::trim);
        let parts = std::iter::once(self.raw).chain(lines).filter(|part| !part.is_empty());
        (parts.collect::<Vec<_>>().join(" "), text_start(text, following, rest) + last.len())
    }

    /// Text that starts on the line after its key without being indented.
    fn after_empty(&self, text: &str, following: &[Line], rest: &[&str]) -> Option<Fix> {
        let first = rest.iter().find(|line| !line.trim().is_empty())?;
        let bullet =
            |line: &&str| line.trim_start().starts_with(['-', '*', '+', '|', '>', '"', '\'', '[', '{']);
        if first.starts_with([' ', '\t'])
            || rest.iter().any(bullet)
            || rest.iter().any(|l| key_of(l).is_some())
        {
            return None;
        }
        let (joined, end) = self.joined(text, following, rest);
        Some(Fix {
            end,
            lines: rest.len(),
            ..self.on_its_line(
                Code::UnindentedText,
                format!("{} starts on the next line without indentation", self.name()),
                INDENT,
                format!(" {}", quoted(&joined)),
            )
        })
    }

    /// The length of a block mark that is followed by text on the same line: `| text`, `>- text`.
    fn block_mark(&self) -> Option<usize> {
        let mark = self.raw.bytes().take_while(|b| matches!(b, b'|' | b'>' | b'+' | b'-')).count();
        let rest = &self.raw[mark..];
        (mark <= 2 && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(mark)
    }

    fn after_block_mark(&self, mark: u8, text: &str, following: &[Line]) -> Option<Fix> {
        let length = self.block_mark()?;
        let rest = self.raw[length..].trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let indent = following
            .iter()
            .map(|line| line.text(text))
            .find(|line| !line.trim().is_empty())
            .map(|line| line.len() - line.trim_start_matches(' ').len())
            .filter(|indent| *indent > self.indent)
            .unwrap_or(self.indent + 2);
        let fix = self.on_its_line(
            Code::TextAfterBlockMark,
            format!("{} starts on the line of its `{}`", self.name(), char::from(mark)),
            "start the text on a new, indented line",
            format!("{}\n{}{rest}", &self.raw[..length], " ".repeat(indent)),
        );
        Some(Fix { keeps_block: true, ..fix })
    }

    /// Repairs a quoted value that continues after its closing mark, on the same line or below.
    fn after_quote(&self, quote: u8, text: &str, following: &[Line], rest: &[&str]) -> Option<Fix> {
        let at = closes(&self.raw[1..], quote)? + 1;
        let after = &self.raw[at + 1..];
        let mut joined = None;
        if is_tail(after) {
            // Only a line that cannot mean anything else continues the text.
            let below = rest.iter().all(|line| {
                line.trim().is_empty() || (indent_of(line) > self.indent && key_of(line).is_none())
            });
            if rest.is_empty() || !below || !after.trim().is_empty() {
                return None;
            }
            let words = rest.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
            let words = words.collect::<Vec<_>>().join(" ");
            let mut whole = self.raw[..at].to_owned();
            whole.push(' ');
            if quote == b'"' {
                push_escaped(&mut whole, &words);
            } else {
                whole.push_str(&words.replace('\'', "''"));
            }
            whole.push(char::from(quote));
            joined = Some((whole, text_start(text, following, rest) + rest.last()?.trim_end().len()));
        }
        let (replacement, end) = joined.unwrap_or_else(|| {
            let (whole, end) = self.joined(text, following, rest);
            (requoted(&whole, quote, after), end)
        });
        Some(Fix {
            end,
            lines: rest.len(),
            ..self.on_its_line(
                Code::UnquotedValue,
                format!("{} continues after its closing quote", self.name()),
                "put the whole value in quotes and escape the quotes inside",
                replacement,
            )
        })
    }

    fn plain(&self, first: u8, text: &str, following: &[Line], rest: &[&str]) -> Option<Fix> {
        let (joined, end) = self.joined(text, following, rest);
        let forgotten = rest.iter().any(|line| !line.is_empty() && !line.starts_with([' ', '\t']));
        let reserved = b"@[{%`*,]}|>".contains(&first) || self.raw.starts_with("- ");
        let (code, message, help) = if reserved {
            let message = format!("{} starts with `{}`", self.name(), char::from(first));
            (Code::UnquotedValue, message, QUOTE)
        } else if forgotten {
            (Code::UnindentedText, format!("{} continues without indentation", self.name()), INDENT)
        } else if self.key.is_some()
            && (holds_colon(before_comment(self.raw)) || rest.iter().any(|line| holds_colon(line)))
        {
            (Code::UnquotedColon, format!("{} contains a colon and is not quoted", self.name()), QUOTE)
        } else {
            return None;
        };
        Some(Fix { end, lines: rest.len(), ..self.on_its_line(code, message, help, quoted(&joined)) })
    }
}

/// The offset at which the last line of `rest` starts.
fn text_start(text: &str, following: &[Line], rest: &[&str]) -> usize {
    rest.len().checked_sub(1).and_then(|last| following.get(last)).map_or(text.len(), |line| line.start)
}

/// A plain value without the comment after it.
fn before_comment(raw: &str) -> &str {
    match raw.find(" #") {
        Some(at) if !raw.trim_start().starts_with('#') => raw[..at].trim_end(),
        _ => raw,
    }
}

fn holds_colon(text: &str) -> bool {
    text.contains(": ") || text.trim_end().ends_with(':')
}

/// Whether the brackets open and close, so that the value is meant as a list or mapping.
fn is_whole_flow(raw: &str, content: &str, text: &str, following: &[Line]) -> bool {
    let mut state = QuoteState::default();
    state.advance(content);
    if let Some(end) = QuoteState::flow_end(raw) {
        return is_tail(&raw[end..]);
    }
    for line in following.iter().take(FLOW_LINES) {
        let line = line.text(text);
        if !state.is_open() && indent_of(line) == 0 && key_of(line).is_some() {
            return false;
        }
        state.advance(line);
        if !state.is_open() && !state.in_flow() {
            return true;
        }
    }
    false
}

/// Quotes a value that starts with a quote and continues after the next one: in `"a "b" c"` the
/// author forgot to escape, in `"a" and "b"` to quote.
fn requoted(whole: &str, quote: u8, after: &str) -> String {
    let mark = char::from(quote);
    let wraps = after.starts_with(char::is_alphanumeric) && whole.len() > 2 && whole.ends_with(mark);
    if !wraps {
        return quoted(whole);
    }
    let inner = &whole[1..whole.len() - 1];
    if quote == b'\'' {
        return quoted(&inner.replace("''", "'"));
    }
    let mut out = String::from('"');
    let mut escaped = false;
    for c in inner.chars() {
        if c == '"' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out.push('"');
    out
}
