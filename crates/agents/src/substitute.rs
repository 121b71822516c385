//! Puts variables and files into configuration, as agents do.

use serde_json::Value as Json;
use skillful_catalog::{Environment, bounded};
use std::path::Path;

#[cfg(test)]
mod tests;

/// A larger file is not put into a value.
const FILE_LIMIT: u64 = 64 << 10;

/// Replaces `{env:NAME}` and `{file:path}` in the text of a file. A path is relative to `folder`; a file that cannot be
/// read is an error, except in a line that is a comment.
pub(super) fn braces(text: &str, folder: &Path, environment: &Environment) -> Result<String, String> {
    let value = |name: &str| environment.variables.get(name).cloned().unwrap_or_default();
    let text = replace(text, "{env:", |_, name| Ok(Some(value(name))))?;
    replace(&text, "{file:", |before, path| {
        let line = before.rsplit('\n').next().unwrap_or_default();
        if line.trim_start().starts_with("//") {
            return Ok(None);
        }
        let file = match path.strip_prefix("~/") {
            Some(rest) => environment.home.join(rest),
            None => folder.join(path),
        };
        let text = bounded::read_text(&file, FILE_LIMIT, None)
            .map_err(|error| format!("`{{file:{path}}}` cannot be read: {error}"))?;
        let quoted = Json::String(text.trim().to_owned()).to_string();
        Ok(Some(quoted[1..quoted.len() - 1].to_owned()))
    })
}

/// Replaces every `start…}` with what the function returns for the text before it and the text inside; a `None` leaves
/// it as written.
fn replace(
    text: &str,
    start: &str,
    mut with: impl FnMut(&str, &str) -> Result<Option<String>, String>,
) -> Result<String, String> {
    let mut out = String::new();
    let mut at = 0;
    while let Some(from) = text[at..].find(start).map(|length| at + length) {
        let inside = from + start.len();
        let Some(to) = text[inside..].find('}').map(|length| inside + length) else { break };
        out.push_str(&text[at..from]);
        match with(&text[..from], &text[inside..to]) {
            Ok(Some(value)) if to > inside => out.push_str(&value),
            Err(why) if to > inside => return Err(why),
            _ => out.push_str(&text[from..=to]),
        }
        at = to + 1;
    }
    out.push_str(&text[at..]);
    Ok(out)
}

/// Replaces `$NAME`, `${NAME}` and `${NAME:-default}` in all texts of a value. A variable that is not set stays as
/// written.
pub(super) fn dollars(value: &mut Json, environment: &Environment) {
    match value {
        Json::String(text) if text.contains('$') => *text = dollars_in(text, environment),
        Json::Array(list) => list.iter_mut().for_each(|value| dollars(value, environment)),
        Json::Object(map) => map.values_mut().for_each(|value| dollars(value, environment)),
        _ => {}
    }
}

fn dollars_in(text: &str, environment: &Environment) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some((name, default, length)) = reference(rest) else {
            out.push('$');
            rest = &rest[1..];
            continue;
        };
        match environment.variables.get(name).map(String::as_str).or(default) {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    out + rest
}

/// The variable that a text starts with: its name, its default, and the length of the reference.
fn reference(text: &str) -> Option<(&str, Option<&str>, usize)> {
    let rest = &text[1..];
    if let Some(inside) = rest.strip_prefix('{') {
        let inside = &inside[..inside.find('}')?];
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(a, b)| (a, Some(b)));
        return (!name.is_empty()).then_some((name, default, inside.len() + 3));
    }
    let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    (length > 0).then_some((&rest[..length], None, length + 1))
}
