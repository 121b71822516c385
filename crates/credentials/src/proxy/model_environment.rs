//! The environment of the model's own shell: common variables, what skills show the model, and the path of
//! the socket. It holds no secret.

use super::{SOCKET_VARIABLE, handler::RequestHandler};
use std::{collections::BTreeMap, path::Path};

/// Variables that every process of a user has.
const COMMON: [&str; 6] = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ"];
/// The prefix of locales.
const LOCALE: &str = "LC_";

/// The variables of a model's shell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelEnvironment {
    /// Its variables.
    pub variables: BTreeMap<String, String>,
    /// Names that were omitted because they are secret or their value holds a secret.
    pub left_out: Vec<String>,
}

/// The environment for a model, from that of the process. `pass` are more names that the user lets through;
/// a secret is omitted whatever its name.
pub fn model_environment(
    process: &BTreeMap<String, String>,
    pass: &[String],
    handler: &RequestHandler,
    socket: &Path,
) -> ModelEnvironment {
    let known = handler.variables();
    let common = process.iter().filter(|(name, _)| {
        COMMON.contains(&name.as_str()) || name.starts_with(LOCALE) || pass.contains(name)
    });
    let mut variables: BTreeMap<String, String> = known
        .resolved
        .model
        .iter()
        .chain(common)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let mut left_out = Vec::new();
    variables.retain(|name, value| {
        let secret = known.is_blocked(name)
            || known.resolved.runtime.contains_key(name)
            || known.declared.values().any(|names| names.contains(name))
            || handler.redactor().finds(value);
        if secret {
            left_out.push(name.clone());
        }
        !secret
    });
    variables.insert(SOCKET_VARIABLE.to_owned(), socket.display().to_string());
    ModelEnvironment { variables, left_out }
}
