//! Newer versions of installed skills, merged with the user's edits.

use super::{InstallPlan, Library, LibraryError};
use crate::workspace::is_waiting;
use skillful_registry::{
    approvals::ApprovedBy,
    fetch::fetch,
    install::{self, Block, Newest, Side, SkillUpdate, Upstream, edited_places, look_upstream, plan_update},
    lock::SkillKey,
};
use std::collections::{BTreeMap, BTreeSet};

/// Which skills are updated, and what the user answered about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateRequest {
    /// Names of the lock; all when empty.
    pub names: Vec<String>,
    /// Skills that may do more, or have new findings, and that the user approved by name.
    pub approved: BTreeSet<String>,
    /// Whose version the conflicts of a skill get, by name.
    pub keep: BTreeMap<String, Side>,
    /// The only signer that is accepted; only with one name.
    pub signer: Option<String>,
}

/// What an update comes to. Only skills without an open question are part of the plan.
#[derive(Clone, Debug)]
pub struct UpdatePlan {
    /// What can be carried out.
    pub plan: InstallPlan,
    /// Every skill that was asked about, in order of the names.
    pub skills: Vec<SkillUpdate>,
}

/// Whether everything that was asked about is up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateOutcome {
    /// Every skill is.
    Complete,
    /// Some need an answer, or are not at their source any more.
    Left,
    /// Some sources did not answer.
    Unreachable,
}

impl UpdatePlan {
    /// What is left when the plan was carried out.
    pub fn outcome(&self) -> UpdateOutcome {
        if !self.plan.pending().is_empty() {
            return UpdateOutcome::Left;
        }
        let is_left = |skill: &SkillUpdate| {
            !skill.blocks.is_empty() || matches!(skill.state, install::UpdateState::Gone(_))
        };
        let is_unreachable =
            |skill: &SkillUpdate| matches!(skill.state, install::UpdateState::Unreachable(_));
        match () {
            () if self.skills.iter().any(is_left) => UpdateOutcome::Left,
            () if self.skills.iter().any(is_unreachable) => UpdateOutcome::Unreachable,
            () => UpdateOutcome::Complete,
        }
    }
}

impl AsRef<InstallPlan> for UpdatePlan {
    fn as_ref(&self) -> &InstallPlan {
        &self.plan
    }
}

impl Library<'_> {
    /// Asks the sources what they have now. Downloads, and writes nothing.
    pub fn look_upstream(
        &self,
        names: &[String],
        warnings: &mut Vec<String>,
    ) -> Result<Upstream, LibraryError> {
        let lock = self.lock()?;
        let chosen = Self::chosen(&lock, names)?;
        let outside = self.outside(warnings);
        Ok(look_upstream(&lock, &chosen, &self.store, |source, pinned| fetch(source, pinned, &outside)))
    }

    /// Plans to install what the sources have now.
    pub fn plan_update(
        &self,
        request: &UpdateRequest,
        upstream: &Upstream,
        mut warnings: Vec<String>,
    ) -> Result<UpdatePlan, LibraryError> {
        if request.signer.is_some() && request.names.len() != 1 {
            return Err(LibraryError::usage("--signer is about one skill; name it"));
        }
        let lock = self.lock()?;
        let named = |name: &String| Self::installed(&lock, name);
        let agreed: BTreeSet<SkillKey> = request.approved.iter().map(named).collect::<Result<_, _>>()?;
        let keep = request.keep.iter().map(|(name, side)| Ok((named(name)?, *side)));
        let answers = install::Answers { agreed, keep: keep.collect::<Result<_, LibraryError>>()? };
        let allowed = self.signers(&mut warnings)?;
        let signing = self.signing(&allowed, request.signer.as_deref());
        let mut update = plan_update(&lock, &self.site, &self.store, upstream, &answers, signing)?;
        let approvals = self.approvals()?;
        for skill in update.skills.iter_mut().filter(|skill| skill.state == install::UpdateState::Current) {
            let Some(locked) = lock.skills.get(&skill.name) else { continue };
            let gives_way = answers.keep.get(&skill.name) == Some(&Side::Theirs);
            if is_waiting(locked, &self.site, |tree| approvals.has(tree)) {
                skill.blocks.push(Block::Pending);
            } else if gives_way && !edited_places(locked, &self.site, Some(&self.store))?.is_empty() {
                skill.blocks.push(Block::EditsOnly);
            }
        }
        for newest in upstream.newest.values() {
            if let Newest::Found(fresh) = newest {
                warnings.extend(fresh.found.diagnostics.iter().map(|one| one.message.clone()));
            }
        }
        let mut plan = self.new_plan(update.plan, ApprovedBy::Installed)?.with_warnings(warnings);
        plan.backups = update.backups;
        Ok(UpdatePlan { plan, skills: update.skills })
    }
}
