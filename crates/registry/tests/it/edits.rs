//! Edits of an installed skill that the user approved: the lock carries them to every machine.

use crate::{
    fixture::{at_every_step, quick, tree},
    install::{AGENTS, CLAUDE, World, approver, key},
    update::{now, plan},
};
use skillful_format::{Digest, Limits, Tree};
use skillful_registry::{
    AtomicWriter, ContentStore,
    install::{Action, Answers, Mode, Refusal, apply, plan_approve_edits, plan_sync},
};
use std::{collections::BTreeMap, fs, path::Path};

const FILE: &str = ".agents/skills/one/SKILL.md";

fn version(first: &str, last: &str) -> Tree {
    let text = format!("---\nname: one\ndescription: d\n---\n{first}\n\n\n\n{last}\n");
    tree(&[("SKILL.md", &text), ("data.bin", "\0")])
}

fn text(first: &str, last: &str) -> String {
    format!("---\nname: one\ndescription: d\n---\n{first}\n\n\n\n{last}\n")
}

/// An installed skill, as a copy and as a link, whose copy was edited.
fn edited(root: &Path) -> World {
    let world = World::at(root);
    world.add(&[("one", &version("old", "old"))], &[AGENTS], Mode::Copy);
    world.add(&[("one", &version("old", "old"))], &[CLAUDE], Mode::Link);
    fs::write(world.path(FILE), text("mine", "old")).unwrap();
    world
}

fn approve(world: &World) {
    let plan = plan_approve_edits(&key("one"), None, &world.lock(), &world.site, &world.contents).unwrap();
    world.apply(&plan).unwrap();
}

fn digest(world: &World, place: &str) -> Digest {
    skillful_catalog::disk::read_folder(&world.path(place), &Limits::default()).unwrap().0.digest()
}

#[test]
fn an_approved_edit_is_as_locked_everywhere_and_is_made_again_from_the_source() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let world = edited(here.path());
    assert_eq!(world.drifts(), [".agents/skills/one: `SKILL.md` was changed"]);
    assert!(!world.approvals().has(&digest(&world, ".agents/skills/one")));
    approve(&world);
    let mine = digest(&world, ".agents/skills/one");
    assert_eq!(world.drifts(), [""; 0]);
    assert_eq!(digest(&world, ".claude/skills/one"), mine, "every place has the edit");
    assert!(world.approvals().has(&mine));

    // Another machine has the lock and the source, and nothing else.
    let other = World::at(there.path());
    fs::copy(world.path("skillful.lock"), other.path("skillful.lock")).unwrap();
    let source = version("old", "old");
    let fetched = BTreeMap::from([(source.digest(), source)]);
    let sync = plan_sync(&other.lock(), &other.site, &other.contents, &fetched).unwrap();
    assert_eq!(sync.refused().count(), 0);
    other.apply(&sync).unwrap();
    assert_eq!(other.drifts(), [""; 0]);
    assert_eq!(digest(&other, ".agents/skills/one"), mine);
    assert_eq!(fs::read_to_string(other.path(FILE)).unwrap(), text("mine", "old"));
}

#[test]
fn an_edit_of_a_file_that_is_not_text_is_locked_by_its_digest_and_says_so_elsewhere() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let world = edited(here.path());
    fs::write(world.path(".agents/skills/one/data.bin"), [0, 1]).unwrap();
    approve(&world);
    assert_eq!(world.drifts(), [""; 0]);
    let other = World::at(there.path());
    fs::copy(world.path("skillful.lock"), other.path("skillful.lock")).unwrap();
    let source = version("old", "old");
    let fetched = BTreeMap::from([(source.digest(), source)]);
    let sync = plan_sync(&other.lock(), &other.site, &other.contents, &fetched).unwrap();
    assert!(sync.refused().all(|(_, why)| *why == Refusal::EditNotText) && sync.refused().count() == 2);
}

#[test]
fn a_patch_that_was_changed_in_the_lock_installs_nothing() {
    let here = tempfile::tempdir().unwrap();
    let world = edited(here.path());
    approve(&world);
    let lock = fs::read_to_string(world.path("skillful.lock")).unwrap();
    fs::write(world.path("skillful.lock"), lock.replace("+mine", "+evil")).unwrap();
    fs::remove_dir_all(world.path(AGENTS)).unwrap();
    let empty = tempfile::tempdir().unwrap();
    let contents = ContentStore::open(empty.path(), quick()).unwrap();
    let source = version("old", "old");
    let fetched = BTreeMap::from([(source.digest(), source)]);
    let sync = plan_sync(&world.lock(), &world.site, &contents, &fetched).unwrap();
    assert!(sync.refused().any(|(_, why)| *why == Refusal::EditDiffers));
}

#[test]
fn an_update_carries_approved_edits_into_the_new_version() {
    let here = tempfile::tempdir().unwrap();
    let world = edited(here.path());
    approve(&world);
    let update = plan(&world, &now(&world, &[("one", &version("old", "new"))]), &Answers::default());
    assert_eq!(update.skills[0].blocks, []);
    world.apply(&update.plan).unwrap();
    assert_eq!(fs::read_to_string(world.path(FILE)).unwrap(), text("mine", "new"));
    assert_eq!(world.drifts(), [""; 0]);
    assert!(world.approvals().has(&digest(&world, ".agents/skills/one")));
    let locked = world.lock().skills[&key("one")].clone();
    assert_eq!(locked.tree, version("old", "new").digest());
    assert!(locked.edited.unwrap().patch.unwrap().contains("+mine"));
}

#[test]
fn adding_the_source_again_keeps_approved_edits_and_never_replaces_them() {
    let here = tempfile::tempdir().unwrap();
    let world = edited(here.path());
    approve(&world);
    let same = world.plan("./lib", &[("one", &version("old", "old"))], &[AGENTS], Mode::Copy);
    assert!(same.steps.iter().all(|step| step.action == Action::Keep), "{:?}", same.steps);
    let other = world.plan("./lib", &[("one", &version("old", "new"))], &[AGENTS], Mode::Copy);
    assert!(other.refused().all(|(_, why)| *why == Refusal::HasEdits) && other.refused().count() == 2);
}

fn approve_with(root: &Path, writer: &AtomicWriter) -> Result<(), String> {
    let world = World::at(root);
    let contents = ContentStore::open(&root.join("contents"), writer.clone()).map_err(|e| e.to_string())?;
    let plan = plan_approve_edits(&key("one"), None, &world.lock(), &world.site, &contents);
    let plan = plan.map_err(|e| e.to_string())?;
    apply(&plan, &world.site, &contents, approver(&world.data()), writer).map(drop).map_err(|e| e.to_string())
}

#[test]
fn an_approval_that_is_stopped_at_any_step_loses_no_edit_and_can_be_finished() {
    let faults = at_every_step(
        1,
        |root| drop(edited(root)),
        |root, writer| approve_with(root, &writer),
        |root, what| {
            let world = World::at(root);
            assert_eq!(fs::read_to_string(world.path(FILE)).unwrap(), text("mine", "old"), "{what}");
            // What the lock names as installed is approved.
            let locked = world.lock().skills[&key("one")].clone();
            assert!(world.approvals().has(&locked.installed()), "{what}: not approved");
            assert!(world.approvals().has(&digest(&world, ".claude/skills/one")), "{what}: not approved");
            approve_with(root, &quick()).unwrap_or_else(|error| panic!("{what}: then {error}"));
            assert_eq!(world.drifts(), [""; 0], "{what}");
        },
    );
    assert!(faults >= 60, "only {faults} faults were set");
}
