//! The ways of holding a job, and which of them hold here.

use crate::{Keepers, SandboxError, system::Places};
use std::fmt;

/// A way of holding a job, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tier {
    /// Own namespaces by `bwrap`: what is not given does not exist. Also seccomp and limits. Left open: files
    /// of any number in a writable folder may fill its disk. Given up for safety: Unix sockets, unless the job
    /// has [some](crate::Job::sockets), since one may lie in a folder that is given.
    Bubblewrap,
    /// Rules of the kernel on the program itself: Landlock for files and signals, seccomp for the rest, no
    /// capabilities. Left open, besides the above: whether a file outside exists can be asked (`stat`). Given up
    /// for safety: changing modes, owners and attributes of files, `/tmp` (there is a private `TMPDIR`), `/proc`
    /// of processes, and Unix sockets.
    Landlock,
    /// No sandbox; only the limits. Never chosen unless asked for by name.
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

/// What a caller insists on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Require {
    /// The strongest sandbox there is, or a refusal.
    Sandbox,
    /// This tier and no other, or a refusal. [`Tier::None`] here is the only way to run without a sandbox.
    Exactly(Tier),
}

/// What the probe found out about one tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The tier.
    pub tier: Tier,
    /// A canary ran in it and was held.
    pub usable: bool,
    /// Why, in one clause.
    pub reason: String,
    /// What to do about it; none where it is usable.
    pub fix: Option<String>,
}

impl Finding {
    #[cfg(target_os = "linux")]
    pub(crate) fn usable(tier: Tier, reason: impl Into<String>) -> Self {
        Self { tier, usable: true, reason: reason.into(), fix: None }
    }

    pub(crate) fn unusable(tier: Tier, reason: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { tier, usable: false, reason: reason.into(), fix: Some(fix.into()) }
    }
}

/// What the probe found out. Only the probe makes one, so a tier it calls usable did hold.
#[derive(Debug, Clone)]
pub struct Report {
    findings: Vec<Finding>,
    keepers: Keepers,
    kernel: String,
    landlock: Option<i32>,
    places: Places,
}

impl Report {
    pub(crate) fn new(
        findings: Vec<Finding>,
        keepers: Keepers,
        kernel: String,
        landlock: Option<i32>,
        places: Places,
    ) -> Self {
        Self { findings, keepers, kernel, landlock, places }
    }

    /// What keeps the limits of a tree.
    pub fn keepers(&self) -> Keepers {
        self.keepers
    }

    /// The system's kernel and its version.
    pub fn kernel(&self) -> &str {
        &self.kernel
    }

    /// The version of Landlock, where the kernel has one.
    pub fn landlock(&self) -> Option<i32> {
        self.landlock
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// The tiers that were tried, the strongest first.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The strongest tier that holds here.
    pub fn best(&self) -> Option<Tier> {
        self.findings.iter().find(|finding| finding.usable).map(|finding| finding.tier)
    }

    /// The tier a caller gets, or why none.
    pub fn choose(&self, require: Require) -> Result<Tier, SandboxError> {
        let (wanted, chosen) = match require {
            Require::Sandbox => ("any tier".to_owned(), self.best()),
            Require::Exactly(Tier::None) => return Ok(Tier::None),
            Require::Exactly(tier) => {
                let holds = self.findings.iter().any(|finding| finding.tier == tier && finding.usable);
                (tier.to_string(), holds.then_some(tier))
            }
        };
        chosen.ok_or_else(|| {
            let failed = self.findings.iter().filter(|finding| !finding.usable);
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
