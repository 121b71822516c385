//! An update is stopped at every step in every way: each place is the old or the new skill, never a mixture.

use crate::{
    fixture::{at_every_step, quick, small},
    install::{AGENTS, CLAUDE, World, approver},
};
use skillful_catalog::disk::read_folder;
use skillful_format::{Digest, Limits, Tree};
use skillful_registry::{
    AtomicWriter, ContentStore,
    install::{Mode, apply, verify},
};
use std::{fs, path::Path};

const SOURCE: &str = "./lib";

/// A few skills of one version.
fn version(word: &str, count: usize) -> Vec<(String, Tree)> {
    (0..count).map(|n| (format!("s{n}"), small(&format!("s{n}"), &format!("{word}{n}")))).collect()
}

fn borrowed(skills: &[(String, Tree)]) -> Vec<(&str, &Tree)> {
    skills.iter().map(|(name, tree)| (name.as_str(), tree)).collect()
}

fn install(root: &Path, skills: &[(String, Tree)], writer: &AtomicWriter) -> Result<(), String> {
    let world = World::at(root);
    let contents = ContentStore::open(&root.join("contents"), writer.clone()).map_err(|e| e.to_string())?;
    for (folder, mode) in [(AGENTS, Mode::Copy), (CLAUDE, Mode::Link)] {
        let plan = world.plan(SOURCE, &borrowed(skills), &[folder], mode);
        apply(&plan, &world.site, &contents, approver(&world.data()), writer).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn digest_at(path: &Path) -> Option<Digest> {
    path.symlink_metadata().ok()?;
    let (tree, left_out) = read_folder(path, &Limits::default()).unwrap();
    assert_eq!(left_out, [], "{}", path.display());
    Some(tree.digest())
}

/// The last skill is new in the new version, so that making, replacing and keeping all happen.
fn faults_of_an_update(count: usize, stride: usize) -> usize {
    let (old, new) = (version("old", count), version("new", count + 1));
    at_every_step(
        stride,
        |root| install(root, &old, &quick()).unwrap(),
        |root, writer| install(root, &new, &writer),
        |root, what| {
            let world = World::at(root);
            for folder in [AGENTS, CLAUDE] {
                for (n, (name, tree)) in new.iter().enumerate() {
                    let now = digest_at(&world.path(folder).join(name));
                    let before = old.get(n).map(|(_, tree)| tree.digest());
                    let whole = now == Some(tree.digest()) || now == before;
                    assert!(whole, "{what}: {folder}/{name} is a mixture");
                    let approved = now.is_none_or(|now| world.approvals().has(&now));
                    assert!(approved, "{what}: {folder}/{name} is in use and not approved");
                }
                let there = fs::read_dir(world.path(folder)).unwrap().count();
                assert!(there <= new.len(), "{what}: an agent would see something unfinished");
            }
            for (_, tree) in &old {
                assert!(world.approvals().has(&tree.digest()), "{what}: an approval is lost");
            }
            // The lock is whole too, and the next run finishes the work.
            let _whole = world.lock();
            install(root, &new, &quick()).unwrap_or_else(|error| panic!("{what}: then {error}"));
            assert_eq!(verify(&world.lock(), &world.site, &world.contents).unwrap(), [], "{what}");
            for above in [".agents", ".claude"] {
                let names = fs::read_dir(world.path(above)).unwrap().count();
                assert_eq!(names, 1, "{what}: something staged was left in {above}");
            }
        },
    )
}

#[test]
fn an_update_that_is_stopped_at_any_step_leaves_old_or_new_and_can_be_finished() {
    let faults = faults_of_an_update(2, 1);
    assert!(faults >= 300, "only {faults} faults were set");
}

/// `cargo nextest run -p skillful-registry --run-ignored only`: the same with more skills.
#[test]
#[ignore = "takes minutes; the long mode of the test above"]
fn five_thousand_faults_leave_old_or_new() {
    let mut faults = 0;
    let mut count = 1;
    while faults < 5_000 {
        faults += faults_of_an_update(count, 1);
        count += 1;
    }
}
