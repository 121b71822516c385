//! Where a user's secrets are kept: an encrypted file, or the keyring of the operating system.
//!
//! A secret has a service and a key, as the `env` of a skill asks for it. A vault returns a secret or the
//! reason why it cannot; it never treats a damaged vault as an empty one. No error holds a value.

use crate::env;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::fmt;

mod encrypted_file;
mod error;
#[cfg(feature = "keyring")]
mod keyring;
mod private_file;
mod records;
mod seal;

pub use encrypted_file::EncryptedFile;
pub use error::VaultError;
#[cfg(feature = "keyring")]
pub use keyring::Keyring;

/// Longest service or key, in bytes.
pub const NAME_LIMIT: usize = 128;

/// The service of sign-ins to MCP servers. They are the user's, and no skill gets one.
pub const SIGN_INS: &str = "mcp-sign-in";
/// The service of sign-ins to team servers. They are the user's, and no skill gets one.
pub const TEAM_SIGN_INS: &str = "team-sign-in";
/// The service of the user's keys for APIs that skills are pushed to. No skill gets one.
pub const PUSH_KEYS: &str = "push-key";
/// Largest value: what an environment can carry.
pub const VALUE_LIMIT: usize = env::VALUE_LIMIT;
/// Most secrets of one user.
pub const COUNT_LIMIT: usize = 1024;

/// The name of a secret: a service and a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SecretName {
    service: String,
    key: String,
}

impl SecretName {
    /// A service and a key; each is a short word without blanks at its ends or control characters.
    pub fn new(service: &str, key: &str) -> Result<Self, VaultError> {
        for (what, word) in [("service", service), ("key", key)] {
            if word.is_empty() || word.trim() != word {
                return Err(VaultError::Name { what, why: "it is empty or has blanks around it".to_owned() });
            }
            if word.len() > NAME_LIMIT {
                return Err(VaultError::Name { what, why: format!("it is longer than {NAME_LIMIT} bytes") });
            }
            if word.chars().any(char::is_control) {
                return Err(VaultError::Name { what, why: "it holds control characters".to_owned() });
            }
        }
        Ok(Self { service: service.to_owned(), key: key.to_owned() })
    }

    /// The service.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// The key within the service.
    pub fn key(&self) -> &str {
        &self.key
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.service, self.key)
    }
}

/// A place that keeps the secrets of one user.
pub trait Vault: Send + Sync {
    /// The secret of that name, if there is one.
    fn get(&self, name: &SecretName) -> Result<Option<SecretString>, VaultError>;

    /// Keeps a secret; one of the same name is replaced.
    fn set(&self, name: &SecretName, value: &SecretString) -> Result<(), VaultError>;

    /// Removes a secret. Returns whether there was one.
    fn remove(&self, name: &SecretName) -> Result<bool, VaultError>;

    /// The names of all secrets, sorted. Never their values.
    fn list(&self) -> Result<Vec<SecretName>, VaultError>;

    /// Where the secrets are kept, in words for the user.
    fn location(&self) -> String;
}

/// Refuses a value that no program could be given.
fn check_value(value: &SecretString) -> Result<(), VaultError> {
    if value.expose_secret().is_empty() {
        return Err(VaultError::Empty);
    }
    env::value_fault(value).map_or(Ok(()), |why| Err(VaultError::Value { why }))
}
