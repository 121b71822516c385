//! An update of edited skills is stopped at every step in every way: each place is what it was or what it is
//! to become, and every line that the user wrote is still somewhere.

use crate::{
    fixture::{at_every_step, quick, tree},
    install::{AGENTS, CLAUDE, World, approver, key},
    update::{now, plan},
};
use skillful_format::Tree;
use skillful_registry::{
    AtomicWriter, ContentStore,
    install::{Answers, Mode, Side, apply},
};
use std::{fs, path::Path};

fn version(last: &str) -> Tree {
    let text = format!("---\nname: one\ndescription: d\n---\nfirst\n\n\n{last}\n");
    tree(&[("SKILL.md", &text), ("+run.sh", last)])
}

fn text(first: &str, last: &str) -> String {
    format!("---\nname: one\ndescription: d\n---\n{first}\n\n\n{last}\n")
}

const FILE: &str = ".agents/skills/one/SKILL.md";

/// The user changed the first line, or the last, which the new version changes as well.
fn prepare(root: &Path, mine: &str) {
    let world = World::at(root);
    world.add(&[("one", &version("old"))], &[AGENTS], Mode::Copy);
    world.add(&[("one", &version("old"))], &[CLAUDE], Mode::Link);
    fs::write(world.path(FILE), mine).unwrap();
    fs::write(world.path(".agents/skills/one/vars.json"), "{}").unwrap();
}

fn work(root: &Path, answers: &Answers, writer: &AtomicWriter) -> Result<(), String> {
    let world = World::at(root);
    let contents = ContentStore::open(&root.join("contents"), writer.clone()).map_err(|e| e.to_string())?;
    let planned = plan(&world, &now(&world, &[("one", &version("new"))]), answers);
    planned.save_backups(&root.join("backups"), writer).map_err(|e| e.to_string())?;
    apply(&planned.plan, &world.site, &contents, approver(&world.data()), writer)
        .map(drop)
        .map_err(|e| e.to_string())
}

/// The user agreed to the new script.
fn agreed() -> Answers {
    Answers { agreed: [key("one")].into(), ..Answers::default() }
}

/// Whether a file below a folder holds exactly this.
fn holds(folder: &Path, wanted: &str) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            holds(&path, wanted)
        } else {
            fs::read_to_string(&path).is_ok_and(|t| t == wanted)
        }
    })
}

#[test]
fn a_merge_that_is_stopped_at_any_step_leaves_the_edit_or_the_whole_merge() {
    let (mine, both) = (text("mine", "old"), text("mine", "new"));
    let faults = at_every_step(
        1,
        |root| prepare(root, &mine),
        |root, writer| work(root, &agreed(), &writer),
        |root, what| {
            let world = World::at(root);
            let there = fs::read_to_string(world.path(FILE)).unwrap();
            let script = fs::read_to_string(world.path(".agents/skills/one/run.sh")).unwrap();
            assert!(
                (there == mine && script == "old") || (there == both && script == "new"),
                "{what}: a mixture: {there} {script}"
            );
            assert!(world.path(".agents/skills/one/vars.json").is_file(), "{what}: the values are gone");
            let link = fs::read_to_string(world.path(".claude/skills/one/run.sh")).unwrap();
            assert!(link == "old" || link == "new", "{what}");
            // Whoever comes next finishes the work.
            work(root, &agreed(), &quick()).unwrap_or_else(|error| panic!("{what}: then {error}"));
            assert_eq!(fs::read_to_string(world.path(FILE)).unwrap(), both, "{what}");
            assert_eq!(world.lock().skills[&key("one")].tree, version("new").digest(), "{what}");
        },
    );
    assert!(faults >= 100, "only {faults} faults were set");
}

#[test]
fn an_edit_that_gives_way_is_saved_whenever_the_update_is_stopped() {
    let mine = text("first", "mine");
    let answers = Answers { keep: [(key("one"), Side::Theirs)].into(), ..agreed() };
    let faults = at_every_step(
        1,
        |root| prepare(root, &mine),
        |root, writer| work(root, &answers, &writer),
        |root, what| {
            let world = World::at(root);
            let there = fs::read_to_string(world.path(FILE)).unwrap();
            let new = text("first", "new");
            assert!(there == mine || there == new, "{what}: a mixture: {there}");
            let saved = holds(&root.join("backups"), &mine);
            assert!(there == mine || saved, "{what}: the edit is lost");
            work(root, &answers, &quick()).unwrap_or_else(|error| panic!("{what}: then {error}"));
            assert_eq!(fs::read_to_string(world.path(FILE)).unwrap(), new, "{what}");
            assert!(holds(&root.join("backups"), &mine), "{what}: the edit is lost in the end");
        },
    );
    assert!(faults >= 100, "only {faults} faults were set");
}
