//! The result of a job.

use crate::Tier;
use std::time::Duration;

/// The result of a job: how it ended, its output, and its tier.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Time from the start until its last process ended.
    pub took: Duration,
    /// The tier it ran in.
    pub tier: Tier,
    /// Processes that could not be killed in time because they were stuck in the kernel; almost always 0.
    pub survivors: u32,
}

/// How a spawned job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub status: Status,
    /// Time from the start until its last process ended.
    pub took: Duration,
    /// Processes that could not be killed in time because they were stuck in the kernel; almost always 0.
    pub survivors: u32,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It exited with this code.
    Exited(i32),
    /// It was killed by this signal. Bubblewrap reports a signal as an exit code above 128, which is
    /// converted.
    Signalled(i32),
    /// It was killed at [`Limits::time`](crate::Limits::time).
    TimedOut,
    /// It was killed for exceeding [`Limits::processes`](crate::Limits::processes).
    TooManyProcesses,
    /// It was killed for exceeding [`Limits::memory`](crate::Limits::memory).
    OutOfMemory,
    /// The caller stopped it with [`Running::stop`](crate::Running::stop) or [`run_until`](crate::run_until).
    Stopped,
}

impl Status {
    /// Whether it exited with code 0.
    pub fn success(self) -> bool {
        self == Self::Exited(0)
    }
}

/// The start of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// At most [`Limits::output_bytes`](crate::Limits::output_bytes).
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub truncated: bool,
}

impl Captured {
    /// Adds what fits and records whether something did not.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux runs jobs"))]
    pub(crate) fn take(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.truncated |= room < bytes.len();
    }

    /// The bytes as text; invalid UTF-8 is replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
