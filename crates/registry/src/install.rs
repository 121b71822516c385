//! Installing skills into agents' folders, and removing them. First a plan, which is a value and can be shown;
//! then the plan is carried out, or nothing is.
//!
//! What is in an agent's folder is only ever replaced or removed when it is, byte for byte, what the lock names as
//! installed there. It is compared twice: when the plan is made, and again after the new folder took
//! its place in one instant; if another process edited it in between, it gets its place back.

mod adopt;
mod alias;
mod apply;
mod difference;
mod error;
mod folder_choice;
mod merge;
mod patch;
mod place;
mod plan;
mod site;
mod stage;
mod update;
mod verify;

pub use adopt::{Adoption, plan_adopt};
pub use apply::{Done, apply, store_fetched};
pub use difference::{Detail, Difference, What, differences};
pub use error::InstallError;
pub use folder_choice::{ReadFolders, choose_folders, common_folders};
pub use merge::{
    Conflict, FileMerge, How, Merged, Side,
    lines::{MARK_BETWEEN, MARK_MINE, MARK_THEIRS, MarkedText, comparable, merge_marked},
    merge, merge_without_base,
};
pub use patch::{patch, patched};
pub use plan::{
    Adding, places, plan_add, plan_add_all, plan_add_replacing, plan_approve, plan_approve_edits,
    plan_change, plan_discard_edits, plan_remove, plan_sync,
};
pub use site::{Reach, Site, read_folders, skills_folders};
pub use update::{
    Answers, Backup, Block, Edit, Fresh, Newest, SkillUpdate, Update, UpdateState, Upstream, edited_places,
    look_upstream, newest, plan_update, save_backups,
};
pub use verify::{Change, Drift, verify, verify_places};

use crate::{
    approvals::Approvals,
    lock::{Lock, Locked, SkillKey},
    review::Concern,
    sign::{Allowed, Fingerprint, Signature, SignatureFault, check},
};
use skillful_catalog::capability;
use skillful_format::{Digest, Document, Sidecars, Tree, TreePath};
use std::collections::{BTreeMap, BTreeSet};

/// How a skill gets into a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Files of its own.
    Copy,
    /// A link into the content store, which is read-only.
    Link,
    /// A link to a copy, as other installers make them.
    Alias,
}

/// Everything that would be done, and to what end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlacementPlan {
    /// What is done, in order.
    pub steps: Vec<PlanStep>,
    /// The lock that the plan was made from.
    pub before: Lock,
    /// The lock afterwards.
    pub after: Lock,
    pub(crate) trees: BTreeMap<Digest, Tree>,
    pub(crate) signatures: BTreeMap<(Digest, Fingerprint), Signature>,
    /// Trees that hold a user's changes: written to a place and never to the content store, whose trees count as ours.
    pub(crate) merged: BTreeMap<Digest, Tree>,
    /// Skills that the plan brings into the lock and does not approve: they are pending.
    pub withheld: BTreeSet<SkillKey>,
}

/// What is done to one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// The skill.
    pub name: SkillKey,
    /// Its folder, from the folder of the lock.
    pub place: TreePath,
    /// As what.
    pub mode: Mode,
    /// What.
    pub action: Action,
    /// What the skill may do that it might not before.
    pub gained: Vec<String>,
    /// What it may no longer do.
    pub dropped: Vec<String>,
    pub(crate) seen: Option<place::Seen>,
    pub(crate) new: Option<Digest>,
}

impl PlanStep {
    /// The names that a user approves the skill under. One whose file has no name takes that of its folder.
    fn names(&self) -> BTreeSet<String> {
        let folder = self.place.as_str().rsplit('/').next().unwrap_or_default();
        [self.name.to_string(), folder.to_owned()].into()
    }
}

/// What is done to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing was there.
    Create,
    /// What was installed before gives way.
    Replace,
    /// What a user changed gets the new version's changes as well.
    Merge,
    /// It is what it should be.
    Keep,
    /// It is downloaded and kept in the content store until it is reviewed.
    Pending,
    /// It goes.
    Remove,
    /// It is already gone.
    Gone,
    /// It is left alone, and the whole plan is not carried out.
    Refuse(Refusal),
}

