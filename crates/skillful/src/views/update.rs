//! Newer versions of installed skills.

use super::{
    PathText,
    install::{DifferenceView, InstallView},
};
use crate::library::{Library, PENDING, version, word};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::{Finding, Severity};
use skillful_registry::{
    Lock,
    install::{Block, Difference, How, SkillUpdate, UpdateState, differences},
};

/// The plan of an update, and every skill that was asked about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpdateView {
    /// The plan, and what was done of it.
    #[serde(flatten)]
    pub plan: InstallView,
    /// The skills, in order of the names.
    pub skills: Vec<SkillUpdateView>,
}

/// One installed skill and its newer version.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkillUpdateView {
    /// The skill.
    pub skill: String,
    /// `current`, `pending`, `update`, `gone` or `unreachable`.
    pub state: &'static str,
    /// Why it is pending, gone or unreachable.
    pub why: Option<String>,
    /// The installed version.
    pub from: Option<String>,
    /// The version of the source.
    pub to: Option<String>,
    /// Capabilities that the new version has and the installed one has not.
    pub gained: Vec<String>,
    /// Capabilities that the new version no longer has.
    pub dropped: Vec<String>,
    /// Findings of the new version that the installed one has not.
    pub findings: Option<Vec<Finding>>,
    /// Files that differ between the two versions.
    pub files: Option<Vec<DifferenceView>>,
    /// The same files, for a text with colours.
    #[serde(skip)]
    pub compared: Vec<Difference>,
    /// Files that the user edited, and what becomes of them.
    pub edits: Vec<EditView>,
    /// What keeps the skill from being updated.
    pub blocks: Vec<String>,
    /// Whether the user and the source changed the same lines.
    pub conflict: bool,
    /// Whether the user must approve the new version by name.
    pub needs_approval: bool,
    /// The commands that update it all the same.
    pub fix: Option<String>,
}

/// A file that the user edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct EditView {
    /// The folder of the installed skill.
    pub place: PathText,
    /// The file in it.
    pub path: String,
    /// What becomes of it.
    pub how: EditOutcome,
}

/// What becomes of a file that the user edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EditOutcome {
    /// The user's version stays.
    Mine,
    /// The version of the source replaces it.
    Theirs,
    /// Both made the same change.
    Same,
    /// Both changes are merged.
    Joined,
    /// Both changed the same lines.
    Conflict,
}

impl SkillUpdateView {
    /// The view of one skill of an update.
    pub fn new(library: &Library<'_>, lock: &Lock, skill: &SkillUpdate) -> Self {
        let pending = skill.blocks.iter().find(|block| **block == Block::Pending);
        let why = match &skill.state {
            UpdateState::Current | UpdateState::Outdated => pending.map(ToString::to_string),
            UpdateState::Gone(why) | UpdateState::Unreachable(why) => Some(why.clone()),
        };
        let from = lock.skills.get(&skill.name).map(|locked| version(&skill.from, &locked.tree));
        let to = skill.new.as_ref().map(|tree| version(&skill.to, &tree.digest()));
        let compared = match (&skill.old, &skill.new) {
            (Some(old), Some(new)) => Some(differences(old, new)),
            _ => None,
        };
        let edits = skill.edits.iter().flat_map(|edit| {
            edit.files.iter().map(|file| EditView {
                place: library.site().path(&edit.place).into(),
                path: file.path.to_string(),
                how: match file.how {
                    How::Mine => EditOutcome::Mine,
                    How::Theirs => EditOutcome::Theirs,
                    How::Same => EditOutcome::Same,
                    How::Joined => EditOutcome::Joined,
                    How::Conflict(_) => EditOutcome::Conflict,
                },
            })
        });
        Self {
            skill: skill.name.to_string(),
            state: if pending.is_some() { PENDING } else { word(&skill.state) },
            why,
            from,
            to,
            gained: skill.gained.clone(),
            dropped: skill.dropped.clone(),
            findings: skill.card.as_ref().map(|card| card.found.clone()),
            files: compared.as_ref().map(|files| files.iter().map(DifferenceView::new).collect()),
            compared: compared.unwrap_or_default(),
            edits: edits.collect(),
            blocks: skill.blocks.iter().map(ToString::to_string).collect(),
            conflict: skill.has_conflict(),
            needs_approval: skill.needs_agreement(),
            fix: fix(skill),
        }
    }

    /// New findings that are more than notes.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().flatten().filter(|finding| finding.severity >= Severity::Warn)
    }
}

/// The commands that update a skill which is not part of the plan; `None` when no answer of the user helps.
fn fix(skill: &SkillUpdate) -> Option<String> {
    if skill.blocks.is_empty() || skill.is_stuck() {
        return None;
    }
    let name = &skill.name;
    if skill.needs_review() {
        return Some(format!("skillful review {name}"));
    }
    let approve = if skill.needs_agreement() { format!(" --approve {name}") } else { String::new() };
    let keep = if skill.has_conflict() { " --keep mine|theirs" } else { "" };
    Some(format!("skillful diff {name} --upstream, then skillful update {name}{approve}{keep} --yes"))
}
