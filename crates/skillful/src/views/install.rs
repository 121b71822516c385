//! Plans of the library.

use super::{CapabilityView, PathText};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_audit::{Finding, Report};
use skillful_catalog::capability::not_declared;
use skillful_format::Digest;
use skillful_registry::{
    install::{Action, Detail, Difference, Mode, PlacementPlan, PlanStep, Refusal, What},
    review::{Card, Change},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// A plan, and what was done of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InstallView {
    /// The version of this object.
    pub schema: u32,
    /// The file of the lock.
    pub lock: PathText,
    /// What is done to each place.
    pub steps: Vec<StepView>,
    /// What was asked for and is skipped, with the reasons.
    pub left_out: Vec<StepView>,
    /// The audit of each skill that is new here, by name.
    pub cards: BTreeMap<String, CardView>,
    /// What the user should know and that stops nothing.
    pub warnings: Vec<String>,
    /// Whether the plan was carried out.
    pub applied: bool,
    /// Whether the lock was written.
    pub lock_written: bool,
    /// Folders that a stopped run left behind.
    pub left: Vec<PathText>,
    /// Where the user's own versions were saved before they gave way.
    pub saved: Vec<PathText>,
}

/// What is done to one place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepView {
    /// The skill.
    pub skill: String,
    /// Its folder.
    pub path: PathText,
    /// As files or as a link.
    pub mode: ModeView,
    /// What is done.
    pub action: ActionView,
    /// Why nothing is done, when it is refused.
    pub why: Option<String>,
    /// The tree that the place gets.
    pub tree: Option<Digest>,
    /// Who signed it.
    pub signer: Option<String>,
    /// Whether the signer is not the one that the lock named before.
    #[serde(skip)]
    pub new_signer: bool,
    /// Capabilities that it did not have before.
    pub gained: Vec<String>,
    /// Capabilities that it no longer has.
    pub dropped: Vec<String>,
}

/// How a skill lies in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModeView {
    /// Files of its own.
    Copy,
    /// A link into the content store.
    Link,
    /// A link to a copy in another folder.
    Alias,
}

/// What is done to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActionView {
    /// Installed where nothing was.
    Create,
    /// Replaces what was installed before.
    Replace,
    /// The new version is merged with the user's edits.
    Merge,
    /// It is what it should be.
    Keep,
    /// It is what it should be, and this user approves it with the plan.
    Approve,
    /// Downloaded, and waits for a review.
    Pending,
    /// Removed.
    Remove,
    /// It is gone already; only the lock forgets it.
    Gone,
    /// Left as it is.
    Refuse,
}

impl StepView {
    pub(crate) fn new(step: &PlanStep, base: &Path, plan: &PlacementPlan, approves: bool) -> Self {
        let (action, why) = match &step.action {
            Action::Create => (ActionView::Create, None),
            Action::Replace => (ActionView::Replace, None),
            Action::Merge => (ActionView::Merge, None),
            Action::Keep if approves => (ActionView::Approve, None),
            Action::Keep => (ActionView::Keep, None),
            Action::Pending => (ActionView::Pending, None),
            Action::Remove => (ActionView::Remove, None),
            Action::Gone => (ActionView::Gone, None),
            Action::Refuse(why) => (ActionView::Refuse, Some(why.to_string())),
        };
        let signer = |lock: &skillful_registry::Lock| {
            lock.skills.get(&step.name).and_then(|locked| locked.signer.clone())
        };
        let now = signer(&plan.after);
        Self {
            skill: step.name.to_string(),
            path: base.join(step.place.as_str()).into(),
            mode: match step.mode {
                Mode::Copy => ModeView::Copy,
                Mode::Link => ModeView::Link,
                Mode::Alias => ModeView::Alias,
            },
            action,
            why,
            tree: step.tree(),
            new_signer: now.is_some() && now != signer(&plan.before),
            signer: now.map(|signer| signer.to_string()),
            gained: step.gained.clone(),
            dropped: step.dropped.clone(),
        }
    }

    pub(crate) fn refused(step: &PlanStep, base: &Path, why: &Refusal) -> Self {
        let plan = PlacementPlan::default();
        let why = Some(why.to_string());
        Self { action: ActionView::Refuse, why, ..Self::new(step, base, &plan, false) }
    }

