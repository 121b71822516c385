//! Whose keys are known: a file in the format of OpenSSH's allowed signers, so that one file serves both.
//!
//! ```text
//! alice@example.org namespaces="skillful" ssh-ed25519 AAAA… laptop
//! *@example.org,!eve@example.org valid-before="20270101Z" ssh-ed25519 AAAA…
//! ```
//!
//! A line that is not understood is ignored and reported. One difference: a time without `Z` is local time to
//! OpenSSH, and we know no time zones; such a time counts only when it holds in every zone.

mod edit;
mod line;
mod pattern;
mod time;

pub use edit::KeyFileError;

use super::{Fingerprint, NAMESPACE, Signed, Signer};
use skillful_catalog::bounded::{self, ReadError};
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// Its name, in the user's folder of configuration.
pub const ALLOWED_FILE: &str = "allowed_signers";
/// A larger file is refused.
pub const ALLOWED_LIMIT: usize = 1 << 20;

/// The keys that a user knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// In the order of the file.
    pub lines: Vec<AllowedLine>,
    /// Lines that are ignored.
    pub losses: Vec<AllowedLoss>,
}

/// One key, and what it counts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedLine {
    /// Its number in the file.
    pub number: usize,
    /// Whose key it is: names or patterns, with commas between.
    pub principals: String,
    /// What it may sign, as patterns; anything when there is none.
    pub namespaces: Option<String>,
    /// The first second it counts.
    pub valid_after: Option<i64>,
    /// The last second it counts.
    pub valid_before: Option<i64>,
    /// Such as `ssh-ed25519`.
    pub kind: String,
    /// The key.
    pub fingerprint: Fingerprint,
    /// The comment behind it.
    pub comment: String,
}

/// A line that is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedLoss {
    /// Its number in the file.
    pub number: usize,
    /// Why, and what to do.
    pub why: String,
}

impl fmt::Display for AllowedLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.number, self.why)
    }
}

/// The file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AllowedError {
    /// The disk refused.
    #[error("`{}` cannot be {action}: {error}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// Too many bytes.
    #[error("`{}` is larger than {ALLOWED_LIMIT} bytes", .0.display())]
    TooLarge(PathBuf),
    /// Not text.
    #[error("`{}` is not UTF-8; remove the line that is not", .0.display())]
    NotText(PathBuf),
}

impl Allowed {
    /// Reads the text of a file; every line is a key, a loss, a comment or empty.
    pub fn parse(text: &str) -> Self {
        let mut allowed = Self::default();
        for (at, line) in text.split('\n').enumerate() {
            match line::read(line, at + 1) {
                Ok(Some(line)) => allowed.lines.push(line),
                Ok(None) => {}
                Err(why) => allowed.losses.push(AllowedLoss { number: at + 1, why }),
            }
        }
        allowed
    }

    /// Reads a file; none is an empty one.
    pub fn load(path: &Path) -> Result<Self, AllowedError> {
        Ok(Self::parse(&Self::text(path)?))
    }

    /// The text of a file; none is an empty one.
    pub fn text(path: &Path) -> Result<String, AllowedError> {
        let failed = |error| AllowedError::Disk { path: path.to_path_buf(), action: "read", error };
        match bounded::read_own(path, ALLOWED_LIMIT as u64) {
            Ok(text) => Ok(text.unwrap_or_default()),
            Err(ReadError::TooLarge(_)) => Err(AllowedError::TooLarge(path.to_path_buf())),
            Err(ReadError::NotText) => Err(AllowedError::NotText(path.to_path_buf())),
            Err(error) => Err(failed(error.into())),
        }
    }

    /// Whose key it is. The first line that counts wins, as in OpenSSH.
    pub(super) fn find(&self, fingerprint: Fingerprint, now: i64) -> Signed {
        let mut unfit = Vec::new();
        for line in self.lines.iter().filter(|line| line.fingerprint == fingerprint) {
            match line.unfit(NAMESPACE, now) {
                None => {
                    let principal = Some(line.principals.clone());
                    return Signed::Known(Signer { principal, fingerprint });
                }
                Some(why) => unfit.push(format!("line {} for `{}` {why}", line.number, line.principals)),
            }
        }
        Signed::Unknown { fingerprint, unfit }
    }

    /// Whether a key counts for a signer, as `ssh-keygen -Y verify -I` asks.
    pub fn allows(&self, who: &str, fingerprint: Fingerprint, namespace: &str, now: i64) -> bool {
        self.lines.iter().any(|line| {
            line.fingerprint == fingerprint
                && pattern::is_in(who, &line.principals)
                && line.unfit(namespace, now).is_none()
        })
    }
}

impl AllowedLine {
    /// Why the line does not count for a use at a time; nothing when it does.
    pub fn unfit(&self, namespace: &str, now: i64) -> Option<String> {
        if let Some(namespaces) = &self.namespaces
            && !pattern::is_in(namespace, namespaces)
        {
            return Some(format!("is not for `{namespace}` (namespaces=\"{namespaces}\")"));
        }
        if self.valid_after.is_some_and(|after| now < after) {
            return Some("does not count yet (valid-after)".to_owned());
        }
        if self.valid_before.is_some_and(|before| now > before) {
            return Some("counts no longer (valid-before)".to_owned());
        }
        None
    }
}
