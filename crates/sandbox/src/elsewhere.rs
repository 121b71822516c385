//! Systems without a sandbox of ours: everything is refused, in words.

use crate::{Finding, Job, Outcome, Report, SandboxError, Tier};

const WHY: &str = "there is no sandbox for this system yet; run it on Linux or in a Linux container";

pub(crate) fn probe() -> Report {
    Report::new(
        [Tier::Bubblewrap, Tier::Landlock].map(|tier| Finding::unusable(tier, WHY.to_owned())).to_vec(),
    )
}

pub(crate) fn run(_job: &Job, tier: Tier) -> Result<Outcome, SandboxError> {
    Err(SandboxError::Unavailable { wanted: tier.to_string(), reasons: WHY.to_owned() })
}
