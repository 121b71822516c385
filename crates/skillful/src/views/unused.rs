//! Approved skills of the assistant, and which of them are not used.

use super::{DiagnosticView, PathText};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_runtime::curate::UsageState;

/// The skills that the assistant wrote and the user approved, and what changed about them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnusedReport {
    /// The version of this object.
    pub schema: u32,
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// What changed, or would change.
    pub done: Vec<CuratedSkill>,
    /// Every skill, by name.
    pub skills: Vec<AuthoredSkill>,
    /// What is wrong with the database and our own files.
    pub diagnostics: Vec<DiagnosticView>,
}

/// A change of one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CuratedSkill {
    /// The skill.
    pub name: String,
    /// Its state before.
    pub from: UsageState,
    /// Its state now; absent when its folder is gone and it is no longer followed.
    pub to: Option<UsageState>,
    /// Days without a use.
    pub idle_days: u64,
    /// Why it was not changed after all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// One skill that the assistant wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AuthoredSkill {
    /// The skill.
    pub name: String,
    /// Its state.
    pub state: UsageState,
    /// Whether the user keeps it, used or not.
    pub pinned: bool,
    /// When the user approved it, in seconds since 1970.
    pub approved: u64,
    /// When it was last used, in seconds since 1970.
    pub last_used: Option<u64>,
    /// Days without a use.
    pub idle_days: u64,
}

/// A skill that was pinned or unpinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PinView {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub name: String,
    /// Whether it is pinned now.
    pub pinned: bool,
}

/// A skill that came back from the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RestoreView {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub name: String,
    /// Its folder.
    pub folder: PathText,
}
