//! Newer versions of what is installed: looked for at the sources, compared, merged with what a person changed,
//! and planned. A plan is only ever made of skills that nothing stands against; the others stay whole, each
//! with the question that is open.

mod backup;
mod newest;
mod plan;

pub use backup::{Backup, save_backups};
pub use newest::{Fresh, Newest, Upstream, look_upstream, newest};
pub use plan::plan_update;

use super::{
    InstallError, Mode, Plan, Refusal, Site, alias,
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

/// What a person answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// Whose version the conflicts of a skill get.
    pub keep: BTreeMap<SkillKey, Side>,
    /// Skills that may do more than was agreed to, or that have new findings.
    pub agreed: BTreeSet<SkillKey>,
}

/// What an update comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// What can be done, and nothing else: it refuses nothing.
    pub plan: Plan,
    /// Every skill that was asked about, in order of the names.
    pub skills: Vec<SkillUpdate>,
    /// What gives way though a person made it; saved before the plan is carried out.
    pub backups: Vec<Backup>,
}

/// What an update comes to for one skill.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillUpdate {
    /// Which one.
    pub name: SkillKey,
    /// How it stands to its source.
    pub state: State,
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
    /// What a person should see of the new files; none of a skill that is held back, which is reviewed as a whole.
    pub card: Option<Box<Card>>,
    /// Places that a person changed, and what became of each changed file.
    pub edits: Vec<Edit>,
    /// What stands against the update; while there is any, the skill stays as it is.
    pub blocks: Vec<Block>,
}

/// A place that a person changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Which one.
    pub place: TreePath,
    /// What became of each changed file.
    pub files: Vec<FileMerge>,
}

/// How an installed skill stands to its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The source has the same files.
    Current,
    /// The source has others.
    Outdated,
    /// The source no longer has the skill.
    Gone(String),
    /// The source did not answer.
    Unreachable(String),
}

/// What stands against an update. No general agreement covers any of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Block {
    /// The person and the new version changed the same.
    #[error("{place}: `{path}`: {why}")]
    Conflict {
        /// Where.
        place: TreePath,
        /// Which file.
        path: TreePath,
        /// Why.
        why: Conflict,
    },
    /// It asks for more than was agreed to.
    #[error("it asks for more than was agreed to: {}", .0.join("; "))]
    Grown(Vec<String>),
    /// Its review found something new.
    #[error("{0}")]
    Concern(Concern),
    /// Its signature is bad, or somebody else signed it, or nobody did.
    #[error("{0}")]
    Signer(Refusal),
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
    /// Whether a side must be chosen.
    pub fn has_conflict(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Conflict { .. }))
    }

    /// Whether somebody must agree to more powers or new findings.
    pub fn needs_agreement(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Grown(_) | Block::Concern(_)))
    }

    /// Whether no answer helps.
    pub fn is_stuck(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Signer(_) | Block::Refused { .. }))
    }
}

/// Places of a skill whose files are not those of the lock, with what is there; a place where nothing is, and
/// one whose skill is held back, is none of them. Only reads.
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
