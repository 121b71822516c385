//! How installed skills compare with the lock and with their sources.

use super::{PathText, install::DifferenceView};
use crate::library::{PENDING, UpdateOutcome};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_registry::install::Difference;

/// Installed files and signatures, compared with the lock.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct VerifyView {
    /// The version of this object.
    pub schema: u32,
    /// Skills of the lock.
    pub skills: usize,
    /// Those that wait for a review.
    pub pending: usize,
    /// Those with approved edits.
    pub edited: usize,
    /// Signatures that the lock names.
    pub signatures: Vec<SignatureView>,
    /// Places that are not as locked.
    pub drift: Vec<DriftView>,
    /// What could not be used while comparing.
    pub warnings: Vec<String>,
}

impl VerifyView {
    /// Whether everything that the lock names is installed as it says. What is pending is not installed.
    pub fn is_clean(&self) -> bool {
        self.pending == 0 && self.is_as_locked()
    }

    /// Whether everything that is installed is as locked.
    pub fn is_as_locked(&self) -> bool {
        self.drift.is_empty() && self.signatures.iter().all(|one| one.why.is_none())
    }
}

/// A place that is not as locked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DriftView {
    /// The skill.
    pub skill: String,
    /// Its folder.
    pub path: PathText,
    /// What differs.
    pub changes: Vec<String>,
}

/// A signature of an installed skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SignatureView {
    /// The skill.
    pub skill: String,
    /// The signer that the lock names.
    pub locked: String,
    /// `known`, `unknown`, `bad`, `unsigned` or `not kept`.
    pub state: &'static str,
    /// Whose key it is, as the user names it.
    pub principal: Option<String>,
    /// The key.
    pub fingerprint: Option<String>,
    /// What is wrong with it.
    pub why: Option<String>,
}

/// Installed skills compared with their sources.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutdatedView {
    /// The version of this object.
    pub schema: u32,
    /// In order of the names.
    pub skills: Vec<StatusView>,
    /// What could not be used while asking.
    pub warnings: Vec<String>,
}

impl OutdatedView {
    /// What is left to do.
    pub fn outcome(&self) -> UpdateOutcome {
        let is = |states: &[&str]| self.skills.iter().any(|skill| states.contains(&skill.state));
        match () {
            () if is(&["update", "gone", PENDING]) => UpdateOutcome::Left,
            () if is(&["unreachable"]) => UpdateOutcome::Unreachable,
            () => UpdateOutcome::Complete,
        }
    }
}

/// One installed skill compared with its source.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StatusView {
    /// The skill.
    pub skill: String,
    /// The installed version.
    pub locked: String,
    /// The version that the source has.
    pub newest: Option<String>,
    /// `current`, `pending`, `update`, `gone` or `unreachable`.
    pub state: &'static str,
    /// Whether the user edited it.
    pub edited: bool,
    /// Why it is pending, gone or unreachable.
    pub why: Option<String>,
}

/// What differs between two versions of installed skills.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct DiffView {
    /// The version of this object.
    pub schema: u32,
    /// By skill and place.
    pub differences: Vec<PartView>,
    /// What could not be compared.
    pub missed: Vec<MissedView>,
    /// What could not be used while comparing.
    pub warnings: Vec<String>,
}

/// What differs in one skill, or in one place of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PartView {
    /// The skill.
    pub skill: String,
    /// The folder; none when sources are compared.
    pub place: Option<PathText>,
    /// The files.
    pub files: Vec<DifferenceView>,
    /// The same for text.
    #[serde(skip)]
    pub compared: Vec<Difference>,
}

/// A skill that could not be compared.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissedView {
    /// The skill.
    pub skill: String,
    /// Why.
    pub why: String,
}
