//! Carrying out a plan.

use super::{
    Action, InstallError, Mode, PlacementPlan, PlanStep, Site, place::Values, site::split, stage::Stage,
};
use crate::{
    approvals::{Approvals, Approver},
    atomic_write::{AtomicWriter, Syncing},
    content_store::{ContentStore, Lease},
    lock::{Lock, NextLock},
    sign::Signature,
};
use skillful_format::{Digest, Tree, TreePath};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
};

/// Places that an error lists.
const LISTED: usize = 20;

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Places that were made, replaced or removed.
    pub changed: Vec<PathBuf>,
    /// Those of them that have a skill now, with the digest of its tree.
    pub placed: Vec<(PathBuf, Digest)>,
    /// Folders that an earlier run left behind and that no tree of the content store equals; a user may want
    /// something in them, so they are left.
    pub left: Vec<PathBuf>,
    /// Whether the lock was written.
    pub lock_written: bool,
}

/// Carries out a plan, all of it or, when a step fails, those before it; the same plan can be made and
/// carried out again. Nothing is done when the plan refuses anything, or when the lock is no longer
/// the one that it was made from.
///
/// What comes into use is approved first, then written, then named by the lock: a run that is stopped at any point
/// leaves nothing in use that is not approved, and takes no approval away.
pub fn apply(
    plan: &PlacementPlan,
    site: &Site,
    contents: &ContentStore,
    approver: Approver<'_>,
    writer: &AtomicWriter,
) -> Result<Done, InstallError> {
    let count = plan.refused().count();
    if count > 0 {
        let first = plan.refused().take(LISTED).map(|(step, why)| format!("{}: {why}", step.place));
        let mut refused = first.collect::<Vec<_>>().join("; ");
        if count > LISTED {
            refused.push_str(&format!("; and {} more", count - LISTED));
        }
        return Err(InstallError::Refused(refused));
    }
    let unwritable =
        |error: io::Error| InstallError::Disk { path: site.lock.clone(), action: "written", error };
    std::fs::create_dir_all(&site.lock).map_err(unwritable)?;
    let _alone = contents.guard(&site.lock)?;
    if Lock::load(&site.lock)? != plan.before {
        return Err(InstallError::LockChanged);
    }
    let approves = plan.approved_names(&Approvals::load(approver.data)?);
    if !approves.is_empty() {
        Approvals::record(approver, &approves, writer)?;
    }
    // The content store is not cleaned before the lock names what is needed.
    let lease = contents.lease()?;
    lease.note_lock(&site.lock)?;
    lease.put_signatures(&plan.signatures)?;
    let mut done = Done::default();
    let mut work = Vec::new();
    for (folder, steps) in by_folder(plan) {
        if steps.is_empty() {
            // The run that finished them may have been stopped before it cleaned.
            done.left.extend(Stage::sweep_if_there(site, contents, writer, folder)?);
        } else {
            work.push((Stage::open(site, contents, writer, folder)?, steps));
        }
    }
    let carried = carry_out(plan, site, &lease, writer, &work, &mut done);
    for (stage, _) in work {
        stage.close();
    }
    // The last name: the lock never names what is not there.
    done.lock_written = carried?.place(writer)?;
    Ok(done)
}

/// Puts files that were fetched for a pending skill of a lock into the content store, with the signature that the lock
/// names. They come into no folder of an agent.
pub fn store_fetched(
    tree: &Tree,
    signatures: &BTreeMap<Digest, Signature>,
    lock: &Lock,
    site: &Site,
    contents: &ContentStore,
) -> Result<(), InstallError> {
    let mut plan = PlacementPlan { after: lock.clone(), ..PlacementPlan::default() };
    plan.keep_signatures(signatures);
    let lease = contents.lease()?;
    lease.note_lock(&site.lock)?;
    lease.put_signatures(&plan.signatures)?;
    lease.put(&[tree])?;
    Ok(())
}

/// The steps that change a disk, by the folder they change; a folder may have none.
fn by_folder(plan: &PlacementPlan) -> BTreeMap<&str, Vec<&PlanStep>> {
    let mut folders: BTreeMap<&str, Vec<&PlanStep>> = BTreeMap::new();
    for step in &plan.steps {
        let changing = folders.entry(split(step.place.as_str()).0).or_default();
        if matches!(step.action, Action::Create | Action::Replace | Action::Merge | Action::Remove) {
            changing.push(step);
        }
    }
    folders
}

type StagedFolder<'a, 'p> = (Stage<'a>, Vec<&'p PlanStep>);