/// Why a place is left alone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Something that was not installed from here.
    #[error("something else is there that was not installed by skillful; move it away first")]
    NotOurs,
    /// It was changed after it was installed.
    #[error("it was changed since it was installed; `skillful review` approves or rejects the changes")]
    Edited,
    /// A user's values lie in it.
    #[error("it holds values of yours in vars.json; move the file away first")]
    Values,
    /// Another skill has that name.
    #[error("a skill of that name is installed from `{0}`; remove that one first")]
    OtherSource(String),
    /// It does not replace what the user approved.
    #[error("{0}; remove it and add it again: then it is pending until you review it")]
    Concern(Concern),
    /// The lock names files that were never on this machine.
    #[error(
        "the lock names it, but its files were never on this machine; `skillful sync` puts them there, or remove it first"
    )]
    NotSynced,
    /// The lock does not name all its capabilities.
    #[error("it has more capabilities than the lock names: {}; remove it and add it again", .0.join("; "))]
    Understated(Vec<String>),
    /// A place that is in no folder of skills.
    #[error("no agent reads skills from there, so nothing is written there; take the place out of the lock")]
    NoAgent,
    /// Its signature does not match its files.
    #[error("its signature {0}")]
    BadSignature(SignatureFault),
    /// It has another signer than before, or none.
    #[error(
        "it was signed by `{was}` and is now {now}; ask why, and only then approve by name: --signer {word}"
    )]
    SignerChanged {
        /// As the lock names them.
        was: String,
        /// What it is now, as a clause.
        now: String,
        /// What names the new one.
        word: String,
    },
    /// Not signed by the one that was asked for.
    #[error("it was to be signed by `{wanted}` and is {found}")]
    OtherSigner {
        /// The signer that was named.
        wanted: String,
        /// What it is, as a clause.
        found: String,
    },
    /// The user of this machine has not approved what the lock names.
    #[error("you have not approved these files")]
    NotApproved,
    /// The lock itself says that no user approved it.
    #[error("it is pending review; a sync does not install it")]
    Pending,
    /// The audit reports blocking findings.
    #[error("the audit reports blocking findings; read them, then approve with --despite-findings")]
    Suspect,
    /// The lock has edits of it that another version would replace.
    #[error("it has edits that you approved; `skillful update` merges them with a new version")]
    HasEdits,
    /// Edits of files that are not text are in the lock only as a digest.
    #[error(
        "its approved edits change files that are not text, which the lock cannot carry; copy the files here"
    )]
    EditNotText,
    /// The edits of the lock do not make the tree that the lock names.
    #[error(
        "the edits that the lock names do not fit the files of its source; approve them again where they were made"
    )]
    EditDiffers,
    /// A team server took these files back.
    #[error("the team took these files back: {0}")]
    Revoked(String),
    /// The lock names a tree that the source no longer gives.
    #[error("the files that the lock names were not found again")]
    NotFound,
}

impl Refusal {
    /// What the user can do about a skill of a lock that cannot be reproduced.
    pub fn fix(&self, name: &str) -> String {
        match self {
            Self::NotOurs => format!("move the folder of {name} away"),
            Self::Edited => format!("skillful diff {name}, then skillful review {name}, and commit the lock"),
            Self::Values => format!("move vars.json of {name} away"),
            Self::OtherSource(_) | Self::Concern(_) | Self::Understated(_) => {
                format!("skillful remove {name}, add it again, and commit the lock")
            }
            Self::NotSynced | Self::NotApproved => "skillful sync".to_owned(),
            Self::Pending => format!("skillful review {name}, and commit the lock"),
            Self::NoAgent => format!("take the place of {name} out of the lock"),
            Self::BadSignature(_) | Self::SignerChanged { .. } | Self::OtherSigner { .. } => {
                format!(
                    "ask the author of {name}, then skillful update {name} --signer WHO, and commit the lock"
                )
            }
            Self::Suspect => format!("skillful review {name}; in CI: --despite-findings"),
            Self::HasEdits => format!("skillful update {name}, and commit the lock"),
            Self::NotFound => format!(
                "skillful update {name}, or add it from a source that this machine reaches, and commit the lock"
            ),
            Self::Revoked(_) => format!("skillful remove {name}, or use another version"),
            Self::EditNotText => format!("copy the files of {name} here"),
            Self::EditDiffers => {
                format!("skillful review approve {name} where the edits were made, and commit the lock")
            }
        }
    }

