//! A lock on another machine, without a network, gives the same bytes.

use crate::{
    fixture::{Dice, quick},
    install::{AGENTS, CLAUDE, World},
};
use skillful_catalog::disk::read_folder;
use skillful_format::{Digest, Limits, Tree, TreeFile, TreePath};
use skillful_registry::{
    Source,
    fetch::{Bounds, Outside, Web, fetch},
    install::{Adding, Mode, plan_add, plan_sync},
    sign::Signing,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
};

const SKILLS: usize = 500;
const FOLDERS: [&str; 6] = ["", "scripts/", "references/", "assets/deep/er/", "Größe/", "a b/"];
const ENDINGS: [&str; 5] = ["md", "py", "json", "bin", "sh"];

/// A skill as they are found in the wild: few or many files, text with either line end or none, bytes, empty
/// files, executables, names of many kinds.
fn generated(number: usize, dice: &mut Dice) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    let end = if dice.below(4) == 0 { "\r\n" } else { "\n" };
    let body: String = (0..dice.below(80)).map(|n| format!("Step {n}: {:x}.{end}", dice.roll())).collect();
    let header = match dice.below(3) {
        0 => format!("name: skill-{number}{end}description: Does {number}.{end}"),
        1 => {
            format!("name: skill-{number}{end}description: >-{end}  Folded{end}  text{end}license: MIT{end}")
        }
        _ => format!(
            "description: 'Ünïcode 日本 {number}'{end}name: skill-{number}{end}metadata:{end}  a: '1'{end}"
        ),
    };
    let text = format!("---{end}{header}---{end}{body}");
    let mut add = |path: String, bytes: Vec<u8>, executable: bool| {
        let path = TreePath::new(&path, &limits).unwrap();
        // Names that clash are not added twice.
        let _clash = tree.insert(path, TreeFile { bytes, executable }, &limits);
    };
    add("SKILL.md".to_owned(), text.into_bytes(), false);
    for _ in 0..dice.below(6) {
        let folder = FOLDERS[dice.below(FOLDERS.len())];
        let name = format!("{folder}f{}.{}", dice.below(50), ENDINGS[dice.below(ENDINGS.len())]);
        let bytes = (0..dice.below(900)).map(|_| dice.byte()).collect();
        add(name, bytes, dice.below(3) == 0);
    }
    tree
}

fn write(tree: &Tree, folder: &Path) {
    for (path, file) in tree.iter() {
        let path = folder.join(path.as_str());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &file.bytes).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(if file.executable { 0o755 } else { 0o644 }))
            .unwrap();
    }
}

fn trees_at(folder: &Path) -> BTreeMap<String, Tree> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let read = |name: String| {
        let (tree, left_out) = read_folder(&folder.join(&name), &Limits::default()).unwrap();
        assert_eq!(left_out, [], "{name}");
        (name, tree)
    };
    names.map(read).collect()
}

#[test]
fn a_lock_replayed_without_a_network_gives_byte_identical_trees() {
    let mut dice = Dice::new(22);
    let made: BTreeMap<String, Tree> =
        (0..SKILLS).map(|n| (format!("skill-{n}"), generated(n, &mut dice))).collect();
    let (here, there, bare) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let world = World::at(here.path());
    for (name, tree) in &made {
        write(tree, &world.path("lib").join(name));
    }
    let outside = |world: &World| Outside {
        base: world.site.base.clone(),
        home: world.root.clone(),
        variables: BTreeMap::new(),
        scratch: world.root.join("scratch"),
        bounds: Bounds::default(),
        web: Web::default(),
    };
    let source: Source = "./lib".parse().unwrap();
    let fetched = fetch(&source, None, &outside(&world)).unwrap();
    for (folder, mode) in [(AGENTS, Mode::Copy), (CLAUDE, Mode::Link)] {
        let folders = [crate::install::path(folder)];
        let adding = Adding {
            source: &source,
            fetched: &fetched,
            folders: &folders,
            mode,
            approved: &BTreeSet::new(),
            suspect: &BTreeSet::new(),
            signing: Signing::default(),
        };
        let plan = plan_add(&adding, &world.lock(), &world.site, &world.contents).unwrap();
        world.apply(&plan).unwrap();
    }
    let text = fs::read(world.site.lock.join("skillful.lock")).unwrap();

    // One machine brought the store along, the other one only the source.
    let packs = there.path().join("contents/packs");
    fs::create_dir_all(&packs).unwrap();
    for entry in fs::read_dir(here.path().join("contents/packs")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), packs.join(entry.file_name())).unwrap();
    }
    let again: BTreeMap<Digest, Tree> = fetch(&source, None, &outside(&world))
        .unwrap()
        .skills
        .into_iter()
        .map(|found| (found.tree.digest(), found.tree))
        .collect();
    for (root, fetched) in [(there.path(), BTreeMap::new()), (bare.path(), again)] {
        let other = World::at(root);
        world.lock().save(&other.site.lock, &quick()).unwrap();
        let plan = plan_sync(&other.lock(), &other.site, &other.contents, &fetched).unwrap();
        other.apply(&plan).unwrap();
        assert_eq!(fs::read(other.site.lock.join("skillful.lock")).unwrap(), text);
        for folder in [AGENTS, CLAUDE] {
            assert!(trees_at(&other.path(folder)) == made, "{folder} is not what was installed");
        }
    }
    assert_eq!(made.len(), SKILLS);
}
