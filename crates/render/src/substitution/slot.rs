//! Finds placeholders in a text.

use super::Values;
use skillful_catalog::profile::ArgumentRule;

/// A placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot<'a> {
    /// `$ARGUMENTS`
    All,
    /// `$ARGUMENTS[N]` or `$N`: the word at this index, counted from 0
    At(usize),
    /// `$name`, of the names that the skill declares
    Named(&'a str),
    /// `${NAME}`
    Path(&'a str),
    /// `{{NAME}}`
    Variable(&'a str),
    /// `{NAME}`
    Agent(&'a str),
}

impl Slot<'_> {
    pub(crate) fn is_argument(&self) -> bool {
        matches!(self, Self::All | Self::At(_) | Self::Named(_))
    }
}

/// A piece of a text.
pub(crate) enum Part<'a> {
    Text(&'a str),
    /// A placeholder and its spelling.
    Slot(Slot<'a>, &'a str),
}

const ALL: &str = "ARGUMENTS";

/// Splits a text at its placeholders, in one pass.
pub(crate) fn parts<'a>(text: &'a str, values: &Values, rule: &ArgumentRule) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (mut from, mut look) = (0, 0);
    let special = |byte: &u8| matches!(byte, b'\\' | b'$' | b'{');
    while let Some(found) = text.as_bytes()[look..].iter().position(special) {
        let start = look + found;
        let rest = &text[start..];
        look = start + 1;
        if let Some(escaped) = rest.strip_prefix("\\$") {
            // A backslash is an escape only before a placeholder.
            if let Some((_, length)) = dollar(escaped, values, rule) {
                parts.push(Part::Text(&text[from..start]));
                from = start + 1;
                look = start + 2 + length;
            } else {
                look = start + 2;
            }
            continue;
        }
        let slot = match rest.as_bytes()[0] {
            b'$' => dollar(&rest[1..], values, rule).map(|(slot, length)| (slot, length + 1)),
            b'{' => brace(rest, values),
            _ => None,
        };
        if let Some((slot, length)) = slot {
            parts.push(Part::Text(&text[from..start]));
            from = start + length;
            look = from;
            parts.push(Part::Slot(slot, &text[start..from]));
        }
    }
    parts.push(Part::Text(&text[from..]));
    parts
}

/// The placeholder after a dollar sign, and its length.
fn dollar<'a>(rest: &'a str, values: &Values, rule: &ArgumentRule) -> Option<(Slot<'a>, usize)> {
    if let Some(inner) = rest.strip_prefix('{') {
        let name = &inner[..word(inner)];
        let closed = inner[name.len()..].starts_with('}');
        return (closed && values.places.contains_key(name)).then_some((Slot::Path(name), name.len() + 2));
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let first = rule.first? as usize;
        let index = rest[..digits].parse::<usize>().ok()?.checked_sub(first)?;
        return ends(rest, digits).then_some((Slot::At(index), digits));
    }
    if rule.all && rest.starts_with(ALL) && ends(rest, ALL.len()) {
        let index = rest[ALL.len()..].strip_prefix('[').and_then(|inner| {
            let (number, _) = inner.split_once(']')?;
            Some((number.parse::<usize>().ok()?, ALL.len() + number.len() + 2))
        });
        return Some(index.map_or((Slot::All, ALL.len()), |(index, length)| (Slot::At(index), length)));
    }
    if !rule.named {
        return None;
    }
    let fits = |name: &&String| rest.starts_with(name.as_str()) && ends(rest, name.len()) && !name.is_empty();
    let name = values.names.iter().filter(fits).max_by_key(|name| name.len())?;
    Some((Slot::Named(&rest[..name.len()]), name.len()))
}

/// `{{NAME}}`, also with spaces inside, or `{NAME}`.
fn brace<'a>(rest: &'a str, values: &Values) -> Option<(Slot<'a>, usize)> {
    if let Some(inner) = rest.strip_prefix("{{") {
        let open = inner.len() - inner.trim_start_matches([' ', '\t']).len();
        let name = &inner[open..open + word(&inner[open..])];
        let after = &inner[open + name.len()..];
        let close = after.len() - after.trim_start_matches([' ', '\t']).len();
        let closed = after[close..].starts_with("}}");
        let length = 2 + open + name.len() + close + 2;
        return (closed && values.variables.contains_key(name)).then_some((Slot::Variable(name), length));
    }
    let inner = &rest[1..];
    let name = &inner[..word(inner)];
    let closed = inner[name.len()..].starts_with('}');
    (closed && values.agent.contains_key(name)).then_some((Slot::Agent(name), name.len() + 2))
}

/// Length in bytes of the word at the start of a text.
fn word(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// Whether a word of that length ends there.
fn ends(text: &str, length: usize) -> bool {
    !text.as_bytes().get(length).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}
