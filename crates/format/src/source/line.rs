//! Splits text into lines and recognises lines of the form `key: value`.

/// One line: its text is `start..end`, the next line starts at `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next: usize,
}

impl Line {
    pub(crate) fn text(self, file: &str) -> &str {
        &file[self.start..self.end]
    }
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

/// Bytes of indentation.
pub(crate) fn indent_of(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The parts of a `key: value` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyLine<'a> {
    /// Columns before the key, list dashes included.
    pub(crate) indent: usize,
    /// The key as written, without its quotes.
    pub(crate) key: &'a str,
    /// Where the value starts in the line; the line's end when there is none.
    pub(crate) value: usize,
}

/// Reads the key of a `key: value` line, with its indentation and the start of its value. The key
/// is one word, or any text in quotes.
pub(crate) fn key_of(line: &str) -> Option<KeyLine<'_>> {
    let start = item_start(line);
    let rest = &line[start..];
    let (key, length) = match rest.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let length = closes(&rest[1..], *quote)?;
            (&rest[1..=length], length + 2)
        }
        _ => {
            let word = |b: &u8| b.is_ascii_alphanumeric() || b"_-./".contains(b) || *b >= 0x80;
            let length = rest.as_bytes().iter().take_while(|b| word(b)).count();
            (&rest[..length], length)
        }
    };
    let after = rest[length..].trim_start_matches(' ').strip_prefix(':')?;
    if key.is_empty() || !(after.is_empty() || after.starts_with([' ', '\t'])) {
        return None;
    }
    let value = line.len() - after.trim_start_matches([' ', '\t']).len();
    Some(KeyLine { indent: start, key, value })
}

/// The offset at which the content of a line starts, after its indentation and list dashes.
pub(crate) fn item_start(line: &str) -> usize {
    let mut start = indent_of(line);
    while let Some(rest) = line[start..].strip_prefix("- ") {
        start = line.len() - rest.trim_start_matches(' ').len();
    }
    start
}

/// The offset of the mark that closes a quoted value.
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

/// Whether the text after a value on its line is empty or a comment.
pub(crate) fn is_tail(text: &str) -> bool {
    let rest = text.trim_start();
    rest.is_empty() || (rest.starts_with('#') && rest.len() < text.len())
}
