//! Differences between agents inside quotes.

use std::borrow::Cow;

/// Placeholders for a space and a tab that must not be folded; private-use characters that real
/// files do not contain.
const MARKS: [(char, char); 2] = [(' ', '\u{f8fe}'), ('\t', '\u{f8ff}')];

/// Whether a position in a text is inside or outside of quotes.
#[derive(Clone, Copy)]
struct QuoteState {
    open: Option<char>,
    /// Whether a value may start here; only then a quote opens one.
    fresh: bool,
    /// Whether the next character is escaped, or the second half of a doubled quote.
    skip: bool,
}

impl QuoteState {
    const START: Self = Self { open: None, fresh: true, skip: false };

    fn after(self, c: char, next: Option<char>) -> Self {
        if self.skip {
            return Self { skip: false, ..self };
        }
        match (self.open, c) {
            (Some('"'), '\\') => Self { skip: true, ..self },
            (Some('\''), '\'') if next == Some('\'') => Self { skip: true, ..self },
            (Some(quote), c) if c == quote => Self { open: None, fresh: false, skip: false },
            (Some(_), _) => self,
            (None, '"' | '\'') if self.fresh => Self { open: Some(c), ..self },
            (None, ':' | '-' | ',' | '[' | '{' | '\n') => Self { fresh: true, ..self },
            (None, c) => Self { fresh: self.fresh && c.is_whitespace(), ..self },
        }
    }
}

/// Whether a text ends inside a quoted value.
pub(super) fn ends_in_quotes(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    let mut state = QuoteState::START;
    while let Some(c) = chars.next() {
        state = state.after(c, chars.peek().copied());
    }
    state.open.is_some()
}

/// Marks the spaces before line ends inside quotes, so that the folding of lines keeps them.
pub(super) fn mark_spaces(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_marked = |line: &str| line.strip_suffix('\r').unwrap_or(line).ends_with([' ', '\t']);
    if !text.match_indices('\n').any(|(end, _)| is_marked(&text[..end])) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut state = QuoteState::START;
    while let Some(c) = chars.next() {
        if c == '\n' && state.open.is_some() {
            let end = if out.ends_with('\r') { "\r" } else { "" };
            let line = out.len() - end.len();
            let text = out[..line].trim_end_matches([' ', '\t']).len();
            // A line that consists of spaces is a line end without text.
            if !out[..text].ends_with('\n') {
                let marked = MARKS.iter().fold(out[text..line].to_owned(), |text, (c, mark)| {
                    text.replace(*c, mark.encode_utf8(&mut [0; 4]))
                });
                out.truncate(text);
                out.push_str(&marked);
                out.push_str(end);
            }
        }
        state = state.after(c, chars.peek().copied());
        out.push(c);
    }
    Cow::Owned(out)
}

/// A value with the marked spaces restored.
pub(super) fn unmarked(text: &str) -> String {
    MARKS.iter().fold(text.to_owned(), |text, (c, mark)| text.replace(*mark, c.encode_utf8(&mut [0; 4])))
}

/// Whether a value in double quotes contains an escape for half a character.
pub(super) fn has_surrogate(written: &str) -> bool {
    let Some(mut rest) = written.strip_prefix('"') else { return false };
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at + 1..];
        if let [b'u', b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..] = escape.as_bytes() {
            return true;
        }
        rest = escape.get(escape.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
    }
    false
}
