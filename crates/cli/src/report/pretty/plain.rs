//! A finding without colours that marks one line, which nearly every finding is. A check of a thousand skills has thousands of
//! findings, and the renderer of snippets took a large part of its time for the same text.

use super::Finding;
use unicode_width::UnicodeWidthChar as _;

/// A line that is indented by more columns than this is moved by the renderer.
const MOST_BLANKS: usize = 16;

/// The text of a finding; none when it needs the renderer of snippets.
pub(super) fn finding(finding: &Finding) -> Option<String> {
    let Finding { level, code, message, place, excerpt, effect, help } = finding;
    let shown = excerpt.as_ref().map(|(_, shown)| shown.text.as_str());
    let texts = [Some(message.as_str()), shown, effect.as_deref(), help.as_deref()];
    if !texts.into_iter().flatten().all(is_shown_as_written) {
        return None;
    }
    // Without formatting: thousands of these are written.
    let mut out = String::with_capacity(256);
    let put = |out: &mut String, words: &[&str]| words.iter().for_each(|word| out.push_str(word));
    put(&mut out, &[level.as_str(), "[", code, "]: ", message, "\n"]);
    let number = excerpt.as_ref().map_or_else(String::new, |(first, _)| first.to_string());
    let gutter = " ".repeat(number.len());
    if let Some(place) = place {
        put(&mut out, &[&gutter, "--> ", place, "\n"]);
    }
    if let Some((_, shown)) = excerpt {
        let text = shown.text.as_str();
        let blanks = text.len() - text.trim_start_matches(' ').len();
        let marked = text.get(shown.mark.clone())?;
        if blanks > MOST_BLANKS || marked.is_empty() || text.ends_with(' ') {
            return None;
        }
        put(&mut out, &[&gutter, " |\n", &number, " | ", text, "\n", &gutter, " | "]);
        let before = " ".repeat(columns(&text[..shown.mark.start]));
        put(&mut out, &[&before, &"^".repeat(columns(marked)), "\n"]);
    }
    if effect.is_some() || help.is_some() {
        put(&mut out, &[&gutter, " |\n"]);
    }
    for (name, text) in [("effect", effect), ("fix", help)] {
        if let Some(text) = text {
            put(&mut out, &[&gutter, " = ", name, ": ", text, "\n"]);
        }
    }
    Some(out)
}

/// Whether the renderer writes every character as it is: one line, without what joins or turns others.
fn is_shown_as_written(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        || text.chars().all(|c| match c {
            ' '..='~' => true,
            '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0000}'.. => false,
            c => c.width().is_some_and(|width| width > 0),
        })
}

fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(|c| c.width().unwrap_or(0)).sum()
}
