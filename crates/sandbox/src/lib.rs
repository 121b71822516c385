//! Runs commands in a sandbox with resource limits. Knows nothing of skills.
//!
//! A [`Job`] is a program with everything it can access: arguments, input, environment, folders, network and
//! [`Limits`]. A [`Tier`] is a kind of sandbox. [`probe`] finds the tiers that work on this machine by running a
//! canary in each. [`run`] uses the strongest tier that the caller's [`Require`] allows, or refuses the job;
//! [`spawn`] does the same for a server. Neither falls back to running without a sandbox: the caller has to
//! request [`Tier::None`] explicitly.
//!
//! The documentation of each [`Tier`] lists what it does not protect against.
//!
//! ```text
//! caller ── supervisor (own session, adopts orphans, counts processes, kills the tree)
//!              └── bwrap ── program           or           program (Landlock, seccomp, no capabilities)
//! ```

mod enforcement;
mod error;
mod job;
mod outcome;
mod running;
mod tier;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;

#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(not(target_os = "linux"))]
use unsupported as system;

pub use enforcement::{Enforcement, TreeEnforcement};
pub use error::SandboxError;
pub use job::{Job, Limits, Network, Replacement};
pub use outcome::{Captured, Ended, Outcome, Status};
pub use running::Running;
pub use tier::{Report, Require, Tier, TierStatus};

/// Finds the tiers that work on this machine by running a canary in each. Takes some tens of milliseconds;
/// keep the report for the lifetime of the process.
pub fn probe() -> Report {
    system::probe(true)
}

/// Like [`probe`], but stops at the strongest tier that works. This is enough for [`Require::Sandbox`], for a
/// program that runs one command. Weaker tiers are reported as not tried and not usable.
pub fn probe_best() -> Report {
    system::probe(false)
}

/// Runs a job in the strongest tier that `require` allows and `report` lists as usable, and waits until every
/// process of the job has ended.
pub fn run(job: &Job, require: Require, report: &Report) -> Result<Outcome, SandboxError> {
    system::run(job, report.choose(require)?, report.parents())
}

/// Like [`run`], but calls `stop` every fifty milliseconds. When `stop` returns true, the tree is killed, and
/// the output so far is returned with [`Status::Stopped`].
pub fn run_until(
    job: &Job,
    require: Require,
    report: &Report,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, SandboxError> {
    system::run_until(job, report.choose(require)?, report.parents(), stop)
}

/// Starts a job like [`run`], and leaves its streams and its end to the caller. For servers.
pub fn spawn(job: &Job, require: Require, report: &Report) -> Result<Running, SandboxError> {
    system::spawn(job, report.choose(require)?, report.parents())
}

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
