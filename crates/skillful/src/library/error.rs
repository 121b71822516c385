//! Why the library did not do what it was asked.

use crate::{
    shell_word::shell_word,
    workspace::{NotFound, UnknownAgent},
};
use skillful_registry::{
    content_store::{CleanError, ContentStoreError},
    fetch::FetchError,
    install::InstallError,
    lock::LockError,
    record_file::RecordError,
    sign::AllowedError,
    sources::SourcesError,
};
use std::fmt::Display;

/// What kind of failure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The request cannot be meant.
    Usage,
    /// It was refused, or the thing is not there.
    Refused,
    /// Another process changed the lock while the plan was made; the same request may succeed now.
    LockChanged,
}

/// A request that was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LibraryError {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What failed, in lower case.
    pub message: String,
    /// What failed one by one: a name and what is wrong with it.
    pub items: Vec<(String, String)>,
    /// Why.
    pub cause: Option<String>,
    /// What to do about it.
    pub fixes: Vec<String>,
}

impl LibraryError {
    /// It was refused, or the thing is not there.
    pub fn new(message: impl Display) -> Self {
        Self {
            kind: FailureKind::Refused,
            message: message.to_string(),
            items: Vec::new(),
            cause: None,
            fixes: Vec::new(),
        }
    }

    /// The request cannot be meant.
    pub fn usage(message: impl Display) -> Self {
        Self { kind: FailureKind::Usage, ..Self::new(message) }
    }

    /// Adds one of several things that failed, and why.
    #[must_use]
    pub fn item(mut self, name: impl Display, why: impl Display) -> Self {
        self.items.push((name.to_string(), why.to_string()));
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn cause(mut self, cause: impl Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Adds something to do about it.
    #[must_use]
    pub fn fix(mut self, fix: impl Display) -> Self {
        self.fixes.push(fix.to_string());
        self
    }

    /// Names what was being done when the system refused.
    pub fn io(what: impl Display) -> impl FnOnce(std::io::Error) -> Self {
        move |error| Self::new(format!("failed to {what}: {error}"))
    }
}

impl From<UnknownAgent> for LibraryError {
    fn from(unknown: UnknownAgent) -> Self {
        let fix = match unknown.near.as_slice() {
            [] => "skillful agents lists all agents".to_owned(),
            near => format!("did you mean `{}`?", near.join("` or `")),
        };
        Self::usage(unknown).fix(fix)
    }
}

impl From<&NotFound> for LibraryError {
    fn from(missing: &NotFound) -> Self {
        let error = Self::new(missing);
        if missing.is_pending {
            return error.fix(format!("skillful review {}", shell_word(&missing.word)));
        }
        let error = error.cause(crate::numbers::searched(missing.skills, missing.folders));
        match missing.near.as_slice() {
            [] => error.fix("skillful list"),
            near => error.fix(format!("did you mean `{}`?", near.join("` or `"))),
        }
    }
}

impl From<InstallError> for LibraryError {
    fn from(error: InstallError) -> Self {
        let kind = match error {
            InstallError::LockChanged => FailureKind::LockChanged,
            _ => FailureKind::Refused,
        };
        Self { kind, ..Self::new(error) }
    }
}

impl From<FetchError> for LibraryError {
    fn from(error: FetchError) -> Self {
        let fixes = match &error {
            FetchError::Package { refused, .. } => refused
                .diagnostics
                .iter()
                .filter_map(|found| found.help.as_deref().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        };
        Self { fixes, ..Self::new(error) }
    }
}

macro_rules! refused {
    ($($error:ty),*) => {$(
        impl From<$error> for LibraryError {
            fn from(error: $error) -> Self {
                Self::new(error)
            }
        }
    )*};
}

refused!(
    RecordError,
    ContentStoreError,
    CleanError,
    LockError,
    AllowedError,
    SourcesError,
    skillful_registry::lock::npm::NpmError,
    skillful_registry::sign::SignError,
    skillful_registry::sign::KeyFileError
);
