//! The sources of variables for the programs of skills: the vault, the configuration and the environment of the user.

use secrecy::SecretString;
use serde_json::Value as Json;
use skillful_credentials::{
    env::{Unavailable, VariableSources},
    vault::{SecretName, Vault},
};
use std::collections::BTreeMap;

/// The sources of the user who runs the proxy.
pub(super) struct UserSources<'a> {
    pub(super) vault: Box<dyn Vault>,
    pub(super) config: Json,
    pub(super) user: Option<&'a str>,
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) lent: &'a [String],
}

impl VariableSources for UserSources<'_> {
    fn config(&self) -> &Json {
        &self.config
    }

    fn secret(&self, service: &str, key: &str) -> Result<Option<SecretString>, Unavailable> {
        Ok(self.vault.get(&SecretName::new(service, key)?)?)
    }

    fn user_id(&self) -> Option<&str> {
        self.user
    }

    fn hook(&self, _skill: &str, _var: &str) -> Option<SecretString> {
        None
    }

    fn template_file(&self, _: &str, _: Option<&str>) -> Result<Option<String>, Unavailable> {
        Err(Unavailable::new("the proxy does not create files from templates", "use another source"))
    }

    fn holds(&self, _gate: &str) -> bool {
        false
    }

    /// Only variables named with `--lend`: otherwise any skill could read the whole environment.
    fn operator_variable(&self, name: &str) -> Option<SecretString> {
        let lent = self.lent.iter().any(|known| known == name);
        self.variables.get(name).filter(|_| lent).map(|value| SecretString::from(value.as_str()))
    }
}
