//! Planning installs, approvals and removals. Only reads.

mod adding;
mod planning;

pub(super) use planning::Planning;

use super::{Action, Backup, InstallError, Mode, PlacementPlan, Refusal, Site, place::Now};
use crate::{
    content_store::ContentStore,
    fetch::Fetched,
    lock::{Lock, Locked, LockedEdit, SkillKey},
    sign::Signing,
    source::Source,
};
use skillful_catalog::capability;
use skillful_format::{Digest, Tree, TreePath};
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
    /// Skills that the user looked at and approved. Of the others, what comes from another machine is pending, and
    /// nothing gets more capabilities than were approved.
    pub approved: &'a BTreeSet<SkillKey>,
    /// Skills with blocking findings: pending too, wherever they come from.
    pub suspect: &'a BTreeSet<SkillKey>,
    /// Whose signatures count, and whom the user named.
    pub signing: Signing<'a>,
}

/// Plans to install what was fetched, or to replace what was installed from the same source before.
pub fn plan_add(
    adding: &Adding<'_>,
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<PlacementPlan, InstallError> {
    plan_add_all(std::slice::from_ref(adding), lock, site, contents)
}

/// The same, where folders of the user give way that Skillful did not install or that the user edited. The plan comes
/// with their files, which are to be saved before it is carried out. A skill that stays pending replaces nothing.
pub fn plan_add_replacing(
    adding: &Adding<'_>,
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<(PlacementPlan, Vec<Backup>), InstallError> {
    let mut planning = Planning::new(lock, site, contents);
    planning.replaced = Some(Vec::new());
    planning.add(adding)?;
    let backups = planning.replaced.take().unwrap_or_default();
    Ok((planning.plan(), backups))
}

/// The same as [`plan_add`] for several sources at once, which are to have no name in common.
pub fn plan_add_all(
    addings: &[Adding<'_>],
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<PlacementPlan, InstallError> {
    plan_change(addings, &[], &[], lock, site, contents)
}

/// Plans to put everything in its place that the lock names. `fetched` are trees that the content store did not have.
/// The author of the lock is not trusted: a skill that is new at a place is shown with all its capabilities,
/// and a skill that has more capabilities than its entry names is refused.
pub fn plan_sync(
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
    fetched: &BTreeMap<Digest, Tree>,
) -> Result<PlacementPlan, InstallError> {
    let mut planning = Planning::new(lock, site, contents);
    for (name, locked) in &lock.skills {
        planning.again(name, locked, fetched)?;
    }
    planning.report_capabilities();
    Ok(planning.plan())
}

/// Plans to put a pending skill in its place, because the user reviewed and approved it.
pub fn plan_approve(
    name: &SkillKey,
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<PlacementPlan, InstallError> {
    let Some(locked) = lock.skills.get(name) else {
        return Err(InstallError::NotInstalled(name.to_string()));
    };
    let mut planning = Planning::new(lock, site, contents);
    // The files were reviewed, whatever capabilities the entry names.
    let found = contents.read(&locked.tree).ok().and_then(|tree| capability::of_tree(&tree));
    let capabilities = found.unwrap_or_else(|| locked.capabilities.clone());
    let released = Locked { pending: false, capabilities, ..locked.clone() };
    planning.again(name, &released, &BTreeMap::new())?;
    planning.after.skills.insert(name.clone(), released);
    Ok(planning.plan())
}

/// Plans to approve an installed skill as it is now, with the user's edits. The edits become part of the lock, and
/// every place of the skill gets them. `place` selects the edits, when places differ.
pub fn plan_approve_edits(
    name: &SkillKey,
    place: Option<&TreePath>,
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<PlacementPlan, InstallError> {
    let Some(locked) = lock.skills.get(name) else {
        return Err(InstallError::NotInstalled(name.to_string()));
    };
    let mut planning = Planning::new(lock, site, contents);
    let is_meant = |at: &TreePath| place.is_none_or(|place| place == at);
    let mut edits: BTreeMap<Digest, Tree> = BTreeMap::new();
    for (at, edited) in super::edited_places(locked, site, Some(contents))? {
        // What is not a folder of a skill is judged with the other places below.
        let edited = edited.filter(|_| is_meant(&at));
        edits.extend(edited.map(|edited| (edited.digest(), edited)));
    }
    if edits.len() > 1 {
        return Err(InstallError::SeveralEdits(name.to_string()));
    }
    let mut after = locked.clone();
    if let Some((digest, tree)) = edits.pop_first() {
        let source = contents.read(&locked.tree).ok();
        let text = source.as_ref().and_then(|source| super::patch(source, &tree));
        after.edited = (digest != locked.tree).then_some(LockedEdit { tree: digest, patch: text });
        after.capabilities = capability::of_tree(&tree).unwrap_or_default();
        planning.trees.insert(digest, tree);
    }
    planning.skill(name, &after, None)?;
    planning.after.skills.insert(name.clone(), after);
    Ok(planning.plan())
}

/// Plans to put `tree`, which the lock names, in the place of the user's edits, and to save the edits first. A plan
/// without steps means that there are none.
pub fn plan_discard_edits(
    name: &SkillKey,
    tree: &Tree,
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<(PlacementPlan, Vec<Backup>), InstallError> {
    let Some(locked) = lock.skills.get(name).filter(|locked| locked.installed() == tree.digest()) else {
        return Err(InstallError::NotInstalled(name.to_string()));
    };
    let mut planning = Planning::new(lock, site, contents);
    let mut backups: Vec<Backup> = Vec::new();
    for (place, edited) in super::edited_places(locked, site, Some(contents))? {
        let Some(mode) = places(locked).find(|(at, _)| **at == place).map(|(_, mode)| mode) else { continue };
        let now = planning.look(&place)?;
        let action = match edited {
            Some(tree) => {
                let backup = Backup { skill: name.clone(), tree };
                if !backups.contains(&backup) {
                    backups.push(backup);
                }
                Action::Replace
            }
            None => Action::Refuse(Refusal::NotOurs),
        };
        planning.step(name, (&place, mode), action, &now, (Some(locked), Some(locked)));
    }
    planning.trees.insert(locked.installed(), tree.clone());
    Ok((planning.plan(), backups))
}

/// Plans to remove skills, from everywhere they were installed.
pub fn plan_remove(
    names: &[SkillKey],
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<PlacementPlan, InstallError> {
    plan_change(&[], &[], names, lock, site, contents)
}

/// Plans to install what several sources gave, to put others back that the lock names, and to remove others, in one plan.
pub fn plan_change(
    addings: &[Adding<'_>],
    kept: &[SkillKey],
    removed: &[SkillKey],
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<PlacementPlan, InstallError> {
    let mut planning = Planning::new(lock, site, contents);
    for adding in addings {
        planning.add(adding)?;
    }
    for (name, locked) in kept.iter().filter_map(|name| lock.skills.get_key_value(name)) {
        planning.again(name, locked, &BTreeMap::new())?;
    }
    for name in removed {
        let Some(locked) = lock.skills.get(name) else {
            return Err(InstallError::NotInstalled(name.to_string()));
        };
        for (place, mode) in places(locked) {
            let now = planning.look(place)?;
            let action = match &now {
                Now::Absent => Action::Gone,
                // It was never installed there, so what is there is not ours.
                _ if locked.pending => Action::Gone,
                now if now.values().is_some() => Action::Refuse(Refusal::Values),
                now if planning.is_kept(now, locked, (place, mode)) => Action::Remove,
                _ => Action::Refuse(Refusal::Edited),
            };
            planning.step(name, (place, mode), action, &now, (Some(locked), None));
        }
        planning.after.skills.remove(name);
    }
    Ok(planning.plan())
}

/// Every place that an entry of a lock names, and as what.
pub fn places(locked: &Locked) -> impl Iterator<Item = (&TreePath, Mode)> {
    let copied = locked.copied.iter().map(|place| (place, Mode::Copy));
    let linked = locked.linked.iter().map(|place| (place, Mode::Link));
    copied.chain(linked).chain(locked.aliases.iter().map(|place| (place, Mode::Alias)))
}
