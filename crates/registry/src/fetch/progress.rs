//! Telling whoever waits how far a fetch is. Nothing is decided by it.

use std::{fmt, sync::Arc};

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// git fetches a repository.
    Repository,
    /// A list of skills is read.
    Index,
    /// Bytes of an archive or a file arrive.
    Download,
    /// They are unpacked and checked.
    Unpack,
}

impl Phase {
    /// As a person reads it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Repository => "fetching the repository",
            Self::Index => "reading the index",
            Self::Download => "downloading",
            Self::Unpack => "unpacking",
        }
    }
}

type Tell = dyn Fn(Phase, u64, Option<u64>) + Send + Sync;

/// Somebody who is told: what is done, how many bytes came, and of how many when that is known.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Tell>>);

impl Progress {
    /// Tells this function.
    pub fn new(tell: impl Fn(Phase, u64, Option<u64>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(super) fn tell(&self, phase: Phase, done: u64, total: Option<u64>) {
        if let Some(tell) = &self.0 {
            tell(phase, done, total);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}
