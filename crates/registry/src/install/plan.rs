//! What would be done. Only reads.

use super::{
    Action, InstallError, Mode, Plan, PlanStep, Refusal, Site,
    place::{Folders, Now},
};
use crate::{
    contents::Contents,
    fetch::{Fetched, Found},
    lock::{FileRecord, Lock, Locked, SkillKey, digest_of, records},
    sign::{Fingerprint, Signature, Signing},
    source::{Place, Source},
};
use skillful_catalog::parallel;
use skillful_format::{Digest, Limits, Tree, TreePath};
use std::collections::{BTreeMap, BTreeSet};

/// What is to be installed, and where.
#[derive(Clone, Copy, Debug)]
pub struct Adding<'a> {
    /// As it was asked for.
    pub source: &'a Source,
    /// What it gave.
    pub fetched: &'a Fetched,
    /// The folders of agents, from the folder of the lock.
    pub folders: &'a [TreePath],
    /// As copies or links.
    pub mode: Mode,
    /// Whether a person looked at it and agreed. Otherwise what comes from another machine is held
    /// back, and nothing gets more capabilities than were agreed to.
    pub agreed: bool,
    /// Skills in which an audit found what an honest one has no reason for: held back too, wherever they come
    /// from.
    pub suspect: &'a BTreeSet<SkillKey>,
    /// Whose signatures count, and whom the person named.
    pub signing: Signing<'a>,
}

/// Plans to install what was fetched, or to replace what was installed from the same source before.
pub fn plan_add(
    adding: &Adding<'_>,
    lock: &Lock,
    site: &Site,
    contents: &Contents,
) -> Result<Plan, InstallError> {
    let mut planning = Planning::new(lock, site, contents);
    let skills = &adding.fetched.skills;
    let digests = parallel::map(skills, |found| {
        let files = records(&found.tree);
        (digest_of(&files), files)
    });
    for (found, digests) in skills.iter().zip(digests) {
        let old = lock.skills.get(&found.name);
        let mut new = locked(adding, found, digests, old)?;
        let locked_signer = old.and_then(|old| old.signer.as_ref());
        let judged = adding.signing.judge(&new.tree, found.signature.as_ref(), locked_signer);
        new.signer = judged.signer;
        let refusal = match old {
            Some(old) if !is_same_place(old, &new) => Some(Refusal::OtherSource(old.source.to_string())),
            _ if judged.refusal.is_some() => judged.refusal,
            Some(old) if adding.agreed || old.quarantined || old.tree == new.tree => None,
            Some(_) if adding.suspect.contains(&found.name) => Some(Refusal::Suspect),
            Some(old) if !new.capabilities.is_subset(&old.capabilities) => {
                adding.source.is_remote().then_some(Refusal::Grown)
            }
            _ => None,
        };
        planning.skill(&found.name, &new, refusal.as_ref())?;
        planning.trees.insert(new.tree, found.tree.clone());
        if let (Some(signer), Some(signature)) = (&new.signer, &found.signature) {
            planning.signatures.insert((new.tree, signer.fingerprint), signature.clone());
        }
        planning.after.skills.insert(found.name.clone(), new);
    }
    Ok(planning.plan())
}

fn is_same_place(old: &Locked, new: &Locked) -> bool {
    let same = match (&old.source.place, &new.source.place) {
        // Another version is the same skill.
        (Place::Registry { name: old, .. }, Place::Registry { name: new, .. }) => old == new,
        (old, new) => old == new,
    };
    same && old.folder == new.folder
}

