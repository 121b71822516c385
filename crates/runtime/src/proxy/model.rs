//! The environment of the model's own shell: what everybody has, what its skills show it, and the way
//! to the proxy. Nothing else, so nothing secret.

use super::{SOCKET_VARIABLE, desk::Desk};
use std::{collections::BTreeMap, path::Path};

/// What every process of a person has.
const COMMON: [&str; 6] = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ"];
/// Locales.
const LOCALE: &str = "LC_";

/// What a model gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelEnvironment {
    /// Its variables.
    pub variables: BTreeMap<String, String>,
    /// Names that were left out because their value holds a secret, or because they are secret.
    pub left_out: Vec<String>,
}

/// The environment for a model, from that of the process. `pass` are names that the person lets
/// through as well; a secret is not let through by any name.
pub fn model_environment(
    process: &BTreeMap<String, String>,
    pass: &[String],
    desk: &Desk,
    socket: &Path,
) -> ModelEnvironment {
    let holdings = desk.holdings();
    let common = process.iter().filter(|(name, _)| {
        COMMON.contains(&name.as_str()) || name.starts_with(LOCALE) || pass.contains(name)
    });
    let mut variables: BTreeMap<String, String> = holdings
        .resolved
        .model
        .iter()
        .chain(common)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut left_out = Vec::new();
    variables.retain(|name, value| {
        let secret = holdings.is_blocked(name)
            || holdings.resolved.runtime.contains_key(name)
            || holdings.declared.values().any(|names| names.contains(name))
            || desk.redactor().finds(value);
        if secret {
            left_out.push(name.clone());
        }
        !secret
    });
    variables.insert(SOCKET_VARIABLE.to_owned(), socket.display().to_string());
    ModelEnvironment { variables, left_out }
}
