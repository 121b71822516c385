//! Newer versions of what is installed: looked for at the sources, compared, merged with what a user changed,
//! and planned. A plan has only skills that nothing blocks; the others stay as they are, each
//! with the question that is open.

mod backup;
mod newest;
mod plan;

pub use backup::{Backup, save_backups};
pub use newest::{Fresh, Newest, Upstream, look_upstream, newest};
pub use plan::plan_update;

use super::{
    InstallError, Mode, PlacementPlan, Refusal, Site, alias,
    merge::{Conflict, FileMerge, Side},
    place::{self, Now},
};
use crate::{
    content_store::ContentStore,
    lock::{Locked, Resolved, SkillKey},
    review::{Card, Concern},
};
use skillful_format::{Tree, TreePath};
use std::collections::{BTreeMap, BTreeSet};

/// What a user answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Whose version the conflicts of a skill get.
    pub keep: BTreeMap<SkillKey, Side>,
    /// Skills that have more capabilities than were approved, or new findings.
    pub agreed: BTreeSet<SkillKey>,
}

/// The result of planning an update.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// What can be done, and nothing else: it refuses nothing.
    pub plan: PlacementPlan,
    /// Every skill that was asked about, in order of the names.
    pub skills: Vec<SkillUpdate>,
    /// What gives way though a user made it; saved before the plan is carried out.
    pub backups: Vec<Backup>,
}

/// The result of planning an update of one skill.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillUpdate {
    /// Which one.
    pub name: SkillKey,
    /// Whether its source has a newer version.
    pub state: UpdateState,
    /// What the source was when it was installed.
    pub from: Resolved,
    /// What the source is now.
    pub to: Resolved,
    /// The files that were installed, when they are known.
    pub old: Option<Tree>,
    /// The files of the source now, when they are others.
    pub new: Option<Tree>,
    /// What it may do that it might not before.
    pub gained: Vec<String>,
    /// What it may no longer do.
    pub dropped: Vec<String>,
    /// The review of the new files; none for a pending skill, which is reviewed as a whole.
    pub card: Option<Box<Card>>,
    /// Places that a user changed, and how each changed file was merged.
    pub edits: Vec<Edit>,
    /// What blocks the update; while there is any, the skill stays as it is.
    pub blocks: Vec<Block>,
}

/// A place that a user changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which one.
    pub place: TreePath,
    /// What became of each changed file.
    pub files: Vec<FileMerge>,
}

/// Whether the source of an installed skill has a newer version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateState {
    /// The source has the same files.
    Current,
    /// The source has others.
    Outdated,
    /// The source no longer has the skill.
    Gone(String),
    /// The source did not answer.
    Unreachable(String),
}

/// What blocks an update. `--yes` covers none of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Block {
    /// The user and the new version changed the same.
    #[error("{place}: `{path}`: {why}")]
    Conflict {
        /// Where.
        place: TreePath,
        /// Which file.
        path: TreePath,
        /// Why.
        why: Conflict,
    },
    /// It asks for more capabilities than were approved.
    #[error("it asks for more capabilities than were approved: {}", .0.join("; "))]
    Grown(Vec<String>),
    /// Its review found something new.
    #[error("{0}")]
    Concern(Concern),
    /// Its signature is bad, missing, or of another signer.
    #[error("{0}")]
    Signer(Refusal),
    /// Its source has nothing newer, and the user has not approved what the lock names.
    #[error("it is pending review, and an update does not approve it")]
    Pending,
    /// Its source has nothing newer that the user's edits could give way to.
    #[error("its source has nothing newer; a review approves or rejects your edits")]
    EditsOnly,
    /// What is there is neither what was installed nor a changed form of it.
    #[error("{place}: {why}")]
    Refused {
        /// Where.
        place: TreePath,
        /// Why.
        why: Refusal,
    },
}

impl SkillUpdate {
    /// Whether the user must select a side.
    pub fn has_conflict(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Conflict { .. }))
    }

    /// Whether the user must approve new capabilities or new findings.
    pub fn needs_agreement(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Grown(_) | Block::Concern(_)))
    }

    /// Whether a review decides about it, and not an update.
    pub fn needs_review(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Pending | Block::EditsOnly))
    }

    /// Whether no answer of the user unblocks it.
    pub fn is_stuck(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Signer(_) | Block::Refused { .. }))
    }
}

/// Places of a skill whose files are not those of the lock, with what is there; a place where nothing is, and
/// one whose skill is pending, is none of them. Only reads.
pub fn edited_places(
    locked: &Locked,
    site: &Site,
    contents: Option<&ContentStore>,
) -> Result<Vec<(TreePath, Option<Tree>)>, InstallError> {
    let mut edited = Vec::new();
    if locked.pending {
        return Ok(edited);
    }
    for (place, mode) in super::plan::places(locked) {
        let now = place::look(site, place).map_err(|error| InstallError::Disk {
            path: site.path(place),
            action: "read",
            error,
        })?;
        match (now, mode) {
            (Now::Absent, _) => {}
            (Now::Folder { tree, .. }, Mode::Copy) => {
                if tree.digest() != locked.installed() {
                    edited.push((place.clone(), Some(*tree)));
                }
            }
            (Now::Link(to), Mode::Link)
                if contents.is_none_or(|contents| contents.path(&locked.installed()) == to) => {}
            (Now::Link(to), Mode::Alias) if alias::leads_to_copy(site, place, &to, locked) => {}
            _ => edited.push((place.clone(), None)),
        }
    }
    Ok(edited)
}
