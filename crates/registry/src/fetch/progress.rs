//! The progress of a fetch, for display.

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
    /// As a user reads it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Repository => "fetching the repository",
            Self::Index => "reading the index",
            Self::Download => "downloading",
            Self::Unpack => "unpacking",
        }
    }
}

type Report = dyn Fn(Phase, u64, Option<u64>) + Send + Sync;

/// Receives the phase, how many bytes came, and of how many when that is known.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<Report>>);

impl Progress {
    /// Reports to this function.
    pub fn new(report: impl Fn(Phase, u64, Option<u64>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(report)))
    }

    pub(super) fn report(&self, phase: Phase, done: u64, total: Option<u64>) {
        if let Some(report) = &self.0 {
            report(phase, done, total);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}