    /// Whether it is about the folder and not about the skill, so that a message must name the folder.
    pub fn is_about_place(&self) -> bool {
        matches!(self, Self::NotOurs | Self::Edited | Self::Values | Self::NoAgent)
    }
}

impl PlacementPlan {
    /// Has signatures kept that were fetched together with trees, where they are the ones that the lock names.
    pub fn keep_signatures<'a>(&mut self, fetched: impl IntoIterator<Item = (&'a Digest, &'a Signature)>) {
        for (tree, signature) in fetched {
            let found = check(tree, Some(signature), &Allowed::default(), 0).signer();
            let Some(found) = found else { continue };
            let named = self.after.skills.values().any(|locked| {
                locked.tree == *tree
                    && locked.signer.as_ref().is_some_and(|signer| signer.fingerprint == found.fingerprint)
            });
            if named {
                self.signatures.insert((*tree, found.fingerprint), signature.clone());
            }
        }
    }

    /// The trees that carrying out this plan approves, each with its skill. An edit that was not approved before is not
    /// approved by a merge with a new version.
    pub fn approves(&self, approvals: &Approvals) -> BTreeMap<Digest, SkillKey> {
        self.brought(approvals).map(|(tree, step)| (tree, step.name.clone())).collect()
    }

    /// The same trees with the names that they are approved under.
    pub(crate) fn approved_names(&self, approvals: &Approvals) -> BTreeMap<Digest, BTreeSet<String>> {
        let mut trees: BTreeMap<Digest, BTreeSet<String>> = BTreeMap::new();
        for (tree, step) in self.brought(approvals) {
            trees.entry(tree).or_default().extend(step.names());
        }
        trees
    }

    /// Whether the file of a skill says no name.
    fn is_nameless(&self, tree: &Digest) -> bool {
        let file = self.trees.get(tree).and_then(|tree| tree.skill_file());
        file.is_some_and(|(_, file)| {
            let name = Document::read(&file.bytes, &Sidecars::default()).manifest.name;
            name.is_none_or(|name| name.trim().is_empty())
        })
    }

    fn brought<'a>(&'a self, approvals: &'a Approvals) -> impl Iterator<Item = (Digest, &'a PlanStep)> {
        let is_used = |step: &&PlanStep| {
            let places =
                matches!(step.action, Action::Create | Action::Replace | Action::Merge | Action::Keep);
            places && !self.withheld.contains(&step.name)
        };
        self.steps.iter().filter(is_used).filter_map(move |step| {
            let tree = step.new?;
            let is_whole = self.after.skills.get(&step.name).is_some_and(|locked| locked.installed() == tree);
            let was_approved = match &step.seen {
                Some(place::Seen::Files(before)) => approvals.has(before),
                _ => false,
            };
            let is_renamed = || self.is_nameless(&tree) && !approvals.has_as(&tree, &step.names());
            let is_new = !approvals.has(&tree) || is_renamed();
            (is_new && (is_whole || was_approved)).then_some((tree, step))
        })
    }

    /// The files that the plan knows, by their digests.
    pub fn trees(&self) -> impl Iterator<Item = (Digest, &Tree)> {
        self.trees.iter().map(|(digest, tree)| (*digest, tree))
    }

    /// Refuses every place that is not directly in one of these folders. A lock comes with a repository, and
    /// could name a folder whose files are run, such as that of git's hooks.
    pub fn keep_to(&mut self, folders: &BTreeSet<TreePath>) {
        for step in self.steps.iter_mut().filter(|step| step.strays(folders)) {
            step.action = Action::Refuse(Refusal::NoAgent);
        }
    }

    /// Whether it writes to such folders only.
    pub fn keeps_to(&self, folders: &BTreeSet<TreePath>) -> bool {
        !self.steps.iter().any(|step| step.strays(folders))
    }

    /// Refuses every step that brings files into use that a team server took back. Files that are there already stay
    /// and are not approved.
    pub fn refuse_revoked(&mut self, why: impl Fn(&Digest) -> Option<String>) {
        for step in &mut self.steps {
            let Some(why) = step.new.and_then(|tree| why(&tree)) else { continue };
            match step.action {
                Action::Create | Action::Replace | Action::Merge | Action::Pending => {
                    step.action = Action::Refuse(Refusal::Revoked(why));
                }
                Action::Keep => drop(self.withheld.insert(step.name.clone())),
                Action::Remove | Action::Gone | Action::Refuse(_) => {}
            }
        }
    }

    /// The plan without its refused steps, and those steps. A skill whose entry in the lock would change is dropped
    /// as a whole, so that the lock never names what was not installed.
    pub fn without_refused(mut self) -> (Self, Vec<(PlanStep, Refusal)>) {
        let left: Vec<(PlanStep, Refusal)> =
            self.refused().map(|(step, why)| (step.clone(), why.clone())).collect();
        let mut whole = BTreeSet::new();
        for (step, _) in &left {
            let before = self.before.skills.get(&step.name).cloned();
            if self.after.skills.get(&step.name) == before.as_ref() {
                continue;
            }
            whole.insert(step.name.clone());
            match before {
                Some(before) => self.after.skills.insert(step.name.clone(), before),
                None => self.after.skills.remove(&step.name),
            };
        }
        self.steps.retain(|step| !matches!(step.action, Action::Refuse(_)) && !whole.contains(&step.name));
        (self, left)
    }

    /// The refused steps; a plan with any is not carried out.
    pub fn refused(&self) -> impl Iterator<Item = (&PlanStep, &Refusal)> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Refuse(refusal) => Some((step, refusal)),
            _ => None,
        })
    }

    /// Whether it refuses to replace a folder of files that is the user's own or was edited, and that could be saved.
    pub fn is_stopped_by_own_folders(&self) -> bool {
        self.refused().any(|(step, why)| {
            matches!(why, Refusal::NotOurs | Refusal::Edited)
                && matches!(step.seen, Some(place::Seen::Files(_)))
        })
    }

    /// Whether there is nothing to do at all.
    pub fn is_done(&self, approvals: &Approvals) -> bool {
        self.before == self.after
            && self.approves(approvals).is_empty()
            && self.steps.iter().all(|step| matches!(step.action, Action::Keep | Action::Pending))
    }
}

