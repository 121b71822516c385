//! Words of a server inside words of ours.

use super::limits::QUOTE_CHARS;

/// One line without control characters, cut where it grows long. What is cut is the middle: servers write
/// what they are first, and what went wrong last.
pub(crate) fn quote(text: &str) -> String {
    let line: Vec<char> = text
        .split_whitespace()
        .flat_map(|word| word.chars().filter(|c| !is_hidden(*c)).chain([' ']))
        .collect();
    let line = line.strip_suffix(&[' ']).unwrap_or(&line);
    if line.len() <= QUOTE_CHARS {
        return line.iter().collect();
    }
    let half = QUOTE_CHARS / 2;
    let (start, end) = (&line[..half], &line[line.len() - half..]);
    start.iter().chain(&[' ', '…', ' ']).chain(end).collect()
}

/// Characters that steer a terminal or hide what stands beside them.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The start of a text, at most so many bytes of it, ending at a character. And whether that is less.
pub(crate) fn cut(text: &str, bytes: usize) -> (&str, bool) {
    if text.len() <= bytes {
        return (text, false);
    }
    (&text[..text.floor_char_boundary(bytes)], true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_one_line_without_tricks() {
        assert_eq!(quote("  a\n\tb\u{1b}[2J \u{202e}c  "), "a b[2J c");
        let long = quote(&format!("start {} end", "x".repeat(5_000)));
        assert!(long.starts_with("start x") && long.ends_with("x end"), "{long}");
        assert_eq!(long.chars().count(), QUOTE_CHARS + 3);
        assert_eq!(cut("aé", 2), ("a", true));
        assert_eq!(cut("aé", 3), ("aé", false));
    }
}
