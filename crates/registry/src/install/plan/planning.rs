//! Builds a plan: compares each place with the lock and decides the action. Only reads.

use super::places;
use crate::{
    content_store::ContentStore,
    install::{
        Action, Backup, InstallError, Mode, PlacementPlan, PlanStep, Refusal, Site, alias,
        patch::patched,
        place::{Folders, Now},
    },
    lock::{Lock, Locked, LockedEdit, SkillKey},
    sign::{Fingerprint, Signature},
};
use skillful_catalog::capability;
use skillful_format::{Digest, Tree, TreePath};
use std::collections::{BTreeMap, BTreeSet};

pub(in crate::install) struct Planning<'a> {
    pub(super) before: &'a Lock,
    pub(in crate::install) after: Lock,
    site: &'a Site,
    folders: Folders<'a>,
    pub(super) contents: &'a ContentStore,
    steps: Vec<PlanStep>,
    pub(in crate::install) trees: BTreeMap<Digest, Tree>,
    pub(super) signatures: BTreeMap<(Digest, Fingerprint), Signature>,
    /// Folders of the user give way, and are saved here first; without it they stay.
    pub(super) replaced: Option<Vec<Backup>>,
}

impl<'a> Planning<'a> {
    pub(in crate::install) fn new(lock: &'a Lock, site: &'a Site, contents: &'a ContentStore) -> Self {
        let (after, steps, trees) = (lock.clone(), Vec::new(), BTreeMap::new());
        Self {
            before: lock,
            after,
            site,
            folders: Folders::new(site),
            contents,
            steps,
            trees,
            signatures: BTreeMap::new(),
            replaced: None,
        }
    }

    pub(in crate::install) fn plan(self) -> PlacementPlan {
        PlacementPlan {
            steps: self.steps,
            before: self.before.clone(),
            after: self.after,
            trees: self.trees,
            signatures: self.signatures,
            merged: BTreeMap::new(),
            withheld: BTreeSet::new(),
        }
    }

    pub(super) fn look(&mut self, place: &TreePath) -> Result<Now, InstallError> {
        let now = self.folders.open(place).and_then(|()| self.folders.look(place));
        now.map_err(|error| InstallError::Disk { path: self.site.path(place), action: "read", error })
    }

    /// Whether a place holds what the lock names.
    fn is_installed(&self, now: &Now, locked: &Locked, (place, mode): (&TreePath, Mode)) -> bool {
        match (now, mode) {
            (Now::Link(to), Mode::Link) => {
                *to == self.contents.path(&locked.installed())
                    && self.contents.read_folder(&locked.installed()).is_ok()
            }
            (Now::Folder { .. }, Mode::Copy) => now.digest() == Some(locked.installed()),
            (Now::Link(to), Mode::Alias) => alias::leads_to_copy(self.site, place, to, locked),
            _ => false,
        }
    }

    /// Whether nothing is lost when a place gives way: it is what the lock names, or another tree of the content store,
    /// as a run leaves it that was stopped before it wrote the lock.
    pub(super) fn is_kept(&self, now: &Now, locked: &Locked, at: (&TreePath, Mode)) -> bool {
        self.is_installed(now, locked, at)
            || match now {
                Now::Folder { .. } => now.digest().is_some_and(|digest| self.contents.read(&digest).is_ok()),
                Now::Link(to) => to.parent() == self.contents.path(&locked.tree).parent(),
                Now::Absent | Now::Other => false,
            }
    }

    /// A skill that is new at a place is new there with all its capabilities, also when it is approved elsewhere.
    pub(super) fn report_capabilities(&mut self) {
        for step in self.steps.iter_mut().filter(|step| step.action == Action::Create) {
            let capabilities = self.before.skills.get(&step.name).map(|locked| &locked.capabilities);
            step.gained =
                capabilities.map(|all| capability::gained(&BTreeSet::new(), all)).unwrap_or_default();
        }
    }

    /// One skill in all its places, when its tree can be found and its entry names all its capabilities.
    pub(super) fn again(
        &mut self,
        name: &SkillKey,
        locked: &Locked,
        fetched: &BTreeMap<Digest, Tree>,
    ) -> Result<(), InstallError> {
        let known = |digest: &Digest| match fetched.get(digest) {
            Some(tree) => Some(tree.clone()),
            None => self.contents.read(digest).ok(),
        };
        let source = known(&locked.tree);
        let tree = match &locked.edited {
            None => source.clone().ok_or(Refusal::NotFound),
            Some(edited) => known(&edited.tree).map_or_else(|| again_edited(source.as_ref(), edited), Ok),
        };
        let refusal = tree.as_ref().err().cloned();
        let first = self.steps.len();
        self.skill(name, locked, refusal.as_ref())?;
        let Ok(tree) = tree else { return Ok(()) };
        let is_placed = |step: &&mut PlanStep| matches!(step.action, Action::Create | Action::Replace);
        let mut placed = self.steps[first..].iter_mut().filter(is_placed).peekable();
        if placed.peek().is_some()
            && let Some(refusal) = understated(locked, &tree)
        {
            placed.for_each(|step| step.action = Action::Refuse(refusal.clone()));
        }
        self.trees.extend(source.map(|source| (locked.tree, source)));
        self.trees.insert(locked.installed(), tree);
        Ok(())
    }

