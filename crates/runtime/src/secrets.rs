//! Where a person's secrets are kept: an encrypted file, or the keyring of the operating system.
//!
//! A secret has a service and a key, as the `env` of a skill asks for it. A store gives a secret, or
//! says why it cannot; it never takes a damaged store for an empty one. No error holds a value.

use crate::env::Unavailable;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::{fmt, io, path::PathBuf};

mod file;
#[cfg(feature = "keyring")]
mod keyring;
mod private;
mod records;
mod seal;

pub use file::EncryptedFile;
#[cfg(feature = "keyring")]
pub use keyring::Keyring;

/// Longest service or key, in bytes.
pub const NAME_LIMIT: usize = 128;
/// Largest value: what an environment can carry.
pub const VALUE_LIMIT: usize = crate::env::VALUE_LIMIT;
/// Most secrets of a person.
pub const COUNT_LIMIT: usize = 1024;

/// What a secret is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Name {
    service: String,
    key: String,
}

impl Name {
    /// A service and a key; each is a short word without blanks at its ends or control characters.
    pub fn new(service: &str, key: &str) -> Result<Self, StoreError> {
        for (what, word) in [("service", service), ("key", key)] {
            if word.is_empty() || word.trim() != word {
                return Err(StoreError::Name { what, why: "it is empty or has blanks around it".to_owned() });
            }
            if word.len() > NAME_LIMIT {
                return Err(StoreError::Name { what, why: format!("it is longer than {NAME_LIMIT} bytes") });
            }
            if word.chars().any(char::is_control) {
                return Err(StoreError::Name { what, why: "it holds control characters".to_owned() });
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

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.service, self.key)
    }
}

/// A place for secrets.
pub trait Store: Send + Sync {
    /// The secret of that name, if there is one.
    fn get(&self, name: &Name) -> Result<Option<SecretString>, StoreError>;

    /// Keeps a secret; one of the same name is replaced.
    fn set(&self, name: &Name, value: &SecretString) -> Result<(), StoreError>;

    /// Forgets a secret. Says whether there was one.
    fn remove(&self, name: &Name) -> Result<bool, StoreError>;

    /// The names of all secrets, sorted. Never their values.
    fn list(&self) -> Result<Vec<Name>, StoreError>;

    /// Where they are kept, for a person.
    fn place(&self) -> String;
}

/// Why a store could not do what it was asked. Holds no value.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A name that cannot be used.
    #[error("the {what} cannot be used: {why}")]
    Name {
        /// The service or the key.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
    /// A value that cannot be kept.
    #[error("the value cannot be kept: {why}")]
    Value {
        /// What is wrong, without the value.
        why: &'static str,
    },
    /// Too many.
    #[error("there are {COUNT_LIMIT} secrets already")]
    Full,
    /// Others could read or write it.
    #[error("`{}` {why}", file.display())]
    Exposed {
        /// The file or folder.
        file: PathBuf,
        /// How.
        why: &'static str,
    },
    /// The key is gone, and what it locked is not.
    #[error("the key `{}` is missing, and without it the secrets cannot be read", key.display())]
    KeyMissing {
        /// Where it should be.
        key: PathBuf,
    },
    /// Not a key.
    #[error("`{}` is not a key: it must hold exactly 32 bytes", key.display())]
    KeyInvalid {
        /// The file.
        key: PathBuf,
    },
    /// Another key locked it, or it was changed.
    #[error("`{}` does not open with the key `{}`: the key is another one, or the file was damaged", file.display(), key.display())]
    Locked {
        /// The secrets.
        file: PathBuf,
        /// The key that was tried.
        key: PathBuf,
    },
    /// Not a store, or one of a later version.
    #[error("`{}` is not a store of secrets that this version reads: {why}", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: &'static str,
    },
    /// The system said no.
    #[error("failed to {what} `{}`: {error}", file.display())]
    Io {
        /// What was being done.
        what: &'static str,
        /// To which file.
        file: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The keyring said no.
    #[error("the keyring of the system cannot be used: {why}")]
    Keyring {
        /// What it said.
        why: String,
    },
}

impl StoreError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Name { .. } => "name it as the `env` of the skill does: a service and a key".to_owned(),
            Self::Value { .. } => "keep the value in a file, and its path here".to_owned(),
            Self::Full => "remove some with `skillful secret rm`".to_owned(),
            Self::Exposed { file, .. } => {
                format!("run `chmod go= {0}` and, if it is not yours, `chown $USER {0}`", file.display())
            }
            Self::KeyMissing { .. } => {
                "bring the key file back, or name it in SKILLFUL_SECRETS_KEY_FILE; only without it, move the \
                 secrets away and set them anew"
                    .to_owned()
            }
            Self::KeyInvalid { .. } | Self::Locked { .. } => {
                "bring back the key file, or the secrets, from a backup; or move both away and set the secrets anew"
                    .to_owned()
            }
            Self::Format { .. } => "use the version of Skillful that wrote it, or move it away".to_owned(),
            Self::Io { .. } => "see that the folder exists and is yours".to_owned(),
            Self::Keyring { .. } => "unlock it, or use the encrypted file".to_owned(),
        }
    }

    fn io(what: &'static str, file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let file = file.into();
        move |error| Self::Io { what, file, error }
    }
}

impl From<StoreError> for Unavailable {
    fn from(error: StoreError) -> Self {
        Self::new(error.to_string(), error.help())
    }
}

/// What may be kept.
fn check_value(value: &SecretString) -> Result<(), StoreError> {
    if value.expose_secret().is_empty() {
        return Err(StoreError::Value { why: "it is empty" });
    }
    crate::env::fault(value).map_or(Ok(()), |why| Err(StoreError::Value { why }))
}
