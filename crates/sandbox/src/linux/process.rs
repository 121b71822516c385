//! A running job whose streams belong to the caller.

use super::{
    cgroup::CgroupParents,
    prepared::prepare,
    started::{StartedJob, start},
};
use crate::{Ended, Job, Running, SandboxError, Tier};
use std::time::Duration;

/// The Linux part of a running job.
#[derive(Debug)]
pub(crate) struct Process(StartedJob);

pub(crate) fn spawn(job: &Job, tier: Tier, parents: &CgroupParents) -> Result<Running, SandboxError> {
    let (started, ends) = start(prepare(job, tier)?, &job.limits, parents, None)?;
    Ok(Running::new(ends.stdin, ends.stdout, ends.stderr, Process(started)))
}

impl Process {
    pub(crate) fn tier(&self) -> Tier {
        self.0.tier
    }

    /// How it ended, if it ends within the time; without a time, waits until it ends.
    pub(crate) fn wait(&mut self, time: Option<Duration>) -> Result<Option<Ended>, SandboxError> {
        if self.0.ended().is_none() && !self.0.reports_within(time) {
            return Ok(None);
        }
        self.0.finish().map(Some)
    }

    pub(crate) fn stop(&mut self) -> Result<Ended, SandboxError> {
        self.0.stop_tree();
        self.0.finish()
    }
}