    /// One skill in all its places.
    pub(in crate::install) fn skill(
        &mut self,
        name: &SkillKey,
        new: &Locked,
        refusal: Option<&Refusal>,
    ) -> Result<(), InstallError> {
        let old = self.before.skills.get(name);
        for (place, mode) in places(new) {
            let now = self.look(place)?;
            let was = old.filter(|old| !old.pending).and_then(|old| {
                let mode = places(old).find(|(at, _)| *at == place)?.1;
                Some((old, mode))
            });
            let action = match refusal {
                Some(refusal) => Action::Refuse(refusal.clone()),
                None if new.pending => Action::Pending,
                None => match self.action(&now, new, (place, mode), was) {
                    Action::Refuse(why) if self.saves(name, &now, mode, &why) => Action::Replace,
                    action => action,
                },
            };
            self.step(name, (place, mode), action, &now, (old, Some(new)));
        }
        Ok(())
    }

    /// Whether the user let a folder of their own give way, whose files are then saved as they are. A link, and a folder
    /// with something that no skill has, could not be saved whole.
    fn saves(&mut self, name: &SkillKey, now: &Now, mode: Mode, why: &Refusal) -> bool {
        let (Some(backups), Now::Folder { tree, values }) = (&mut self.replaced, now) else { return false };
        let is_own = matches!(why, Refusal::NotOurs | Refusal::Edited);
        // A copy takes the values over; a link has no place for them.
        if !is_own || mode == Mode::Alias || values.is_some() && mode != Mode::Copy {
            return false;
        }
        let backup = Backup { skill: name.clone(), tree: tree.as_ref().clone() };
        if !backups.contains(&backup) {
            backups.push(backup);
        }
        true
    }

    fn action(
        &self,
        now: &Now,
        new: &Locked,
        (place, mode): (&TreePath, Mode),
        was: Option<(&Locked, Mode)>,
    ) -> Action {
        if *now == Now::Absent {
            return Action::Create;
        }
        // Also when the lock does not name it: what is right needs no change, and a run that was stopped is finished.
        if self.is_installed(now, new, (place, mode)) {
            return Action::Keep;
        }
        match was {
            Some((old, was)) if self.is_kept(now, old, (place, was)) => {
                if now.values().is_some() && mode == Mode::Link {
                    Action::Refuse(Refusal::Values)
                } else {
                    Action::Replace
                }
            }
            Some(_) => Action::Refuse(Refusal::Edited),
            None => Action::Refuse(Refusal::NotOurs),
        }
    }

    pub(super) fn step(
        &mut self,
        name: &SkillKey,
        (place, mode): (&TreePath, Mode),
        action: Action,
        now: &Now,
        (old, new): (Option<&Locked>, Option<&Locked>),
    ) {
        let none = BTreeSet::new();
        let agreed = old.filter(|old| !old.pending).map_or(&none, |old| &old.capabilities);
        let asked = new.map_or(&none, |new| &new.capabilities);
        self.steps.push(PlanStep {
            name: name.clone(),
            place: place.clone(),
            mode,
            action,
            gained: capability::gained(agreed, asked),
            dropped: capability::dropped(agreed, asked),
            seen: now.seen(),
            new: new.map(Locked::installed),
        });
    }
}

/// The files of the source with the edits that the lock names.
fn again_edited(source: Option<&Tree>, edited: &LockedEdit) -> Result<Tree, Refusal> {
    let source = source.ok_or(Refusal::NotFound)?;
    let patch = edited.patch.as_ref().ok_or(Refusal::EditNotText)?;
    let tree = patched(source, patch).filter(|tree| tree.digest() == edited.tree);
    tree.ok_or(Refusal::EditDiffers)
}

/// A reader of a lock relies on its capabilities, so that all of them must be in it.
fn understated(locked: &Locked, tree: &Tree) -> Option<Refusal> {
    let capabilities = capability::of_tree(tree).unwrap_or_default();
    let missing: Vec<String> = capabilities.difference(&locked.capabilities).cloned().collect();
    (!missing.is_empty())
        .then(|| Refusal::Understated(missing.iter().map(|one| capability::shown(one)).collect()))
}