    /// The step as a sentence, which is true before and after it is carried out; `place` is the place as the reader
    /// knows it.
    pub fn sentence(&self, place: &str) -> String {
        let name = &self.skill;
        let how = match self.mode {
            ModeView::Copy => "",
            ModeView::Link => " as a link",
            ModeView::Alias => " as a link to its copy",
        };
        match self.action {
            ActionView::Create => format!("install {name} to {place}{how}"),
            ActionView::Replace => format!("replace {name} in {place}{how}"),
            ActionView::Merge => format!("merge {name} with your edits in {place}"),
            ActionView::Keep => format!("keep {name} in {place}"),
            ActionView::Approve => format!("approve {name} as it is in {place}"),
            ActionView::Pending => format!("leave {name} pending review (not installed to {place})"),
            ActionView::Remove => format!("remove {name} from {place}"),
            ActionView::Gone => format!("forget {name}, which is no longer in {place}"),
            ActionView::Refuse => {
                format!("leave {place} as it is: {}", self.why.as_deref().unwrap_or_default())
            }
        }
    }
}

/// What a user sees of a skill before deciding about it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CardView {
    /// What it can do.
    pub capabilities: BTreeSet<String>,
    /// What of that is new.
    pub gained: BTreeSet<String>,
    /// What it can no longer do.
    pub dropped: BTreeSet<String>,
    /// Why it does not come into use by itself.
    pub concerns: Vec<String>,
    /// The whole audit.
    pub audit: Report,
    /// Findings that are new.
    pub new_findings: Vec<Finding>,
    /// Its files; of a new version only those that differ.
    pub files: Vec<FileView>,
    /// What it can do, one by one.
    pub can: Vec<CapabilityView>,
    /// What it does not declare: network, secrets, hooks, MCP servers.
    pub not_declared: Vec<String>,
    /// Lines that a model reads whenever the skill is used.
    pub lines: usize,
    /// Whether only the difference to the version before is shown.
    pub is_change: bool,
}

/// One file of a card.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FileView {
    /// Where, inside the skill.
    pub path: String,
    /// How large.
    pub bytes: usize,
    /// What an agent does with it.
    pub role: &'static str,
    /// How it differs from the version before.
    pub change: Option<&'static str>,
}

impl CardView {
    /// The view of a card.
    pub fn new(card: &Card) -> Self {
        let file = |file: &skillful_registry::review::FileNote| FileView {
            path: file.path.to_string(),
            bytes: file.bytes,
            role: file.role.as_str(),
            change: file.change.map(Change::as_str),
        };
        Self {
            capabilities: card.capabilities.clone(),
            gained: card.gained.clone(),
            dropped: card.dropped.clone(),
            concerns: card.concerns().iter().map(ToString::to_string).collect(),
            audit: card.report.clone(),
            new_findings: card.found.clone(),
            files: card.files.iter().map(file).collect(),
            can: CapabilityView::all(&card.can),
            not_declared: not_declared(&card.capabilities).into_iter().map(str::to_owned).collect(),
            lines: card.lines,
            is_change: card.gained != card.capabilities
                || card.files.iter().any(|file| file.change.is_some()),
        }
    }
}

/// One file that differs between two versions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DifferenceView {
    /// Which one.
    pub path: String,
    /// What happened to it: `added`, `removed` or `changed`.
    pub what: &'static str,
    /// Whether it may be executed now, when that changed.
    pub executable: Option<bool>,
    /// The changed lines, when it is text.
    pub diff: Option<String>,
    /// Bytes before and after, when it is not.
    pub bytes: Option<(usize, usize)>,
}

impl DifferenceView {
    /// The view of a difference.
    pub fn new(difference: &Difference) -> Self {
        Self {
            path: difference.path.to_string(),
            what: match difference.what {
                What::Added => "added",
                What::Removed => "removed",
                What::Changed => "changed",
            },
            executable: difference.executable,
            diff: match &difference.detail {
                Detail::Text(text) => Some(text.clone()),
                Detail::Same | Detail::Bytes { .. } => None,
            },
            bytes: match difference.detail {
                Detail::Bytes { before, after } => Some((before, after)),
                Detail::Same | Detail::Text(_) => None,
            },
        }
    }
}
