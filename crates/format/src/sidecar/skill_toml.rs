//! Reads `skill.toml`, which supplies keys that are missing in the frontmatter.

use crate::{
    diagnostic::{Code, Diagnostic, Span},
    field,
    source::span_in,
    yaml::{Key, MAX_DEPTH, MAX_NODES, Node, Value},
};
use std::path::Path;

/// The position of keys that are not in the frontmatter: no real key is at byte 0.
const NOWHERE: Span = Span { start: 0, end: 0, line: 1, column: 1 };

/// Parses the file; the limits for values and depth are those of the frontmatter.
pub(super) fn table(text: &str) -> Result<toml::Table, Box<Diagnostic>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table = text.parse::<toml::Table>().map_err(|error| {
        let span = error.span().map(|range| span_in(text, range));
        Box::new(Diagnostic::new(Code::SidecarUnreadable, error.message().to_owned()).at(span))
    })?;
    let mut budget = MAX_NODES;
    if table.values().all(|value| fits(value, MAX_DEPTH, &mut budget)) {
        return Ok(table);
    }
    let message = format!(
        "it has more than {MAX_NODES} values or more than {MAX_DEPTH} levels, the limits of Skillful"
    );
    Err(Box::new(Diagnostic::new(Code::SidecarUnreadable, message)))
}

fn fits(value: &toml::Value, depth: usize, budget: &mut usize) -> bool {
    if depth == 0 || *budget == 0 {
        return false;
    }
    *budget -= 1;
    match value {
        toml::Value::Array(items) => items.iter().all(|item| fits(item, depth - 1, budget)),
        toml::Value::Table(table) => table.values().all(|value| fits(value, depth - 1, budget)),
        _ => true,
    }
}

/// Adds the keys that the frontmatter does not have in any spelling.
pub(super) fn add(table: toml::Table, keys: &mut Vec<(Key, Node)>) {
    for (key, value) in table {
        let known = field::field(&key);
        let present = keys.iter().any(|(have, _)| match known {
            Some(field) => field.is_spelled(&have.text),
            None => have.text == key,
        });
        if !present {
            keys.push((Key { text: key, span: NOWHERE }, node(value)));
        }
    }
}

/// Whether a key of a document came from `skill.toml`.
pub(crate) fn is_supplied(key: &Key) -> bool {
    key.span == NOWHERE
}

/// Assigns diagnostics about supplied keys to the TOML file; they have no position in the
/// frontmatter.
pub(crate) fn place_in_toml(diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        if diagnostic.span == Some(NOWHERE) {
            diagnostic.span = None;
            diagnostic.path = Some(Path::new(super::TOML).into());
        }
    }
}

fn node(value: toml::Value) -> Node {
    let value = match value {
        toml::Value::String(text) => Value::Text(text),
        toml::Value::Integer(number) => Value::Number(number.to_string()),
        toml::Value::Float(number) => Value::Number(number.to_string()),
        toml::Value::Boolean(flag) => Value::Bool(flag),
        toml::Value::Datetime(time) => Value::Text(time.to_string()),
        toml::Value::Array(items) => Value::List(items.into_iter().map(node).collect()),
        toml::Value::Table(table) => Value::Map(
            table.into_iter().map(|(text, value)| (Key { text, span: NOWHERE }, node(value))).collect(),
        ),
    };
    Node { span: NOWHERE, value }
}
