//! The preview of a tool call.

use crate::{
    output::{BAD, DIM, GOOD, Output, cut},
    report::visible,
};
use skillful_assistant::tool::Preview;

/// Lines that are shown at first.
pub(crate) const SHOWN: usize = 20;

/// The lines of a preview, escaped and cut to the width; at most `most` of them, and how many are left.
pub(crate) fn lines(preview: &Preview, output: Output, most: usize) -> (String, usize) {
    let (text, is_diff) = match preview {
        Preview::Diff(text) => (text, true),
        Preview::Text(text) => (text, false),
    };
    let all: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    for line in all.iter().take(most) {
        let style = match line.as_bytes().first() {
            Some(b'+') if is_diff && !line.starts_with("+++") => Some(GOOD),
            Some(b'-') if is_diff && !line.starts_with("---") => Some(BAD),
            Some(b'@' | b'+' | b'-') if is_diff => Some(DIM),
            _ => None,
        };
        let line = cut(&visible::exact(&line.replace('\t', "    ")), output.width.saturating_sub(4));
        let line = style.map_or_else(|| line.clone(), |style| output.paint(style, &line));
        out.push_str(&format!("  {} {line}\n", output.paint(DIM, "│")));
    }
    (out, all.len().saturating_sub(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_change_is_capped_and_what_is_left_is_counted() {
        let output = Output { json: false, color: false, width: 40, table: true };
        let diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\u{1b}[2J\n+new\n".to_owned();
        let (shown, left) = lines(&Preview::Diff(diff.clone()), output, 4);
        assert_eq!((shown.lines().last(), left), (Some("  │ -old<U+001B>[2J"), 1));
        let (shown, _) = lines(&Preview::Diff(diff), Output { color: true, ..output }, 5);
        assert!(shown.contains("\u{1b}[32m+new\u{1b}[0m") && !shown.contains("\u{1b}[32m+++"));
    }
}
