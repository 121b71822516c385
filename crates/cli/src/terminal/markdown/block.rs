//! The kind of a line. It depends on that line alone, so that printing does not wait for the next one.

use crate::report::visible;

/// Columns that an item of a list may stand in.
const DEEPEST: usize = 24;
/// Digits of a numbered item.
const DIGITS: usize = 9;

/// What a line begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Nothing.
    Blank,
    /// Words, with the blanks before them.
    Text(String),
    /// What would make a heading of the line before it.
    Underline(String),
    /// A heading.
    Heading(String),
    /// A thematic break.
    Rule,
    /// Code between fences.
    Fence(Fence),
    /// An item of a list.
    Item {
        /// Blanks before it.
        indent: usize,
        /// What it is marked with.
        lead: String,
        /// Its words.
        rest: String,
    },
    /// A quotation.
    Quote(String),
    /// Code by indentation.
    Code(String),
}

/// The fence of some code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    /// Blanks before it.
    pub(super) indent: usize,
    /// What stands behind it.
    pub(super) info: String,
}

impl Fence {
    fn read(line: &str, indent: usize) -> Option<Self> {
        let text = line.trim();
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == mark).count();
        let info = text[length..].trim();
        let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
        is_fence.then(|| Self { mark, length, indent: indent.min(DEEPEST), info: info.to_owned() })
    }

    /// Whether a line ends the code.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        text.chars().all(|c| c == self.mark) && text.chars().count() >= self.length
    }

    /// A line of the code, harmless.
    pub(super) fn inside(&self, line: &str) -> String {
        let blanks = line.bytes().take(self.indent).take_while(|byte| *byte == b' ').count();
        visible::exact(&line[blanks..]).into_owned()
    }
}

/// What a line begins; `item` is where the text of an open list stands.
pub(super) fn start(line: &str, item: Option<usize>) -> Start {
    let text = line.trim();
    let indent = line.bytes().take_while(|byte| *byte == b' ').count();
    if text.is_empty() {
        return Start::Blank;
    }
    if indent >= 4 && item.is_none() {
        return Start::Code(line[4..].to_owned());
    }
    if let Some(fence) = Fence::read(line, indent) {
        return Start::Fence(fence);
    }
    if is_rule(text) {
        return Start::Rule;
    }
    if text.chars().all(|c| c == '=') || text == "--" {
        return Start::Underline(line.to_owned());
    }
    if let Some(heading) = heading(text) {
        return Start::Heading(heading);
    }
    if let Some(rest) = text.strip_prefix('>') {
        return Start::Quote(rest.strip_prefix(' ').unwrap_or(rest).to_owned());
    }
    if let Some((lead, rest)) = marker(text) {
        let indent = indent.min(DEEPEST);
        return Start::Item { indent, lead, rest: rest.trim_start().to_owned() };
    }
    Start::Text(line.to_owned())
}

/// Whether a line could still become a thematic break.
pub(super) fn may_be_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '-' | '*' | '_' | ' '))
}

fn is_rule(text: &str) -> bool {
    let Some(mark) = text.chars().next().filter(|mark| matches!(mark, '-' | '*' | '_')) else { return false };
    text.chars().all(|c| c == mark || c == ' ') && text.chars().filter(|c| *c == mark).count() >= 3
}

fn heading(text: &str) -> Option<String> {
    let level = text.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &text[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with(' ')) {
        return None;
    }
    let rest = rest.trim();
    let bare = rest.trim_end_matches('#');
    let closed = bare.is_empty() || bare.ends_with(' ');
    Some(if closed { bare.trim_end() } else { rest }.to_owned())
}

fn marker(text: &str) -> Option<(String, &str)> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    if let Some(rest) = text.strip_prefix(['-', '*', '+']).filter(|rest| ends(rest)) {
        return Some(("•".to_owned(), rest));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text[digits..].strip_prefix(['.', ')']).filter(|rest| ends(rest))?;
    (1..=DIGITS).contains(&digits).then(|| (text[..=digits].to_owned(), rest))
}
