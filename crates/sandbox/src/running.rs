//! A long-running job, such as a server of a skill.

use crate::{Ended, SandboxError, Tier, system::Process};
use std::{fs::File, time::Duration};

/// A job started by [`spawn`](crate::spawn). Its process tree is killed when this is dropped, and when the
/// caller dies.
///
/// The caller owns the streams and must read both outputs; otherwise a job with much output blocks forever.
#[derive(Debug)]
pub struct Running {
    /// The job's standard input; closing it makes most servers exit.
    pub stdin: Option<File>,
    /// The job's standard output.
    pub stdout: Option<File>,
    /// The job's standard error.
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

    /// The tier it runs in.
    pub fn tier(&self) -> Tier {
        self.process.tier()
    }

    /// How it ended, if it has. Never waits.
    pub fn try_wait(&mut self) -> Result<Option<Ended>, SandboxError> {
        self.wait_for(Duration::ZERO)
    }

    /// How it ended, if it ends within this time.
    pub fn wait_for(&mut self, time: Duration) -> Result<Option<Ended>, SandboxError> {
        self.process.wait(Some(time))
    }

    /// Waits until every process of the job has ended.
    pub fn wait(&mut self) -> Result<Ended, SandboxError> {
        self.process.wait(None)?.ok_or(SandboxError::Lost)
    }

    /// Kills the whole tree; takes milliseconds, at worst some seconds. For a job that had already exited,
    /// returns its own status. Calling it again returns the same result.
    pub fn stop(&mut self) -> Result<Ended, SandboxError> {
        self.process.stop()
    }
}
