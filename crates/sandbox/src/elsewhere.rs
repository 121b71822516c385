//! Systems without a sandbox of ours: everything is refused, in words.

use crate::{Ended, Finding, Job, Keepers, Outcome, Report, Running, SandboxError, Tier};
use std::time::Duration;

const WHY: &str = "there is no sandbox for this system yet";
const FIX: &str = "run it on Linux or in a Linux container";

/// Where groups of processes can be made: nowhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(());

/// A job that runs: there is none.
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
    let findings = [Tier::Bubblewrap, Tier::Landlock].map(|tier| Finding::unusable(tier, WHY, FIX));
    Report::new(findings.into(), Keepers::NONE, std::env::consts::OS.to_owned(), None, Places(()))
}

pub(crate) fn run(_job: &Job, tier: Tier, _places: &Places) -> Result<Outcome, SandboxError> {
    Err(refusal(tier))
}

pub(crate) fn run_until(
    _job: &Job,
    tier: Tier,
    _places: &Places,
    _stop: &dyn Fn() -> bool,
) -> Result<Outcome, SandboxError> {
    Err(refusal(tier))
}

pub(crate) fn spawn(_job: &Job, tier: Tier, _places: &Places) -> Result<Running, SandboxError> {
    Err(refusal(tier))
}

fn refusal(tier: Tier) -> SandboxError {
    SandboxError::Unavailable { wanted: tier.to_string(), reasons: format!("{WHY}; {FIX}") }
}
