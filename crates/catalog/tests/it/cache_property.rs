//! D10 as a property: after any sequence of changes, a look with memory finds what one without
//! memory finds.

use crate::{
    cache::assert_fresh,
    fixture::{World, skill, tick},
};
use proptest::prelude::*;
use std::{fs, path::Path, time::SystemTime};

const ROOT: &str = "home/.alpha/skills";
/// Places that changes are about; some lie inside others.
const PLACES: [&str; 7] = ["a", "b", "group", "group/c", "group/d", "a/inner", ".hidden"];

#[derive(Clone, Debug)]
enum Change {
    Skill(usize, u8),
    Lower(usize),
    Broken(usize),
    Openai(usize, u8),
    Toml(usize, u8),
    Folder(usize),
    Remove(usize),
    RemoveFile(usize),
    Rename(usize, usize),
    Link(usize, usize),
    LinkOut(usize),
    LinkFile(usize),
    Outside(u8),
    RemoveOutside,
    Touch(usize),
    RealClock,
}

fn change() -> impl Strategy<Value = Change> {
    let place = || 0..PLACES.len();
    let text = 0..4u8;
    prop_oneof![
        4 => (place(), text.clone()).prop_map(|(place, text)| Change::Skill(place, text)),
        1 => place().prop_map(Change::Lower),
        1 => place().prop_map(Change::Broken),
        2 => (place(), text.clone()).prop_map(|(place, text)| Change::Openai(place, text)),
        2 => (place(), text.clone()).prop_map(|(place, text)| Change::Toml(place, text)),
        1 => place().prop_map(Change::Folder),
        2 => place().prop_map(Change::Remove),
        1 => place().prop_map(Change::RemoveFile),
        2 => (place(), place()).prop_map(|(from, to)| Change::Rename(from, to)),
        2 => (place(), place()).prop_map(|(from, to)| Change::Link(from, to)),
        1 => place().prop_map(Change::LinkOut),
        1 => place().prop_map(Change::LinkFile),
        1 => text.prop_map(Change::Outside),
        1 => Just(Change::RemoveOutside),
        1 => place().prop_map(Change::Touch),
        1 => Just(Change::RealClock),
    ]
}

/// Does what it can; a change that the folder does not allow changes nothing.
fn apply(world: &World, change: &Change) {
    let at = |place: usize| world.path(ROOT).join(PLACES[place]);
    let write = |path: &Path, text: &str| {
        if path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) {
            drop(fs::write(path, text));
        }
    };
    let clear = |path: &Path| {
        if fs::remove_file(path).is_err() {
            drop(fs::remove_dir_all(path));
        }
    };
    let link = |from: &Path, to: &Path| {
        clear(from);
        if from.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) {
            drop(std::os::unix::fs::symlink(to, from));
        }
    };
    match change {
        // Texts of one size, so that only the stamp differs.
        Change::Skill(place, text) => {
            write(&at(*place).join("SKILL.md"), &skill(&format!("n{text}"), &format!("words {text}")));
        }
        Change::Lower(place) => write(&at(*place).join("skill.md"), &skill("lower", "x")),
        Change::Broken(place) => write(&at(*place).join("SKILL.md"), "---\nname: x\nname: y\n---\n"),
        Change::Openai(place, text) => {
            write(&at(*place).join("agents/openai.yaml"), &format!("interface:\n  display_name: D{text}\n"));
        }
        Change::Toml(place, text) => {
            write(&at(*place).join("skill.toml"), &format!("license = \"L{text}\"\n"));
        }
        Change::Folder(place) => drop(fs::create_dir_all(at(*place))),
        Change::Remove(place) => clear(&at(*place)),
        Change::RemoveFile(place) => drop(fs::remove_file(at(*place).join("SKILL.md"))),
        Change::Rename(from, to) => drop(fs::rename(at(*from), at(*to))),
        Change::Link(from, to) => link(&at(*from), &at(*to)),
        Change::LinkOut(place) => link(&at(*place), &world.path("outside")),
        Change::LinkFile(place) => link(&at(*place).join("SKILL.md"), &world.path("outside/SKILL.md")),
        Change::Outside(text) => {
            write(&world.path("outside/SKILL.md"), &skill("outside", &format!("words {text}")));
        }
        Change::RemoveOutside => clear(&world.path("outside")),
        Change::Touch(place) => {
            if let Ok(file) = fs::File::open(at(*place).join("SKILL.md")) {
                drop(file.set_modified(SystemTime::UNIX_EPOCH));
            }
        }
        Change::RealClock => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_never_differs_from_the_disk(changes in prop::collection::vec(change(), 1..14)) {
        let mut world = World::new();
        world.folder(ROOT);
        world.keep_memory();
        let later = world.settings.now;
        for (number, change) in changes.iter().enumerate() {
            world.settings.now = if matches!(change, Change::RealClock) { None } else { later };
            tick();
            apply(&world, change);
            assert_fresh(&world, &format!("after change {number} of {changes:?}"));
        }
        assert_fresh(&world, "at the end");
    }
}
