//! Splits a file into frontmatter and body, and converts byte offsets to lines and columns.
//!
//! The frontmatter opens with `---` on the first line and closes with the next line that consists
//! of `---` only. A `---` inside a quoted value is not a fence. Inside a block value a `---` is
//! indented, so it never looks like a fence.

mod line;
mod position;
mod quotes;
#[cfg(test)]
mod tests;

pub(crate) use line::{Line, closes, indent_of, is_tail, item_start, key_of, lines};
pub(crate) use position::Positions;
pub use position::span_in;
pub(crate) use quotes::QuoteState;

use crate::{
    diagnostic::{Code, Diagnostic, Severity},
    field,
};
use position::MARK;
use std::ops::Range;

/// The text of UTF-8 bytes, much faster than the standard library; an error is that of the standard library.
pub fn utf8(bytes: &[u8]) -> Result<&str, std::str::Utf8Error> {
    simdutf8::basic::from_utf8(bytes).or_else(|_| std::str::from_utf8(bytes))
}

/// A SKILL.md larger than this is refused without being read.
pub const FILE_LIMIT: u64 = 1 << 20;
/// Frontmatter larger than this is refused without being parsed.
pub const FRONTMATTER_LIMIT: usize = 64 << 10;

const FENCE: &str = "---";

/// The parts of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The YAML between the fences; `None` when the file has no frontmatter.
    pub frontmatter: Option<Range<usize>>,
    /// Everything after the frontmatter.
    pub body: Range<usize>,
    /// Problems with the fences.
    pub diagnostics: Vec<Diagnostic>,
    /// The frontmatter was opened and never closed, or is at a place where agents ignore it. Its
    /// content is then unknown, so no gate may open.
    pub gates_unknown: bool,
}

/// Finds the frontmatter and the body.
pub fn split(text: &str) -> Split {
    let mut diagnostics = Vec::new();
    let start = if text.starts_with(MARK) {
        let mark = span_in(text, 0..MARK.len_utf8());
        diagnostics.push(
            Diagnostic::new(Code::ByteOrderMark, "the file starts with a byte order mark").at(mark).help(
                "save the file as UTF-8 without a byte order mark; gemini-cli, Codex and pi do not see the frontmatter",
            ),
        );
        MARK.len_utf8()
    } else {
        0
    };
    let whole = |diagnostics, gates_unknown| Split {
        frontmatter: None,
        body: start..text.len(),
        diagnostics,
        gates_unknown,
    };

    let Some(first) = lines(text, start).next() else {
        diagnostics.push(Diagnostic::new(Code::NoFrontmatter, "the file is empty").help(NEW_FRONTMATTER));
        return whole(diagnostics, false);
    };
    if !is_fence(first.text(text)) {
        let found = no_frontmatter(text, start, first);
        let gates_unknown = found.severity == Severity::Error;
        diagnostics.push(found);
        return whole(diagnostics, gates_unknown);
    }
    report_fence_spaces(
        text,
        first,
        "remove the spaces; gemini-cli and Zed do not see this frontmatter",
        &mut diagnostics,
    );

    let Some(Closing { fence, quoted }) = closing_fence(text, first.next) else {
        diagnostics.push(unclosed(text, first));
        return whole(diagnostics, true);
    };
    report_fence_spaces(
        text,
        fence,
        "remove the spaces; gemini-cli loads the skill without its instructions, Zed does not see the frontmatter",
        &mut diagnostics,
    );
    if let Some(line) = quoted {
        diagnostics.push(
            Diagnostic::new(Code::FenceInQuotes, "a quoted value contains a line `---`")
                .at(span_in(text, line.start..line.end))
                .help(
                    "write the value on one line; most agents read this line as the end of the frontmatter",
                ),
        );
    }
    Split {
        frontmatter: Some(first.next..fence.start),
        body: fence.next..text.len(),
        diagnostics,
        gates_unknown: false,
    }
}

/// The fix of a skill without frontmatter.
pub const NEW_FRONTMATTER: &str = "start the file with `---`, `name:`, `description:` and `---`";

