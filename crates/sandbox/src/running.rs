//! A job that lives long: a server a skill brings along.

use crate::{Ended, SandboxError, Tier, system::Process};
use std::{fs::File, time::Duration};

/// A job that was started by [`spawn`](crate::spawn). Its tree is ended when this is dropped, and when the
/// caller dies.
///
/// The streams are the caller's to take: read both outputs, or a job that says much waits for ever.
#[derive(Debug)]
pub struct Running {
    /// What the job reads; closing it tells most servers to end.
    pub stdin: Option<File>,
    /// What it says.
    pub stdout: Option<File>,
    /// What it complains of.
    pub stderr: Option<File>,
    process: Process,
}

impl Running {
    #[cfg(target_os = "linux")]
    pub(crate) fn new(
        stdin: Option<File>,
        stdout: Option<File>,
        stderr: Option<File>,
        process: Process,
    ) -> Self {
        Self { stdin, stdout, stderr, process }
    }

    /// The tier that holds it.
    pub fn tier(&self) -> Tier {
        self.process.tier()
    }

    /// How it ended, if it has. Never waits.
    pub fn try_wait(&mut self) -> Result<Option<Ended>, SandboxError> {
        self.wait_for(Duration::ZERO)
    }

    /// How it ended, if it does within this time.
    pub fn wait_for(&mut self, time: Duration) -> Result<Option<Ended>, SandboxError> {
        self.process.wait(Some(time))
    }

    /// Waits until every process of it is gone.
    pub fn wait(&mut self) -> Result<Ended, SandboxError> {
        self.process.wait(None)?.ok_or(SandboxError::Lost)
    }

    /// Ends the whole tree at once; takes milliseconds, and in the worst case some seconds. One that has ended
    /// by itself is told as such. Doing it again tells the same.
    pub fn stop(&mut self) -> Result<Ended, SandboxError> {
        self.process.stop()
    }
}
