//! Long texts in parts, because clients cut a long result before the model reads it.

use crate::server::reply::Refused;
use skillful_catalog::AgentProfile;

/// Bytes of a result for a client that is not known. Codex cuts the middle of what is longer.
const UNKNOWN_CLIENT: usize = 10_000;
/// Lines of a part. OpenCode cuts after 2,000.
const MOST_LINES: usize = 1_500;
/// Bytes that are left for the words after a part.
const FOOTER: usize = 400;

/// Bytes that a client passes to its model uncut, by the name that it gives itself.
pub(crate) fn room<'a>(client: Option<&str>, agents: impl Iterator<Item = &'a AgentProfile>) -> usize {
    let rules = agents.map(|agent| &agent.mcp);
    let known = client.and_then(|name| rules.into_iter().find(|rule| rule.client.as_deref() == Some(name)));
    known.and_then(|rule| rule.result_bytes).unwrap_or(UNKNOWN_CLIENT)
}

/// A part of a text, counted from 1, and words that name the next one. `again` is the call that gives it, without its part.
pub(crate) fn part(text: &str, part: usize, room: usize, again: &str) -> Result<String, Refused> {
    let parts = split(text, room);
    let count = parts.len();
    let Some(shown) = part.checked_sub(1).and_then(|at| parts.get(at)) else {
        return Err(Refused::new(format!("there is no part {part}; this text has {count}")));
    };
    Ok(match part {
        _ if count == 1 => (*shown).to_owned(),
        _ if part == count => format!("{shown}\n[part {part} of {count}: this was the last one]\n"),
        _ => format!(
            "{shown}\n[part {part} of {count}: the text goes on; before you act on it, call {again} `part`: {}]\n",
            part + 1
        ),
    })
}

/// Splits a text into parts that a client does not cut, at the ends of lines where there are any. Together the parts are
/// the text.
fn split(text: &str, room: usize) -> Vec<&str> {
    if text.len() <= room && text.lines().count() <= MOST_LINES {
        return vec![text];
    }
    let room = room.saturating_sub(FOOTER).max(1);
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let most = rest.match_indices('\n').nth(MOST_LINES - 1).map_or(rest.len(), |(at, _)| at + 1);
        let mut end = most.min(room.max(rest.ceil_char_boundary(1)));
        if end < rest.len() {
            end = rest.floor_char_boundary(end);
            // A line that fills more than half of a part is broken.
            end = rest[..end].rfind('\n').map(|at| at + 1).filter(|at| *at > end / 2).unwrap_or(end);
        }
        let (first, after) = rest.split_at(end.max(rest.ceil_char_boundary(1)));
        parts.push(first);
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests;
