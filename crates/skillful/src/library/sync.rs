//! Everything in its place that the lock names, byte for byte.

use super::{Answers, InstallPlan, Library, LibraryError};
use skillful_format::{Digest, Tree};
use skillful_registry::{
    Lock,
    approvals::ApprovedBy,
    fetch::fetch,
    install::{Refusal, plan_sync, store_fetched},
    lock::{Locked, SkillKey},
    sign::Signature,
    source::{Ref, SkillName, Source, SourceLocation},
    team_record::TeamRecord,
};
use std::collections::BTreeMap;

/// Trees and signatures that sources still have.
type FetchedTrees = (BTreeMap<Digest, Tree>, BTreeMap<Digest, Signature>);

impl Library<'_> {
    /// Plans to install exactly what the lock names. What the user has not approved stays pending, unless the
    /// configuration of this machine approves what locks name. A frozen sync does all of it or nothing; otherwise what cannot
    /// be done is skipped.
    pub fn plan_sync(&self, frozen: bool, answers: &Answers) -> Result<InstallPlan, LibraryError> {
        let lock = self.existing_lock()?;
        let mut warnings = Vec::new();
        let (trees, signatures) = self.missing(&lock, &mut warnings);
        let mut plan = plan_sync(&lock, &self.site, &self.store, &trees)?;
        plan.keep_signatures(&signatures);
        let mut plan = self.new_plan(plan, ApprovedBy::Installed)?.audited(answers).with_warnings(warnings);
        plan.refuse_revoked_here(&TeamRecord::load(&self.workspace.paths().data)?);
        // The author of the lock agreed to what it names; the user of this machine did not yet.
        if !self.workspace.approves_locked() {
            plan = plan.unapproved_held(answers, frozen);
        }
        Ok(if frozen { plan.pending_refused() } else { plan.without_refused() })
    }

    /// Fetches the files of an entry of the lock into the content store, unless they are there.
    pub(super) fn fetch_locked(&self, name: &SkillKey, locked: &Locked) -> Result<(), LibraryError> {
        let one = Lock { skills: BTreeMap::from([(name.clone(), locked.clone())]), ..Lock::default() };
        let is_here = |digest: &Digest| self.store.read(digest).is_ok();
        if is_here(&locked.installed()) || is_here(&locked.tree) {
            return Ok(());
        }
        let mut warnings = Vec::new();
        let (trees, signatures) = self.missing(&one, &mut warnings);
        let Some(tree) = trees.get(&locked.tree) else {
            let message =
                format!("the files of `{name}` are not on this machine, and its source does not have them");
            let why = if warnings.is_empty() { Refusal::NotFound.to_string() } else { warnings.join("; ") };
            return Err(LibraryError::new(message).cause(why).fix(Refusal::NotFound.fix(name.as_str())));
        };
        Ok(store_fetched(tree, &signatures, &one, &self.site, &self.store)?)
    }

    /// The trees that the content store does not have, from their sources, when these still have them.
    fn missing(&self, lock: &Lock, warnings: &mut Vec<String>) -> FetchedTrees {
        let (mut trees, mut signatures) = (BTreeMap::new(), BTreeMap::new());
        let mut outside = None;
        for (name, locked) in &lock.skills {
            let is_here = |digest: &Digest| trees.contains_key(digest) || self.store.read(digest).is_ok();
            if is_here(&locked.installed()) || is_here(&locked.tree) {
                continue;
            }
            let outside = outside.get_or_insert_with(|| self.outside(warnings));
            let (source, pinned) = pinned(name, locked);
            match fetch(&source, pinned.as_ref(), outside) {
                Ok(fetched) => {
                    for skill in fetched.skills {
                        let digest = skill.tree.digest();
                        signatures.extend(skill.signature.map(|signature| (digest, signature)));
                        trees.insert(digest, skill.tree);
                    }
                }
                Err(error) => warnings.push(format!("{name} could not be fetched again: {error}")),
            }
        }
        (trees, signatures)
    }
}

/// The source of a locked skill, and the state of it that the lock names.
fn pinned(name: &SkillKey, locked: &Locked) -> (Source, Option<Ref>) {
    let pinned = locked.resolved.commit.as_deref().or(locked.resolved.version.as_deref());
    let mut source = locked.source.clone();
    // An index may list hundreds; one is wanted.
    if matches!(source.place, SourceLocation::WellKnown(_)) && source.skill.is_none() {
        source.skill = SkillName::new(name.as_str()).ok();
    }
    (source, pinned.and_then(|pinned| Ref::new(pinned).ok()))
}
