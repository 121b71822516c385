//! Columns of a terminal: measuring, cutting and wrapping text.

pub use skillful::numbers::thousands;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Columns of a text on a terminal.
pub fn columns(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.width() }
}

/// A text cut to a number of columns, with an ellipsis.
pub fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit || columns(text) <= limit {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let width = c.width().unwrap_or(0);
        if used + width > limit.saturating_sub(1) {
            break;
        }
        used += width;
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// A text that takes exactly this many columns: cut, or followed by blanks.
pub(crate) fn fixed(text: &str, width: usize) -> String {
    let mut text = cut(text, width);
    let missing = width.saturating_sub(columns(&text));
    text.extend(std::iter::repeat_n(' ', missing));
    text
}

/// A text in lines of at most `width` columns. A word that is longer than a line is broken, never cut.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for word in text.split_inclusive(' ') {
        let wide = columns(word.trim_end());
        if used > 0 && used + wide > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if wide <= width {
            line.push_str(word);
            used += columns(word);
            continue;
        }
        for c in word.chars() {
            let one = c.width().unwrap_or(0);
            if used + one > width {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push(c);
            used += one;
        }
    }
    lines.push(line);
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

/// A number with its noun: `1 skill`, `2 skills`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", thousands(number)) }
}

/// A number of bytes with its unit.
pub fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{}.{} KB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_and_wrapped_by_columns_and_not_by_bytes() {
        assert_eq!(cut("日本語の説明", 7), "日本語…");
        assert_eq!(fixed("日本", 6), "日本  ");
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
        assert_eq!(wrap("  indented line", 10), ["  indented", "line"]);
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
