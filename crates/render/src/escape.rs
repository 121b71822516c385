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

/// A path must stay usable as it is, so that only what could end the envelope is escaped.
pub fn path(path: &str) -> String {
    path.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(['\n', '\r'], " ")
}

/// A text that stands inside `<tag>`: every closing tag of that name, however spelled, loses its
/// bracket. All else stays as it is.
pub fn closing(text: &str, tag: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        out.push_str(if closes(&from[1..], tag) { "&lt;" } else { "<" });
        rest = &from[1..];
    }
    out + rest
}

/// Whether what stands behind a `<` closes a tag, blanks and case aside.
fn closes(text: &str, tag: &str) -> bool {
    let Some(name) = text.trim_start().strip_prefix('/') else { return false };
    let name = name.trim_start();
    name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
}
