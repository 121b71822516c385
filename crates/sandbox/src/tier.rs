//! The kinds of sandbox, and which of them are usable on this machine.

use crate::{SandboxError, TreeEnforcement, system::CgroupParents};
use std::fmt;

/// A kind of sandbox, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Namespaces made by `bwrap`: paths that were not given do not exist. Also seccomp and limits. Not
    /// prevented: the job can fill the disk with files in a writable folder. Not available to the job: Unix
    /// sockets, unless the job has [some](crate::Job::sockets), because one may lie in a folder that is
    /// given.
    Bubblewrap,
    /// Restrictions on the program itself: Landlock for files and signals, seccomp for the rest, no
    /// capabilities. Not prevented, in addition to the above: the job can find out whether a file outside
    /// exists (`stat`). Not available to the job: changing modes, owners and attributes of files, `/tmp`
    /// (there is a private `TMPDIR`), `/proc` of processes, and Unix sockets.
    Landlock,
    /// No sandbox, only the limits. Used only when the caller requests it explicitly.
    None,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::None => "none",
        })
    }
}

/// What a caller requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Require {
    /// The strongest usable sandbox, or a refusal.
    Sandbox,
    /// This tier and no other, or a refusal. [`Tier::None`] here is the only way to run without a sandbox.
    Exactly(Tier),
}

/// The result of the probe for one tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierStatus {
    /// The tier.
    pub tier: Tier,
    /// Whether a canary ran in it and could not escape.
    pub usable: bool,
    /// The reason, in one clause.
    pub reason: String,
    /// How to make it usable; `None` if it is.
    pub fix: Option<String>,
}

impl TierStatus {
    #[cfg(target_os = "linux")]
    pub(crate) fn usable(tier: Tier, reason: impl Into<String>) -> Self {
        Self { tier, usable: true, reason: reason.into(), fix: None }
    }

    pub(crate) fn unusable(tier: Tier, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { tier, usable: false, reason: reason.into(), fix: Some(fix.into()) }
    }
}

/// The result of a probe. Only the probe creates it, so a tier that it lists as usable has held a canary.
#[derive(Debug, Clone)]
pub struct Report {
    tiers: Vec<TierStatus>,
    enforcement: TreeEnforcement,
    kernel: String,
    landlock: Option<i32>,
    parents: CgroupParents,
}

impl Report {
    pub(crate) fn new(
        tiers: Vec<TierStatus>,
        enforcement: TreeEnforcement,
        kernel: String,
        landlock: Option<i32>,
        parents: CgroupParents,
    ) -> Self {
        Self { tiers, enforcement, kernel, landlock, parents }
    }

    /// How the limits on the process tree are enforced.
    pub fn enforcement(&self) -> TreeEnforcement {
        self.enforcement
    }

    /// The kernel's name and version.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The version of Landlock, if the kernel has it.
    pub fn landlock(&self) -> Option<i32> {
        self.landlock
    }

    pub(crate) fn parents(&self) -> &CgroupParents {
        &self.parents
    }

    /// All tiers, the strongest first.
    pub fn tiers(&self) -> &[TierStatus] {
        &self.tiers
    }

    /// The strongest usable tier.
    pub fn best(&self) -> Option<Tier> {
        self.tiers.iter().find(|status| status.usable).map(|status| status.tier)
    }

    /// The tier for a requirement, or why there is none.
    pub fn choose(&self, require: Require) -> Result<Tier, SandboxError> {
        let (wanted, chosen) = match require {
            Require::Sandbox => ("any tier".to_owned(), self.best()),
            Require::Exactly(Tier::None) => return Ok(Tier::None),
            Require::Exactly(tier) => {
                let holds = self.tiers.iter().any(|status| status.tier == tier && status.usable);
                (tier.to_string(), holds.then_some(tier))
            }
        };
        chosen.ok_or_else(|| {
            let failed = self.tiers.iter().filter(|status| !status.usable);
            let reasons: Vec<_> = failed
                .map(|f| {
                    let fix = f.fix.as_deref().map_or_else(String::new, |fix| format!(" ({fix})"));
                    format!("{}: {}{fix}", f.tier, f.reason)
                })
                .collect();
            SandboxError::Unavailable { wanted, reasons: reasons.join("; ") }
        })
    }
}

#[cfg(test)]
mod tests;
