//! Why a vault could not do what it was asked to, and how to fix it.

use super::COUNT_LIMIT;
use crate::env::Unavailable;
use std::{io, path::PathBuf};

/// Why a vault could not do what it was asked to. Holds no value.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// A name that cannot be used.
    #[error("the {what} cannot be used: {why}")]
    Name {
        /// The service or the key.
        what: &'static str,
        /// What is wrong.
        why: String,
    },
    /// No value.
    #[error("the value is empty; nothing was stored")]
    Empty,
    /// A value that cannot be kept.
    #[error("the value cannot be kept: {why}")]
    Value {
        /// What is wrong, without the value.
        why: &'static str,
    },
    /// The vault holds as many secrets as it may.
    #[error("there are {COUNT_LIMIT} secrets already")]
    Full,
    /// Other users could read or write a file of the vault.
    #[error("`{}` {why}", file.display())]
    Exposed {
        /// The file or folder.
        file: PathBuf,
        /// How it is exposed.
        why: &'static str,
    },
    /// The encrypted file is there and its key is not.
    #[error("the key `{}` is missing, and without it the secrets cannot be read", key.display())]
    KeyMissing {
        /// Where the key should be.
        key: PathBuf,
    },
    /// The key file does not hold a key.
    #[error("`{}` is not a key: it must hold exactly 32 bytes", key.display())]
    KeyInvalid {
        /// The file.
        key: PathBuf,
    },
    /// The file was encrypted with another key, or was changed.
    #[error("`{}` does not open with the key `{}`: the key is another one, or the file was damaged", file.display(), key.display())]
    Locked {
        /// The encrypted file.
        file: PathBuf,
        /// The key that was tried.
        key: PathBuf,
    },
    /// The file is not a vault, or one of a later version.
    #[error("`{}` is not a vault that this version reads: {why}", file.display())]
    Format {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        why: &'static str,
    },
    /// A call of the operating system failed.
    #[error("failed to {what} `{}`: {error}", file.display())]
    Io {
        /// What was being done.
        what: &'static str,
        /// To which file.
        file: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The keyring of the system failed.
    #[error("the keyring of the system cannot be used: {why}")]
    Keyring {
        /// The keyring's error.
        why: String,
    },
}

impl VaultError {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Name { .. } => "name it as the `env` of the skill does: a service and a key".to_owned(),
            Self::Empty => {
                "type the value, or pipe it in; `skillful secret rm` removes a secret".to_owned()
            }
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

    pub(super) fn io(what: &'static str, file: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let file = file.into();
        move |error| Self::Io { what, file, error }
    }
}

impl From<VaultError> for Unavailable {
    fn from(error: VaultError) -> Self {
        Self::new(error.to_string(), error.help())
    }
}
