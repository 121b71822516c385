//! Escapes text so that it is safe inside an envelope.

use std::borrow::Cow;

/// Escapes the characters that HTML reserves, as the reference library does.
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

/// Text as one line of a list: spaces and line ends become one space, and a `<` that could start a
/// tag is escaped.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_line(&mut out, text);
    out
}

/// Adds one line of a list to a text.
pub(crate) fn push_line(out: &mut String, text: &str) {
    for (at, word) in text.split_whitespace().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        for (part, piece) in word.split('<').enumerate() {
            if part > 0 {
                out.push_str("&lt;");
            }
            out.push_str(piece);
        }
    }
}

/// Escapes in a path only what could close the envelope, so that the path stays usable.
pub fn path(path: &str) -> Cow<'_, str> {
    if !path.contains(['&', '<', '>', '\n', '\r']) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(
        path.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace(['\n', '\r'], " "),
    )
}

/// Text for the inside of `<tag>`: the `<` of every closing tag of that name, in any spelling, is
/// escaped. Everything else stays unchanged.
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

/// Whether the text after a `<` closes a tag, ignoring spaces and case.
fn closes(text: &str, tag: &str) -> bool {
    let Some(name) = text.trim_start().strip_prefix('/') else { return false };
    let name = name.trim_start();
    name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
}
