//! Secrets in the keyring of the operating system: Keychain, or the Secret Service of a desktop.
//!
//! A keyring cannot list what is in it, so the names are kept in one more entry.

use super::{COUNT_LIMIT, SecretName, Vault, VaultError, check_value};
use keyring::{Entry, Error};
use secrecy::{ExposeSecret, SecretString};
use std::{collections::BTreeSet, sync::Mutex};

/// The owner that our entries name.
const OWNER: &str = "skillful";
/// The entry that holds the names.
const NAMES: &str = "skillful names";

/// The keyring of the user who is logged in.
#[derive(Debug, Default)]
pub struct Keyring {
    changing: Mutex<()>,
}

impl Keyring {
    /// The keyring; nothing is opened yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn names() -> Result<BTreeSet<(String, String)>, VaultError> {
        let Some(text) = read(OWNER, NAMES)? else { return Ok(BTreeSet::new()) };
        serde_json::from_str(text.expose_secret())
            .map_err(|_| VaultError::Keyring { why: format!("the entry `{NAMES}` is damaged") })
    }

    fn change(change: impl FnOnce(&mut BTreeSet<(String, String)>)) -> Result<(), VaultError> {
        let mut names = Self::names()?;
        change(&mut names);
        let text = serde_json::to_string(&names).map_err(|error| failed(&error))?;
        entry(OWNER, NAMES)?.set_password(&text).map_err(|error| failed(&error))
    }
}

impl Vault for Keyring {
    fn get(&self, name: &SecretName) -> Result<Option<SecretString>, VaultError> {
        read(&service_of(name), name.key())
    }

    fn set(&self, name: &SecretName, value: &SecretString) -> Result<(), VaultError> {
        check_value(value)?;
        let _one_at_a_time = self.changing.lock();
        let pair = (name.service.clone(), name.key.clone());
        let names = Self::names()?;
        if names.len() >= COUNT_LIMIT && !names.contains(&pair) {
            return Err(VaultError::Full);
        }
        // The name first: a name without a value is reported, a value without a name would be lost.
        Self::change(|names| {
            names.insert(pair);
        })?;
        let entry = entry(&service_of(name), name.key())?;
        entry.set_password(value.expose_secret()).map_err(|error| failed(&error))
    }

    fn remove(&self, name: &SecretName) -> Result<bool, VaultError> {
        let _one_at_a_time = self.changing.lock();
        let gone = match entry(&service_of(name), name.key())?.delete_credential() {
            Ok(()) => true,
            Err(Error::NoEntry) => false,
            Err(error) => return Err(failed(&error)),
        };
        Self::change(|names| {
            names.remove(&(name.service.clone(), name.key.clone()));
        })?;
        Ok(gone)
    }

    fn list(&self) -> Result<Vec<SecretName>, VaultError> {
        Self::names()?.iter().map(|(service, key)| SecretName::new(service, key)).collect()
    }

    fn location(&self) -> String {
        "the keyring of the system".to_owned()
    }
}

fn service_of(name: &SecretName) -> String {
    format!("{OWNER}: {}", name.service)
}

fn read(service: &str, key: &str) -> Result<Option<SecretString>, VaultError> {
    match entry(service, key)?.get_password() {
        Ok(text) => Ok(Some(SecretString::from(text))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}

fn entry(service: &str, key: &str) -> Result<Entry, VaultError> {
    Entry::new(service, key).map_err(|error| match (&error, Entry::store_status()) {
        (Error::NoDefaultStore, Err(cause)) => failed(cause),
        _ => failed(&error),
    })
}

/// The error of a keyring. Errors about encodings carry the bytes of a value in their `Debug`; their
/// `Display` does not.
fn failed(error: &impl std::fmt::Display) -> VaultError {
    VaultError::Keyring { why: error.to_string() }
}