fn locked(
    adding: &Adding<'_>,
    found: &Found,
    (tree, files): (Digest, BTreeMap<TreePath, FileRecord>),
    old: Option<&Locked>,
) -> Result<Locked, InstallError> {
    let place = |folder: &TreePath| {
        TreePath::new(&format!("{folder}/{}", found.name), &Limits::default())
            .map_err(|fault| InstallError::Refused(format!("the path `{folder}/{}` {fault}", found.name)))
    };
    let places: BTreeSet<TreePath> = adding.folders.iter().map(place).collect::<Result<_, _>>()?;
    let (mut copied, mut linked) =
        old.map(|old| (old.copied.clone(), old.linked.clone())).unwrap_or_default();
    let (into, from) = match adding.mode {
        Mode::Copy => (&mut copied, &mut linked),
        Mode::Link => (&mut linked, &mut copied),
    };
    from.retain(|place| !places.contains(place));
    into.extend(places);
    // What somebody agreed to once stays in use; what nobody saw yet stays out of it.
    let seen = old.is_some_and(|old| !old.quarantined);
    Ok(Locked {
        source: adding.source.clone(),
        folder: found.folder.clone(),
        resolved: adding.fetched.resolved.clone(),
        artefact: found.artefact,
        tree,
        files,
        signer: None,
        capabilities: found.capabilities.clone(),
        quarantined: (adding.source.is_remote() || adding.suspect.contains(&found.name))
            && !adding.agreed
            && !seen,
        copied,
        linked,
        rest: old.map(|old| old.rest.clone()).unwrap_or_default(),
    })
}

/// Plans to put everything in its place that the lock names. `fetched` are trees that the store did not have.
pub fn plan_sync(
    lock: &Lock,
    site: &Site,
    contents: &Contents,
    fetched: &BTreeMap<Digest, Tree>,
) -> Result<Plan, InstallError> {
    let mut planning = Planning::new(lock, site, contents);
    for (name, locked) in &lock.skills {
        planning.again(name, locked, fetched)?;
    }
    Ok(planning.plan())
}

/// Plans to put a skill in its place that was held back, because a person looked at it and agreed.
pub fn plan_release(
    name: &SkillKey,
    lock: &Lock,
    site: &Site,
    contents: &Contents,
) -> Result<Plan, InstallError> {
    let Some(locked) = lock.skills.get(name) else {
        return Err(InstallError::NotInstalled(name.to_string()));
    };
    let mut planning = Planning::new(lock, site, contents);
    let released = Locked { quarantined: false, ..locked.clone() };
    planning.again(name, &released, &BTreeMap::new())?;
    planning.after.skills.insert(name.clone(), released);
    Ok(planning.plan())
}

/// Plans to remove skills, from everywhere they were installed.
pub fn plan_remove(
    names: &[SkillKey],
    lock: &Lock,
    site: &Site,
    contents: &Contents,
) -> Result<Plan, InstallError> {
    let mut planning = Planning::new(lock, site, contents);
    for name in names {
        let Some(locked) = lock.skills.get(name) else {
            return Err(InstallError::NotInstalled(name.to_string()));
        };
        for (place, mode) in places(locked) {
            let now = planning.look(place)?;
            let action = match &now {
                Now::Absent => Action::Gone,
                // It was never put there, so whatever is there is somebody else's.
                _ if locked.quarantined => Action::Gone,
                now if now.values().is_some() => Action::Refuse(Refusal::Values),
                now if planning.is_kept(now, locked, mode) => Action::Remove,
                _ => Action::Refuse(Refusal::Edited),
            };
            planning.step(name, (place, mode), action, &now, (Some(locked), None));
        }
        planning.after.skills.remove(name);
    }
    Ok(planning.plan())
}

pub(super) fn places(locked: &Locked) -> impl Iterator<Item = (&TreePath, Mode)> {
    let copied = locked.copied.iter().map(|place| (place, Mode::Copy));
    copied.chain(locked.linked.iter().map(|place| (place, Mode::Link)))
}

struct Planning<'a> {
    before: &'a Lock,
    after: Lock,
    site: &'a Site,
    folders: Folders<'a>,
    contents: &'a Contents,
    steps: Vec<PlanStep>,
    trees: BTreeMap<Digest, Tree>,
    signatures: BTreeMap<(Digest, Fingerprint), Signature>,
}