impl PlanStep {
    /// Whether it writes, now or after a review, to a place that is not directly in one of these folders.
    fn strays(&self, folders: &BTreeSet<TreePath>) -> bool {
        let above = site::split(self.place.as_str()).0;
        matches!(self.action, Action::Create | Action::Replace | Action::Merge | Action::Pending)
            && !folders.iter().any(|folder| folder.as_str() == above)
    }

    /// The tree that the skill is to have; none when it goes.
    pub fn tree(&self) -> Option<Digest> {
        self.new
    }

    /// What is done, as a sentence; `place` is the path to print.
    pub fn sentence(&self, place: &str) -> String {
        let name = &self.name;
        let how = match self.mode {
            Mode::Copy => "",
            Mode::Link => " as a link",
            Mode::Alias => " as a link to its copy",
        };
        match &self.action {
            Action::Create => format!("install {name} to {place}{how}"),
            Action::Replace => format!("replace {name} in {place}{how}"),
            Action::Merge => format!("merge {name} with your changes in {place}"),
            Action::Keep => format!("keep {name} in {place}"),
            Action::Pending => format!("download {name}, pending review (not installed to {place} yet)"),
            Action::Remove => format!("remove {name} from {place}"),
            Action::Gone => format!("forget {name}, which is no longer in {place}"),
            Action::Refuse(why) => format!("leave {place} alone: {why}"),
        }
    }
}

/// The approved capabilities: those of the lock, as far as its files have them. A lock comes with a
/// repository and may claim more, which no user reviewed, and a limit of the files counts whether the lock names
/// it or not; of unknown files nothing is approved.
pub(crate) fn agreed(locked: &Locked, tree: Option<&Tree>) -> BTreeSet<String> {
    let capabilities = tree.filter(|_| !locked.pending).and_then(capability::of_tree).unwrap_or_default();
    let is_agreed = |one: &String| capability::is_limit(one) || locked.capabilities.contains(one);
    capabilities.into_iter().filter(is_agreed).collect()
}
