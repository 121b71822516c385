//! The sandboxes of this machine.

use super::SCHEMA;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_sandbox::{Enforcement, TierStatus, TreeEnforcement};

/// The sandboxes that work on this machine, and how limits are enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SandboxView {
    /// The version of this object.
    pub schema: u32,
    /// The kernel.
    pub kernel: String,
    /// The version of Landlock.
    pub landlock: Option<i32>,
    /// The sandbox that is used; absent when none works.
    pub best: Option<String>,
    /// The sandboxes, the strongest first.
    pub tiers: Vec<TierView>,
    /// How limits over all processes of a command are enforced.
    pub limits: LimitsView,
}

/// One sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TierView {
    /// `bubblewrap` or `landlock`.
    pub tier: String,
    /// Whether it works here.
    pub usable: bool,
    /// What it holds, or why it does not work.
    pub reason: String,
    /// How to make it work.
    pub fix: Option<String>,
}

/// How limits over all processes of a command are enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LimitsView {
    /// The number of processes.
    pub processes: EnforcementView,
    /// The memory.
    pub memory: EnforcementView,
}

/// How one limit is enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EnforcementView {
    /// `cgroup-v1`, `cgroup-v2`, `rlimit`, `count` or `none`.
    pub by: String,
    /// Whether the kernel enforces it, whatever the program does.
    pub kernel: bool,
    /// The same as a sentence.
    pub meaning: String,
}

impl SandboxView {
    /// The view of a probe.
    pub fn new(
        kernel: &str,
        landlock: Option<i32>,
        tiers: &[TierStatus],
        enforcement: TreeEnforcement,
    ) -> Self {
        let tier = |status: &TierStatus| TierView {
            tier: status.tier.to_string(),
            usable: status.usable,
            reason: status.reason.clone(),
            fix: status.fix.clone(),
        };
        Self {
            schema: SCHEMA,
            kernel: kernel.to_owned(),
            landlock,
            best: tiers.iter().find(|status| status.usable).map(|status| status.tier.to_string()),
            tiers: tiers.iter().map(tier).collect(),
            limits: LimitsView {
                processes: EnforcementView::of(enforcement.processes),
                memory: EnforcementView::of(enforcement.memory),
            },
        }
    }
}

impl EnforcementView {
    fn of(enforcement: Enforcement) -> Self {
        let (by, meaning) = match enforcement {
            Enforcement::Cgroup(version) => (
                format!("cgroup-v{version}"),
                format!("by a cgroup (v{version}): the kernel enforces it, also for root"),
            ),
            Enforcement::UserLimit => {
                ("rlimit".to_owned(), "by a limit of the user slightly above it, and by counting".to_owned())
            }
            Enforcement::Count => (
                "count".to_owned(),
                "by counting many times a second; a writable cgroup would enforce it exactly".to_owned(),
            ),
            _ => ("none".to_owned(), "not enforced".to_owned()),
        };
        let kernel = matches!(enforcement, Enforcement::Cgroup(_) | Enforcement::UserLimit);
        Self { by, kernel, meaning }
    }
}
