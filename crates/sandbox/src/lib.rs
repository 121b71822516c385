//! Running a command inside limits. Knows nothing of skills.
//!
//! A [`Job`] is a program with everything it may see: its arguments, input, environment, folders, network and
//! [`Limits`]. A [`Tier`] is a way of holding it. [`probe`] says which tiers hold on this machine, by running a
//! canary in each; [`run`] takes the best one the caller's [`Require`] allows, or refuses, and so does [`spawn`]
//! for a server. They never fall back to an unsandboxed run: that is [`Tier::None`], and it must be asked for by
//! name.
//!
//! What a tier cannot close is written at the tier, not hidden: see [`Tier`].
//!
//! ```text
//! caller ── supervisor (own session, takes in orphans, counts, ends the tree)
//!              └── bwrap ── program           or           program (Landlock, seccomp, no capabilities)
//! ```

mod error;
mod job;
mod keeper;
mod outcome;
mod running;
mod tier;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
use elsewhere as system;

pub use error::SandboxError;
pub use job::{Job, Limits, Network};
pub use keeper::{Keeper, Keepers};
pub use outcome::{Captured, Ended, Outcome, Status};
pub use running::Running;
pub use tier::{Finding, Report, Require, Tier};

/// Finds out which tiers hold here, by running a canary in each. Costs some tens of milliseconds: keep the
/// report for as long as the program runs.
pub fn probe() -> Report {
    system::probe(true)
}

/// As [`probe`], but stops at the strongest tier that holds: enough for [`Require::Sandbox`], for a program that
/// runs one command. A weaker tier is then reported as not tried, and not usable.
pub fn probe_best() -> Report {
    system::probe(false)
}

/// Runs a job in the best tier that `require` allows and `report` found usable, and waits until every process
/// it started is gone.
pub fn run(job: &Job, require: Require, report: &Report) -> Result<Outcome, SandboxError> {
    system::run(job, report.choose(require)?, report.places())
}

/// As [`run`], but looks every fifty milliseconds whether `stop` says that nobody waits any more: then the tree
/// is ended, and what it said so far is given with [`Status::Stopped`].
pub fn run_until(
    job: &Job,
    require: Require,
    report: &Report,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, SandboxError> {
    system::run_until(job, report.choose(require)?, report.places(), stop)
}

/// Starts a job as [`run`] does, and leaves its streams and its end to the caller: for a server.
pub fn spawn(job: &Job, require: Require, report: &Report) -> Result<Running, SandboxError> {
    system::spawn(job, report.choose(require)?, report.places())
}
