//! Reads the declaration of one environment variable of a skill's programs.

use super::{EnvSpec, yes_no::yes_no_of_data};
use crate::yaml::Data;

/// Prefix of keys that name a condition which only the agent can evaluate.
const GATE: &str = "gate_";

/// Reads a declaration, or returns what it must be. A declaration whose condition cannot be read is
/// refused completely: setting the variable without its condition would open a gate.
pub(super) fn env_spec(pairs: Vec<(String, Data)>) -> Result<EnvSpec, String> {
    let mut spec = EnvSpec::default();
    for (key, value) in pairs {
        match key.as_str() {
            "var" => spec.var = text(&key, &value)?.unwrap_or_default(),
            "from" => spec.from = text(&key, &value)?,
            "config_path" => spec.config_path = text(&key, &value)?,
            "when" => spec.when = paths(&key, &value)?,
            "service" => spec.service = text(&key, &value)?,
            "key" => spec.key = text(&key, &value)?,
            "template" => spec.template = text(&key, &value)?,
            "user_path_fn" => spec.user_path_fn = text(&key, &value)?,
            "fallback_var" => spec.fallback_var = text(&key, &value)?,
            // Fails closed: an unreadable flag keeps the value from the model.
            "sensitive" => spec.sensitive = yes_no_of_data(&value).unwrap_or(true),
            "proxy_only" => spec.proxy_only = yes_no_of_data(&value).unwrap_or(true),
            _ => match key.strip_prefix(GATE).filter(|gate| !gate.is_empty()) {
                // Fails closed: an unreadable gate counts as set.
                Some(gate) => {
                    if yes_no_of_data(&value).unwrap_or(true) {
                        spec.gates.push(gate.to_owned());
                    }
                }
                None => spec.rest.push((key, value)),
            },
        }
    }
    if spec.var.is_empty() {
        return Err("a variable with a `var`".to_owned());
    }
    Ok(spec)
}

/// The key of a gate in the declaration.
pub(crate) fn gate_key(gate: &str) -> String {
    format!("{GATE}{gate}")
}

fn text(key: &str, value: &Data) -> Result<Option<String>, String> {
    match value {
        Data::Null => Ok(None),
        Data::Bool(flag) => Ok(Some(flag.to_string())),
        Data::Number(text) | Data::Text(text) => Ok(Some(text.clone())),
        Data::List(_) | Data::Map(_) => Err(format!("a variable whose `{key}` is text")),
    }
}

/// One path or a list of paths.
fn paths(key: &str, value: &Data) -> Result<Vec<String>, String> {
    let wrong = || format!("a variable whose `{key}` is a path or a list of paths");
    match value {
        Data::Null => Ok(Vec::new()),
        Data::Text(path) => Ok(vec![path.clone()]),
        Data::List(items) => items
            .iter()
            .map(|item| match item {
                Data::Text(path) => Ok(path.clone()),
                _ => Err(wrong()),
            })
            .collect(),
        Data::Bool(_) | Data::Number(_) | Data::Map(_) => Err(wrong()),
    }
}
