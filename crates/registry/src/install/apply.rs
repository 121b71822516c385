//! Carrying out a plan.

use super::{Action, InstallError, Mode, Plan, PlanStep, Site, site::split, stage::Stage};
use crate::{contents::Contents, hand::Hand, lock::Lock};
use skillful_format::TreePath;
use std::{collections::BTreeMap, io, path::PathBuf};

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Places that were made, replaced or removed.
    pub changed: Vec<PathBuf>,
    /// Folders that an earlier run left behind and that hold what no tree of the store is; a person may want
    /// something in them, so they are left.
    pub left: Vec<PathBuf>,
    /// Whether the lock was written.
    pub lock_written: bool,
}

/// Carries out a plan, all of it or, when a step fails, those before it; the same plan can be made and
/// carried out again. Nothing is done when the plan refuses anything, or when the lock is no longer
/// the one that it was made from.
pub fn apply(plan: &Plan, site: &Site, contents: &Contents, hand: &Hand) -> Result<Done, InstallError> {
    let refused: Vec<String> = plan.refused().map(|(step, why)| format!("{}: {why}", step.place)).collect();
    if !refused.is_empty() {
        return Err(InstallError::Refused(refused.join("; ")));
    }
    let unwritable =
        |error: io::Error| InstallError::Disk { path: site.lock.clone(), action: "written", error };
    std::fs::create_dir_all(&site.lock).map_err(unwritable)?;
    let _alone = contents.guard(&site.lock)?;
    if Lock::load(&site.lock)? != plan.before {
        return Err(InstallError::LockChanged);
    }
    // Nobody cleans the store before the lock says what is needed.
    let lease = contents.lease()?;
    lease.note_lock(&site.lock)?;
    lease.put(&plan.trees.values().collect::<Vec<_>>())?;
    let mut done = Done::default();
    for (folder, steps) in by_folder(plan) {
        if steps.is_empty() {
            // The run that finished them may have been stopped before it cleaned.
            done.left.extend(Stage::sweep_if_there(site, contents, hand, folder)?);
            continue;
        }
        let stage = Stage::open(site, contents, hand, folder)?;
        done.left.extend(stage.sweep()?);
        let carried = carry_out(&stage, plan, &steps, &mut done);
        stage.close();
        carried?;
    }
    done.lock_written = plan.after.save(&site.lock, hand)?;
    Ok(done)
}

/// The steps that change a disk, by the folder they change; a folder may have none.
fn by_folder(plan: &Plan) -> BTreeMap<&str, Vec<&PlanStep>> {
    let mut folders: BTreeMap<&str, Vec<&PlanStep>> = BTreeMap::new();
    for step in &plan.steps {
        let changing = folders.entry(split(step.place.as_str()).0).or_default();
        if matches!(step.action, Action::Create | Action::Replace | Action::Merge | Action::Remove) {
            changing.push(step);
        }
    }
    folders
}

/// Stages everything, syncs once, then gives each its name.
fn carry_out(
    stage: &Stage<'_>,
    plan: &Plan,
    steps: &[&PlanStep],
    done: &mut Done,
) -> Result<(), InstallError> {
    let mut copies = Vec::new();
    let mut staged = Vec::new();
    for step in steps {
        let made = step.new.filter(|_| step.action != Action::Remove);
        let Some(digest) = made else {
            staged.push((step, None));
            continue;
        };
        if step.mode == Mode::Link {
            staged.push((step, Some((stage.link(&digest, &step.place)?, None))));
            continue;
        }
        let Some(tree) = plan.trees.get(&digest).or_else(|| plan.merged.get(&digest)) else {
            return Err(InstallError::Refused(format!("{}: its files are missing", step.place)));
        };
        // The values that a person set beside a skill stay beside its next version.
        let gives_way = matches!(step.action, Action::Replace | Action::Merge);
        let values = if gives_way { stage.values(&step.place)? } else { None };
        let name = stage.copy_later(tree, values.as_ref(), &step.place, &mut copies)?;
        staged.push((step, Some((name, values))));
    }
    stage.write(&copies)?;
    for (step, new) in &staged {
        match new {
            Some((name, _)) if step.action == Action::Create => stage.create(name, &step.place)?,
            Some((name, values)) => stage.replace(name, &step.place, step.seen.as_ref(), values.as_ref())?,
            None => stage.remove(&step.place, step.seen.as_ref())?,
        }
        done.changed.push(stage.path(&step.place));
    }
    stage.sync()
}

/// The name of a place in its folder.
pub(super) fn name_of(place: &TreePath) -> &str {
    split(place.as_str()).1
}
