//! Text and fences: where a file's header is, where its body is, and where a byte stands.
//!
//! The header opens with `---` on the first line and closes with the next line that is `---` and
//! nothing else. A `---` inside a quoted value is not a fence; inside a block value it is
//! indented and so never looks like one.

mod line;
mod place;
mod quotes;
#[cfg(test)]
mod tests;

pub(crate) use line::{Line, closes, indent_of, is_tail, item_start, key_of, lines};
pub(crate) use place::Places;
pub use place::span_in;
pub(crate) use quotes::QuoteState;

use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    field,
};
use place::MARK;
use std::ops::Range;

/// A SKILL.md larger than this is refused without being read.
pub const FILE_LIMIT: u64 = 1 << 20;
/// A header larger than this is refused without being parsed.
pub const HEADER_LIMIT: usize = 64 << 10;

const FENCE: &str = "---";

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
    let whole = |diagnostics, gates_unknown| Split {
        header: None,
        body: start..text.len(),
        diagnostics,
        gates_unknown,
    };

    let Some(first) = lines(text, start).next() else {
        diagnostics.push(Diagnostic::new(Code::NoHeader, "the file is empty").help(NEW_HEADER));
        return whole(diagnostics, false);
    };
    if !is_fence(first.text(text)) {
        let found = no_header(text, start, first);
        let gates_unknown = found.severity == Severity::Error;
        diagnostics.push(found);
        return whole(diagnostics, gates_unknown);
    }
    note_blanks(text, first, &mut diagnostics);

    let Some(Closing { fence, quoted }) = closing_fence(text, first.next) else {
        diagnostics.push(unclosed(text, first));
        return whole(diagnostics, true);
    };
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

const NEW_HEADER: &str = "start the file with `---`, `name:`, `description:` and `---`";

/// Why a file has no header: as an error when something stands there that was meant as one, since
/// its gates are then not known.
fn no_header(text: &str, start: usize, first: Line) -> Diagnostic {
    let mut written = lines(text, start).filter(|line| !line.text(text).trim().is_empty());
    let opening = written.next().unwrap_or(first);
    let span = span_in(text, opening.start..opening.end);
    if is_fence(opening.text(text)) {
        return Diagnostic::new(
            Code::HeaderNotFirst,
            "blank lines stand before the header, so it does not count",
        )
        .at(span)
        .help("make `---` the first line of the file")
        .with_severity(Severity::Error);
    }
    let visible = opening.text(text).trim_start_matches(is_invisible);
    let resembles = visible.starts_with(FENCE) || visible.starts_with(['\u{2013}', '\u{2014}', '\u{2015}']);
    let known = |line: Line| key_of(line.text(text)).is_some_and(|key| field::field(key.key).is_some());
    if resembles && written.next().is_some_and(known) {
        return Diagnostic::new(
            Code::NoHeader,
            "the first line resembles `---` and is not, so the header below it does not count",
        )
        .at(span)
        .help("make the first line `---`: three hyphens and nothing else")
        .with_severity(Severity::Error);
    }
    Diagnostic::new(Code::NoHeader, "there is no YAML header").at(span).help(NEW_HEADER)
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, MARK | '\u{200b}'..='\u{200f}' | '\u{2060}')
}

fn unclosed(text: &str, first: Line) -> Diagnostic {
    let glued = lines(text, first.next).find(|line| line.text(text).trim_start().starts_with(FENCE));
    let help = match glued {
        Some(line) => {
            let at = span_in(text, line.start..line.end).line;
            format!("line {at} starts with `---` and goes on; put `---` on a line of its own")
        }
        None => "end the header with a line `---`".to_owned(),
    };
    Diagnostic::new(Code::HeaderUnclosed, "the header is opened here and never closed")
        .at(span_in(text, first.start..first.end))
        .help(help)
}

pub(crate) fn is_fence(line: &str) -> bool {
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

/// The fence that ends a header whose first line starts at `from`.
pub(crate) fn header_end(text: &str, from: usize) -> Option<Line> {
    closing_fence(text, from).map(|closing| closing.fence)
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
        let content = line.text(text);
        let too_long = line.start - from > HEADER_LIMIT;
        if too_long && in_quotes.is_some() {
            break;
        }
        if is_fence(content) {
            // Beyond the limit the header is refused, so only its end matters.
            if quotes.is_open() && !too_long {
                in_quotes.get_or_insert(line);
                continue;
            }
            return Some(Closing { fence: line, quoted: in_quotes });
        }
        if too_long {
            continue;
        }
        if in_quotes.is_some() && !goes_on(content, quotes) {
            break;
        }
        quotes.advance(content);
    }
    in_quotes.map(|fence| Closing { fence, quoted: None })
}

/// Whether a line after a `---` in quotes still belongs to the header.
fn goes_on(line: &str, quotes: QuoteState) -> bool {
    if let Some(quote) = quotes.quote() {
        let tail = closes(line, quote).map(|at| &line[at + 1..]);
        return tail.is_none_or(|tail| quotes.in_flow() || is_tail(tail));
    }
    let trimmed = line.trim_start();
    trimmed.is_empty()
        || trimmed.len() < line.len()
        || trimmed.starts_with('#')
        || trimmed.starts_with("- ")
        || key_of(line).is_some()
}
