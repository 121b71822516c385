//! A job that was started and left to its caller.

use super::{
    group::Places,
    ready::ready,
    started::{Started, start},
};
use crate::{Ended, Job, Running, SandboxError, Tier};
use std::time::Duration;

/// The part of a running job that belongs to the system.
#[derive(Debug)]
pub(crate) struct Process(Started);

pub(crate) fn spawn(job: &Job, tier: Tier, places: &Places) -> Result<Running, SandboxError> {
    let (started, ends) = start(ready(job, tier)?, &job.limits, places, None)?;
    Ok(Running::new(ends.stdin, ends.stdout, ends.stderr, Process(started)))
}

impl Process {
    pub(crate) fn tier(&self) -> Tier {
        self.0.tier
    }

    /// How it ended, if it does within a time; without one it does some time.
    pub(crate) fn wait(&mut self, time: Option<Duration>) -> Result<Option<Ended>, SandboxError> {
        if self.0.ended().is_none() && !self.0.reports_within(time) {
            return Ok(None);
        }
        self.0.finish().map(Some)
    }

    pub(crate) fn stop(&mut self) -> Result<Ended, SandboxError> {
        self.0.let_go();
        self.0.finish()
    }
}
