//! What is wrong with a lock, and where in it.

use super::VERSION;
use std::{io, path::PathBuf};

/// A lock that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// The disk refused.
    #[error("`{}` cannot be {action}: {error}", path.display())]
    Disk {
        /// The lock's file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// Its text is wrong. Nothing of it is used: a part of a lock could pass for a whole one.
    #[error("`{}` {fault}", path.display())]
    Text {
        /// The lock's file.
        path: PathBuf,
        /// Why.
        fault: LockFault,
    },
}

/// What is wrong with the text of a lock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockFault {
    /// Too many bytes.
    #[error("is larger than {0} bytes, which no lock is")]
    TooLarge(u64),
    /// git left its marks.
    #[error("holds marks of a merge conflict; keep the tables of both sides and take out the marks")]
    Conflict,
    /// Not TOML.
    #[error("is not TOML: {0}")]
    Toml(String),
    /// From a newer program.
    #[error("is of version {0}, and this program knows {VERSION}; update skillful")]
    Newer(i64),
    /// A key that must be there is not.
    #[error("has no `{0}`")]
    Missing(String),
    /// A key holds something else than it may.
    #[error("holds in `{key}` what it cannot: {why}")]
    Value {
        /// The key, from the top.
        key: String,
        /// What would be right.
        why: String,
    },
}
