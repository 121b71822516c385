//! Reads fields line by line, for agents that do so when YAML fails.

use super::typing;
use std::collections::BTreeMap;

#[cfg(test)]
mod tests;

/// Returns the two fields, if both exist. A key counts at any indentation, and the last one wins;
/// quotes and comments are part of the value; indented lines continue a description.
pub(super) fn read(frontmatter: &str) -> Option<(String, String)> {
    let mut name = None;
    let mut description = None;
    let mut lines = frontmatter.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).peekable();
    while let Some(line) = lines.next() {
        if let Some(value) = value_of(line, "name:") {
            name = Some(value.to_owned());
        } else if let Some(value) = value_of(line, "description:") {
            let mut parts = vec![value];
            while let Some(next) = lines.next_if(|next| is_continuation(next)) {
                parts.push(trim(next));
            }
            parts.retain(|part| !part.is_empty());
            description = Some(parts.join(" "));
        }
    }
    name.zip(description)
}

/// The fields of every line with a colon, as JavaScript writes their values. Lines that start with `  - ` below a key are a
/// list, whose items are written with commas; other lines that start with two spaces are keys of their own mapping. Lines
/// without a colon are skipped.
pub(super) fn keys(frontmatter: &str) -> BTreeMap<String, String> {
    let is_read = |line: &&str| !trim(line).is_empty() && !trim(line).starts_with('#');
    let mut lines = frontmatter.split('\n').filter(is_read).peekable();
    let mut fields = BTreeMap::new();
    while let Some(line) = lines.next() {
        let Some((key, value)) = line.split_once(':').filter(|_| !line.starts_with("  - ")) else { continue };
        let key = trim(key).to_owned();
        if !trim(value).is_empty() {
            fields.extend(Some(plain(trim(value))).filter(|value| value != "null").map(|value| (key, value)));
            continue;
        }
        let mut items = Vec::new();
        while let Some(item) = lines.next_if(|line| line.starts_with("  - ")) {
            items.push(plain(trim(&item[4..])));
        }
        if !items.is_empty() {
            fields.insert(key, items.join(","));
        } else if lines.next_if(|line| line.starts_with("  ")).is_some() {
            while lines.next_if(|line| line.starts_with("  ") && !line.starts_with("  - ")).is_some() {}
            fields.insert(key, "[object Object]".to_owned());
        }
    }
    fields
}

/// A value without its quotes, or a number as JavaScript writes it.
fn plain(value: &str) -> String {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if let Some(inner) = inner {
        return inner.replace("\\\"", "\"").replace("\\\\", "\\");
    }
    let is_number = value.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && !value.contains('_')
        && value.parse::<f64>().is_ok_and(f64::is_finite);
    if is_number { typing::number(value) } else { value.to_owned() }
}

fn value_of<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let value = trim(line.trim_start_matches(is_blank).strip_prefix(key)?);
    // These characters end a line in the agent's patterns, so the line does not match.
    (!value.contains(['\r', '\u{2028}', '\u{2029}'])).then_some(value)
}

fn is_continuation(line: &str) -> bool {
    let text = line.trim_start_matches([' ', '\t']);
    text.len() < line.len() && text.starts_with(|c| !is_blank(c))
}

fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// White space as JavaScript defines it.
fn is_blank(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}
