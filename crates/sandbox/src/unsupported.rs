//! Systems without a sandbox: every job is refused with an explanation.

use crate::{Ended, Job, Outcome, Report, Running, SandboxError, Tier, TierStatus, TreeEnforcement};
use std::time::Duration;

const WHY: &str = "the sandbox supports only Linux";
const FIX: &str = "run it on Linux or in a Linux container";

/// Where cgroups can be created: nowhere on this system.
#[derive(Debug, Clone, Default)]
pub(crate) struct CgroupParents(());

/// A running job: none can exist on this system.
#[derive(Debug)]
pub(crate) enum Process {}

impl Process {
    pub(crate) fn tier(&self) -> Tier {
        match *self {}
    }

    pub(crate) fn wait(&mut self, _time: Option<Duration>) -> Result<Option<Ended>, SandboxError> {
        match *self {}
    }

    pub(crate) fn stop(&mut self) -> Result<Ended, SandboxError> {
        match *self {}
    }
}

pub(crate) fn probe(_all: bool) -> Report {
    let tiers = [Tier::Bubblewrap, Tier::Landlock].map(|tier| TierStatus::unusable(tier, WHY, FIX));
    Report::new(tiers.into(), TreeEnforcement::NONE, std::env::consts::OS.to_owned(), None, CgroupParents(()))
}

pub(crate) fn run(_job: &Job, tier: Tier, _places: &CgroupParents) -> Result<Outcome, SandboxError> {
    Err(refusal(tier))
}

pub(crate) fn run_until(
    _job: &Job,
    tier: Tier,
    _places: &CgroupParents,
    _stop: &dyn Fn() -> bool,
) -> Result<Outcome, SandboxError> {
    Err(refusal(tier))
}

pub(crate) fn spawn(_job: &Job, tier: Tier, _places: &CgroupParents) -> Result<Running, SandboxError> {
    Err(refusal(tier))
}

fn refusal(tier: Tier) -> SandboxError {
    SandboxError::Unavailable { wanted: tier.to_string(), reasons: format!("{WHY}; {FIX}") }
}
