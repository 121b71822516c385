//! What came of a job.

use crate::Tier;
use std::time::Duration;

/// What came of a job: how it ended, what it said, and under which tier.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// What it wrote to its standard output.
    pub stdout: Captured,
    /// What it wrote to its standard error.
    pub stderr: Captured,
    /// From start until its last process was gone.
    pub took: Duration,
    /// The tier that held it.
    pub tier: Tier,
    /// Processes that could not be ended in time (stuck in the kernel); 0 but in the rarest case.
    pub survivors: u32,
}

/// How a spawned job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub status: Status,
    /// From start until its last process was gone.
    pub took: Duration,
    /// Processes that could not be ended in time (stuck in the kernel); 0 but in the rarest case.
    pub survivors: u32,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal. Bubblewrap tells of a signal as 128 and more, which is read as one.
    Signalled(i32),
    /// Ended at [`Limits::time`](crate::Limits::time).
    TimedOut,
    /// Ended for having more than [`Limits::processes`](crate::Limits::processes).
    TooManyProcesses,
    /// Ended for holding more than [`Limits::memory`](crate::Limits::memory).
    OutOfMemory,
    /// Ended because the caller wanted it: by [`Running::stop`](crate::Running::stop).
    Stopped,
}

impl Status {
    /// It ended by itself with code 0.
    pub fn success(self) -> bool {
        self == Self::Exited(0)
    }
}

/// The kept beginning of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// At most [`Limits::output_bytes`](crate::Limits::output_bytes).
    pub bytes: Vec<u8>,
    /// There was more.
    pub truncated: bool,
}

impl Captured {
    /// Takes what fits and notes whether something did not.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux runs jobs"))]
    pub(crate) fn take(&mut self, bytes: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len()).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..room]);
        self.truncated |= room < bytes.len();
    }

    /// As text; what is no UTF-8 is replaced.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