/// Why a file has no frontmatter. This is an error when the text looks like intended frontmatter,
/// because its gates are then unknown.
fn no_frontmatter(text: &str, start: usize, first: Line) -> Diagnostic {
    let mut written = lines(text, start).filter(|line| !line.text(text).trim().is_empty());
    let opening = written.next().unwrap_or(first);
    let span = span_in(text, opening.start..opening.end);
    if is_fence(opening.text(text)) {
        return Diagnostic::new(
            Code::FrontmatterNotFirst,
            "there are blank lines before the frontmatter, so agents ignore it",
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
            Code::NoFrontmatter,
            "the first line looks like `---` but is not, so agents ignore the frontmatter below it",
        )
        .at(span)
        .help("make the first line `---`: three hyphens and nothing else")
        .with_severity(Severity::Error);
    }
    if written.next().is_none() && is_link_text(opening.text(text).trim()) {
        return Diagnostic::new(
            Code::NoFrontmatter,
            "the file consists of a path: a link that was stored as text",
        )
        .at(span)
        .help("put a copy of the file that the path names here");
    }
    let message = "the file has no YAML frontmatter, so the skill has no description for a model";
    Diagnostic::new(Code::NoFrontmatter, message).at(span).help(NEW_FRONTMATTER)
}

/// Whether the text is what remains of a symbolic link in an archive or a checkout without links.
fn is_link_text(text: &str) -> bool {
    text.contains('/')
        && text.strip_suffix(".md").is_some()
        && !text.contains(char::is_whitespace)
        && !text.contains("://")
}

fn is_invisible(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, MARK | '\u{200b}'..='\u{200f}' | '\u{2060}')
}

fn unclosed(text: &str, first: Line) -> Diagnostic {
    let glued = lines(text, first.next).find(|line| line.text(text).trim_start().starts_with(FENCE));
    let help = match glued {
        Some(line) => {
            let at = span_in(text, line.start..line.end).line;
            format!("line {at} starts with `---` but continues; put `---` on a line of its own")
        }
        None => "end the frontmatter with a line `---`".to_owned(),
    };
    Diagnostic::new(Code::FrontmatterUnclosed, "the frontmatter starts here and is never closed")
        .at(span_in(text, first.start..first.end))
        .help(help)
}

/// The line at which frontmatter that cannot be read was probably meant to end: a `---` with text behind it, or a
/// heading of the body after an empty line.
pub(crate) fn missed_end(text: &str, frontmatter: Range<usize>) -> Option<Diagnostic> {
    let mut blank = false;
    for line in lines(&text[..frontmatter.end], frontmatter.start) {
        let content = line.text(text);
        let help = if content.starts_with(FENCE) && !is_fence(content) {
            "put `---` on a line of its own"
        } else if blank && content.starts_with('#') {
            "put a line `---` above it"
        } else {
            blank = content.trim().is_empty();
            continue;
        };
        return Some(
            Diagnostic::new(Code::FrontmatterUnclosed, "the frontmatter is not closed before this line")
                .at(span_in(text, line.start..line.end))
                .help(help),
        );
    }
    None
}

pub(crate) fn is_fence(line: &str) -> bool {
    line.strip_prefix(FENCE).is_some_and(|rest| rest.trim().is_empty())
}

fn report_fence_spaces(text: &str, line: Line, help: &'static str, diagnostics: &mut Vec<Diagnostic>) {
    if line.end - line.start > FENCE.len() {
        diagnostics.push(
            Diagnostic::new(Code::FenceBlanks, "spaces follow the fence")
                .at(span_in(text, line.start..line.end))
                .help(help),
        );
    }
}

/// The fence that closes the frontmatter whose first line starts at `from`.
pub(crate) fn frontmatter_end(text: &str, from: usize) -> Option<Line> {
    closing_fence(text, from).map(|closing| closing.fence)
}

struct Closing {
    fence: Line,
    /// The first `---` line that turned out to be part of a quoted value.
    quoted: Option<Line>,
}

/// Finds the closing fence. A candidate inside an open quote is skipped only when the quote is
/// closed later and the following lines still look like frontmatter; otherwise a missing quote mark
/// would turn the body into frontmatter.
fn closing_fence(text: &str, from: usize) -> Option<Closing> {
    let mut quotes = QuoteState::default();
    let mut in_quotes: Option<Line> = None;
    for line in lines(text, from) {
        let content = line.text(text);
        let too_long = line.start - from > FRONTMATTER_LIMIT;
        if too_long && in_quotes.is_some() {
            break;
        }
        if is_fence(content) {
            // Frontmatter above the limit is refused, so only its end matters here.
            if quotes.is_open() && !too_long {
                in_quotes.get_or_insert(line);
                continue;
            }
            return Some(Closing { fence: line, quoted: in_quotes });
        }
        if too_long {
            continue;
        }
        if in_quotes.is_some() && !continues_frontmatter(content, quotes) {
            break;
        }
        quotes.advance(content);
    }
    in_quotes.map(|fence| Closing { fence, quoted: None })
}

/// Whether a line after a `---` in quotes still belongs to the frontmatter.
fn continues_frontmatter(line: &str, quotes: QuoteState) -> bool {
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
