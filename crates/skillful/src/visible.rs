//! Text that others wrote, made safe to show: what cannot be seen is named.
//!
//! A raw escape character drives the terminal, and a bidirectional control makes a line read as
//! something it is not. Both are written `<U+001B>`, a form with neither backslashes nor braces, so
//! that it looks the same in a terminal and in a SARIF message. Every face that shows text of a skill uses this.

pub use skillful_format::hidden::is_hidden;
use skillful_format::path_text;
use std::{borrow::Cow, path::Path};

/// The name of a hidden character.
pub fn name(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// A text with every hidden character named.
pub fn exact(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for c in text.chars() {
        put(&mut shown, before, c);
        before = c;
    }
    Cow::Owned(shown)
}

/// Puts a character behind a text, named when it is hidden; `before` is what was written before it.
pub fn put(shown: &mut String, before: char, c: char) {
    if is_hidden(c) && !joins_emoji(before, c) {
        shown.push_str(&name(c));
    } else {
        shown.push(c);
    }
}

/// The joiner and the selector that make one picture of several characters, where they stand behind
/// a picture. Anywhere else, or twice in a row, they are a hiding place.
fn joins_emoji(before: char, c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{200d}')
        && (matches!(before, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '#' | '*' | '0'..='9')
            || (before == '\u{fe0f}' && c == '\u{200d}'))
}

/// A part of a text: what can be seen, or hidden characters in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Text that is shown as it is.
    Text(&'t str),
    /// Characters that cannot be seen; equal kinds in a row are one piece.
    Hidden(Vec<char>),
}

/// A text in pieces, so that a face can draw hidden characters in its own way.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut start, mut before) = (0, ' ');
    for (at, c) in text.char_indices() {
        let is_shown = matches!(c, '\n' | '\t') || !is_hidden(c) || joins_emoji(before, c);
        before = c;
        if is_shown {
            continue;
        }
        if start < at {
            pieces.push(Piece::Text(&text[start..at]));
        }
        start = at + c.len_utf8();
        match pieces.last_mut() {
            Some(Piece::Hidden(row)) if row.first().is_some_and(|first| kind(*first) == kind(c)) => {
                row.push(c);
            }
            _ => pieces.push(Piece::Hidden(vec![c])),
        }
    }
    if start < text.len() {
        pieces.push(Piece::Text(&text[start..]));
    }
    pieces
}

/// Hidden characters in a row: a short label, and what they are.
pub fn named_run(row: &[char]) -> (String, String) {
    let Some((first, last)) = row.first().zip(row.last()) else { return Default::default() };
    let what = kind(*first);
    if row.len() == 1 {
        return (format!("U+{:04X}", u32::from(*first)), what.to_owned());
    }
    let label = format!("{} × U+{:04X}", row.len(), u32::from(*first));
    let mut about = format!(
        "{} characters: {what}, U+{:04X} to U+{:04X}",
        row.len(),
        u32::from(*first),
        u32::from(*last)
    );
    // Tag characters copy ASCII: what they spell is what a model reads.
    if row.iter().all(|c| matches!(c, '\u{e0020}'..='\u{e007e}')) {
        let spelled = row.iter().filter_map(|c| char::from_u32(u32::from(*c) - 0xe0000)).collect::<String>();
        about.push_str(&format!("; they spell “{}”", spelled.trim()));
    }
    (label, about)
}

/// What a hidden character is.
fn kind(c: char) -> &'static str {
    match c {
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{2060}' => "word joiner",
        '\u{feff}' => "byte order mark",
        '\u{ad}' => "soft hyphen",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            "changes the direction of text"
        }
        '\u{e0000}'..='\u{e007f}' => "tag character",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{1b}' => "escape character",
        '\r' => "carriage return",
        c if c.is_control() => "control character",
        _ => "invisible character",
    }
}

/// A path on one line: everything that cannot be seen is named, line ends and tabs as well, so that two paths that differ
/// look different. Every path that is printed goes through here or through [`sentence`].
pub fn path(path: &Path) -> String {
    let text = path_text(path);
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.into_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            shown.push_str(&name(c));
        } else {
            put(&mut shown, before, c);
        }
        before = c;
    }
    shown
}

/// A sentence on one line: line ends and tabs become one blank, other hidden characters are named.
pub fn sentence(text: &str) -> String {
    // Nearly every text is one line of plain ASCII; a list of ten thousand skills feels the rest.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.trim().to_owned();
    }
    let words: Vec<&str> =
        text.split(['\n', '\r', '\t']).map(str::trim).filter(|part| !part.is_empty()).collect();
    exact(&words.join(" ")).into_owned()
}

/// A path as a user would write it: relative when below `cwd`, with `~` when below `home`.
pub fn short_path(path: &Path, cwd: &Path, home: &Path) -> String {
    if let Ok(rest) = path.strip_prefix(cwd) {
        return if rest.as_os_str().is_empty() { ".".to_owned() } else { self::path(rest) };
    }
    match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", self::path(rest)),
        Err(_) => self::path(path),
    }
}

#[cfg(test)]
mod tests;