impl<'a> Planning<'a> {
    fn new(lock: &'a Lock, site: &'a Site, contents: &'a Contents) -> Self {
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
        }
    }

    fn plan(self) -> Plan {
        Plan {
            steps: self.steps,
            before: self.before.clone(),
            after: self.after,
            trees: self.trees,
            signatures: self.signatures,
            merged: BTreeMap::new(),
        }
    }

    fn look(&mut self, place: &TreePath) -> Result<Now, InstallError> {
        let now = self.folders.open(place).and_then(|()| self.folders.look(place));
        now.map_err(|error| InstallError::Disk { path: self.site.path(place), action: "read", error })
    }

    /// Whether a place holds what the lock says.
    fn is_installed(&self, now: &Now, locked: &Locked, mode: Mode) -> bool {
        match (now, mode) {
            (Now::Link(to), Mode::Link) => {
                *to == self.contents.path(&locked.tree) && self.contents.read_folder(&locked.tree).is_ok()
            }
            (Now::Folder { .. }, Mode::Copy) => now.digest() == Some(locked.tree),
            _ => false,
        }
    }

    /// Whether nothing is lost when a place gives way: it is what the lock says, or another tree of the store,
    /// as a run leaves it that was stopped before it wrote the lock.
    fn is_kept(&self, now: &Now, locked: &Locked, mode: Mode) -> bool {
        self.is_installed(now, locked, mode)
            || match now {
                Now::Folder { .. } => now.digest().is_some_and(|digest| self.contents.read(&digest).is_ok()),
                Now::Link(to) => to.parent() == self.contents.path(&locked.tree).parent(),
                Now::Absent | Now::Other => false,
            }
    }

    /// One skill in all its places, when its tree can be found.
    fn again(
        &mut self,
        name: &SkillKey,
        locked: &Locked,
        fetched: &BTreeMap<Digest, Tree>,
    ) -> Result<(), InstallError> {
        let tree = match fetched.get(&locked.tree) {
            Some(tree) => Some(tree.clone()),
            None => self.contents.read(&locked.tree).ok(),
        };
        let refusal = tree.is_none().then_some(Refusal::NotFound);
        if let Some(tree) = tree {
            self.trees.insert(locked.tree, tree);
        }
        self.skill(name, locked, refusal.as_ref())
    }

    /// One skill in all its places.
    fn skill(
        &mut self,
        name: &SkillKey,
        new: &Locked,
        refusal: Option<&Refusal>,
    ) -> Result<(), InstallError> {
        let old = self.before.skills.get(name);
        for (place, mode) in places(new) {
            let now = self.look(place)?;
            let was = old.filter(|old| !old.quarantined).and_then(|old| {
                let mode = places(old).find(|(at, _)| *at == place)?.1;
                Some((old, mode))
            });
            let action = match refusal {
                Some(refusal) => Action::Refuse(refusal.clone()),
                None if new.quarantined => Action::Hold,
                None => self.action(&now, new, mode, was),
            };
            self.step(name, (place, mode), action, &now, (old, Some(new)));
        }
        Ok(())
    }

    fn action(&self, now: &Now, new: &Locked, mode: Mode, was: Option<(&Locked, Mode)>) -> Action {
        if *now == Now::Absent {
            return Action::Create;
        }
        // Also when nobody noted it: what is right needs no change, and a run that was stopped is finished.
        if self.is_installed(now, new, mode) {
            return Action::Keep;
        }
        match was {
            Some((old, was)) if self.is_kept(now, old, was) => {
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

    fn step(
        &mut self,
        name: &SkillKey,
        (place, mode): (&TreePath, Mode),
        action: Action,
        now: &Now,
        (old, new): (Option<&Locked>, Option<&Locked>),
    ) {
        let none = BTreeSet::new();
        let agreed = old.filter(|old| !old.quarantined).map_or(&none, |old| &old.capabilities);
        let asked = new.map_or(&none, |new| &new.capabilities);
        self.steps.push(PlanStep {
            name: name.clone(),
            place: place.clone(),
            mode,
            action,
            gained: asked.difference(agreed).cloned().collect(),
            dropped: agreed.difference(asked).cloned().collect(),
            seen: now.seen(),
            new: new.map(|new| new.tree),
        });
    }
}
