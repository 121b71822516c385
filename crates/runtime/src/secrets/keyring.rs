//! Secrets in the keyring of the operating system: Keychain, or the SecretString Service of a desktop.
//!
//! A keyring cannot list what is in it, so the names are kept in one more entry.

use super::{COUNT_LIMIT, Name, Store, StoreError, check_value};
use keyring::{Entry, Error};
use secrecy::{ExposeSecret, SecretString};
use std::{collections::BTreeSet, sync::Mutex};

/// Whose entries they are.
const OWNER: &str = "skillful";
/// The entry that holds the names.
const NAMES: &str = "skillful names";

/// The keyring of the person who is logged in.
#[derive(Debug, Default)]
pub struct Keyring {
    changing: Mutex<()>,
}

impl Keyring {
    /// The keyring; nothing is opened yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn names() -> Result<BTreeSet<(String, String)>, StoreError> {
        let Some(text) = read(OWNER, NAMES)? else { return Ok(BTreeSet::new()) };
        serde_json::from_str(text.expose_secret())
            .map_err(|_| StoreError::Keyring { why: format!("the entry `{NAMES}` is damaged") })
    }

    fn change(change: impl FnOnce(&mut BTreeSet<(String, String)>)) -> Result<(), StoreError> {
        let mut names = Self::names()?;
        change(&mut names);
        let text = serde_json::to_string(&names).map_err(|error| failed(&error))?;
        entry(OWNER, NAMES)?.set_password(&text).map_err(|error| failed(&error))
    }
}

impl Store for Keyring {
    fn get(&self, name: &Name) -> Result<Option<SecretString>, StoreError> {
        read(&service_of(name), name.key())
    }

    fn set(&self, name: &Name, value: &SecretString) -> Result<(), StoreError> {
        check_value(value)?;
        let _one_at_a_time = self.changing.lock();
        let pair = (name.service.clone(), name.key.clone());
        let names = Self::names()?;
        if names.len() >= COUNT_LIMIT && !names.contains(&pair) {
            return Err(StoreError::Full);
        }
        // The name first: a name without a value is told, a value without a name would be forgotten.
        Self::change(|names| {
            names.insert(pair);
        })?;
        let entry = entry(&service_of(name), name.key())?;
        entry.set_password(value.expose_secret()).map_err(|error| failed(&error))
    }

    fn remove(&self, name: &Name) -> Result<bool, StoreError> {
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

    fn list(&self) -> Result<Vec<Name>, StoreError> {
        Self::names()?.iter().map(|(service, key)| Name::new(service, key)).collect()
    }

    fn place(&self) -> String {
        "the keyring of the system".to_owned()
    }
}

fn service_of(name: &Name) -> String {
    format!("{OWNER}: {}", name.service)
}

fn read(service: &str, key: &str) -> Result<Option<SecretString>, StoreError> {
    match entry(service, key)?.get_password() {
        Ok(text) => Ok(Some(SecretString::from(text))),
        Err(Error::NoEntry) => Ok(None),
        Err(error) => Err(failed(&error)),
    }
}

fn entry(service: &str, key: &str) -> Result<Entry, StoreError> {
    Entry::new(service, key).map_err(|error| match (&error, Entry::store_status()) {
        (Error::NoDefaultStore, Err(cause)) => failed(cause),
        _ => failed(&error),
    })
}

/// What a keyring said. Errors about encodings carry the bytes of a value in their `Debug`; their
/// `Display` does not.
fn failed(error: &impl std::fmt::Display) -> StoreError {
    StoreError::Keyring { why: error.to_string() }
}