/// Stages everything: in the content store, beside the folders of agents, and the lock. Waits once until it is on the disk;
/// then gives each its name, first in the content store, and waits a second time. The lock has yet to get its own.
fn carry_out(
    plan: &PlacementPlan,
    site: &Site,
    lease: &Lease<'_>,
    writer: &AtomicWriter,
    work: &[StagedFolder<'_, '_>],
    done: &mut Done,
) -> Result<NextLock, InstallError> {
    // Two folders may share a stage, so that it is swept before anything is in it.
    for (stage, _) in work {
        done.left.extend(stage.sweep()?);
    }
    done.left.dedup();
    let trees: BTreeMap<Digest, &Tree> = plan.trees.iter().map(|(digest, tree)| (*digest, tree)).collect();
    let syncing = Syncing::of(trees.values().map(|tree| tree.len()).sum());
    let unfold = unfolded(plan);
    let store = || lease.stage(&trees, &unfold, syncing);
    let copy = || {
        stage_all(plan, work, syncing)
            .and_then(|staged| Ok((staged, plan.after.stage(&site.lock, writer, syncing)?)))
    };
    // The store and the folders of agents are different folders, so that two threads do not meet in them.
    let (stored, staged) = if syncing == Syncing::Once {
        std::thread::scope(|scope| {
            let storing = scope.spawn(store);
            let staged = copy();
            match storing.join() {
                Ok(stored) => (stored, staged),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    } else {
        match store() {
            Ok(stored) => (Ok(stored), copy()),
            Err(error) => return Err(error.into()),
        }
    };
    let (stored, staged, lock) = match (stored, staged) {
        (Ok(stored), Ok((staged, lock))) => (stored, staged, lock),
        (Ok(stored), Err(error)) => {
            lease.abandon(&stored);
            return Err(error);
        }
        (Err(error), Ok((_, lock))) => {
            lock.abandon(writer);
            return Err(error.into());
        }
        (Err(error), Err(_)) => return Err(error.into()),
    };
    let name = |done: &mut Done| {
        let mut folders = vec![lease.folder(), lock.folder()];
        folders.extend(work.iter().map(|(stage, _)| stage.dir()));
        writer.settle(&folders, syncing).map_err(|error| work_failed(site, error))?;
        lease.place(&stored)?;
        for ((stage, _), staged) in work.iter().zip(&staged) {
            name_all(stage, staged, done)?;
        }
        lease.sync(&stored)?;
        work.iter().try_for_each(|(stage, _)| stage.sync())
    };
    match name(done) {
        Ok(()) => Ok(lock),
        Err(error) => {
            lock.abandon(writer);
            lease.abandon(&stored);
            Err(error)
        }
    }
}

/// The trees that are read in the content store: through a link, or for a review.
fn unfolded(plan: &PlacementPlan) -> BTreeSet<Digest> {
    let steps = plan.steps.iter().filter(|step| step.mode == Mode::Link || step.action == Action::Pending);
    steps.filter(|step| step.action != Action::Remove).filter_map(|step| step.new).collect()
}

fn work_failed(site: &Site, error: io::Error) -> InstallError {
    InstallError::Disk { path: site.base.clone(), action: "written", error }
}

/// A step, the name of what was staged for it, and the values that move over to it.
type New<'p> = (&'p PlanStep, Option<(String, Option<Values>)>);

fn stage_all<'p>(
    plan: &PlacementPlan,
    work: &[StagedFolder<'_, 'p>],
    syncing: Syncing,
) -> Result<Vec<Vec<New<'p>>>, InstallError> {
    work.iter().map(|(stage, steps)| stage_each(plan, stage, steps, syncing)).collect()
}

fn stage_each<'p>(
    plan: &PlacementPlan,
    stage: &Stage<'_>,
    steps: &[&'p PlanStep],
    syncing: Syncing,
) -> Result<Vec<New<'p>>, InstallError> {
    let mut copies = Vec::new();
    let mut staged = Vec::new();
    for step in steps {
        let made = step.new.filter(|_| step.action != Action::Remove);
        let Some(digest) = made else {
            staged.push((*step, None));
            continue;
        };
        let link = match step.mode {
            Mode::Copy => None,
            Mode::Link => Some(stage.link(&digest, &step.place)?),
            Mode::Alias => Some(stage.alias(&step.place, plan.after.skills.get(&step.name))?),
        };
        if let Some(link) = link {
            staged.push((*step, Some((link, None))));
            continue;
        }
        let Some(tree) = plan.trees.get(&digest).or_else(|| plan.merged.get(&digest)) else {
            return Err(InstallError::Refused(format!("{}: its files are missing", step.place)));
        };
        // The values that a user set beside a skill stay beside its next version.
        let gives_way = matches!(step.action, Action::Replace | Action::Merge);
        let values = if gives_way { stage.values(&step.place)? } else { None };
        let name = stage.copy_later(tree, values.as_ref(), &step.place, &mut copies)?;
        staged.push((*step, Some((name, values))));
    }
    stage.write(&copies, syncing)?;
    Ok(staged)
}

fn name_all(stage: &Stage<'_>, staged: &[New<'_>], done: &mut Done) -> Result<(), InstallError> {
    for (step, new) in staged {
        match new {
            Some((name, _)) if step.action == Action::Create => stage.create(name, &step.place)?,
            Some((name, values)) => stage.replace(name, &step.place, step.seen.as_ref(), values.as_ref())?,
            None => stage.remove(&step.place, step.seen.as_ref())?,
        }
        let path = stage.path(&step.place);
        done.placed.extend(step.new.filter(|_| new.is_some()).map(|digest| (path.clone(), digest)));
        done.changed.push(path);
    }
    Ok(())
}

/// The name of a place in its folder.
pub(super) fn name_of(place: &TreePath) -> &str {
    split(place.as_str()).1
}
