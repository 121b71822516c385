//! Whether the frontmatter of a SKILL.md is the one that its entry shows.

use super::super::text::quote;
use serde_json::{Map, Value};
use skillful_format::{source, yaml};

/// The first field in which they differ. A frontmatter that cannot be read as written differs as a whole: an
/// agent that repaired it could see another skill than the one that was approved.
pub(super) fn difference(text: &str, entry: &Map<String, Value>) -> Option<String> {
    let whole = || Some("its frontmatter, which cannot be read as YAML".to_owned());
    let Some(header) = source::split(text).frontmatter else { return whole() };
    let Some(yaml) = text.get(header) else { return whole() };
    let parsed = yaml::parse_document(yaml);
    let pairs = match &parsed.root {
        Some(root) if parsed.diagnostics.is_empty() => root.pairs()?,
        _ => return whole(),
    };
    let written: Map<String, Value> =
        pairs.iter().map(|(key, node)| (key.text.clone(), node.to_data().to_json())).collect();
    let differs =
        |(key, value): &(&String, &Value)| !written.get(*key).is_some_and(|found| same(found, value));
    let field = entry.iter().find(differs).map(|(key, _)| key);
    let field = field.or_else(|| written.keys().find(|key| !entry.contains_key(*key)));
    field.map(|key| format!("`{}`", quote(key)))
}

/// The same value; `1` and `1.0` are one number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}
