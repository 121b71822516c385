//! Making text safe to stand inside an envelope.

use std::borrow::Cow;

/// Escapes what HTML reserves, as the reference library does.
pub fn xml(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// One line of a list: blanks and line ends become one blank, and a `<` that could start a tag is
/// written so that it cannot.
pub fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('<', "&lt;")
}
