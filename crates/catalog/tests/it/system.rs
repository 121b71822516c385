//! D9: the skills shipped with the program.

use crate::fixture::{World, only};
use skillful_catalog::{Placement, profile::Scope, system};
use std::{collections::BTreeMap, fs, path::Path};

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn they_are_installed_in_a_folder_named_by_their_content_and_load() {
    let mut world = World::new();
    let data = world.path("data");
    let folder = system::install(&data).unwrap();
    assert_eq!(folder, system::folder(&data));
    assert!(folder.starts_with(data.join("system")));
    let name = folder.file_name().unwrap().to_str().unwrap();
    assert!(name.len() == 12 && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    for name in ["skill-creator", "skill-installer"] {
        assert!(system::names().contains(&name));
    }
    world.settings.system_folder = Some(folder);
    let catalog = world.build();
    for name in system::names() {
        let entry = only(&catalog, name);
        assert_eq!((entry.origin.scope, entry.placement.clone()), (Scope::System, Placement::Active));
        assert_eq!(entry.loaded.diagnostics, [], "{name}");
    }
    assert_eq!(catalog.entries.len(), system::names().len());
}

#[test]
fn what_was_read_of_them_is_remembered_at_once_and_an_edit_is_seen() {
    use std::os::unix::fs::MetadataExt;
    let mut world = World::new();
    let folder = system::install(&world.path("data")).unwrap();
    world.settings.system_folder = Some(folder.clone());
    world.settings.cache = Some(world.path("cache"));
    // A cache file is replaced whenever anything had to be read anew. Of a folder this young no other record would count.
    let written = |world: &World| -> Vec<u64> {
        let files = fs::read_dir(world.path("cache")).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().ino()).collect()
    };
    world.build();
    let before = written(&world);
    assert_eq!(before.len(), 1);
    let again = world.build();
    assert_eq!(again.entries.len(), system::names().len());
    assert_eq!(written(&world), before);
    let text = "---\nname: skill-creator\ndescription: Edited.\n---\nText.\n";
    fs::write(folder.join("skill-creator/SKILL.md"), text).unwrap();
    assert_eq!(only(&world.build(), "skill-creator").description(), Some("Edited."));
}

#[test]
fn installing_again_touches_nothing() {
    use std::os::unix::fs::MetadataExt;
    let world = World::new();
    let folder = system::install(&world.path("data")).unwrap();
    let before = folder.metadata().unwrap();
    system::install(&world.path("data")).unwrap();
    let after = folder.metadata().unwrap();
    assert_eq!((before.ino(), before.ctime_nsec()), (after.ino(), after.ctime_nsec()));
}

#[test]
fn whatever_was_done_to_them_they_are_whole_again() {
    type Damage = fn(&Path);
    let cases: [(&str, Damage); 9] = [
        ("a file is missing", |folder| fs::remove_file(folder.join("skill-creator/SKILL.md")).unwrap()),
        ("a file is cut", |folder| fs::write(folder.join("skill-creator/SKILL.md"), "---").unwrap()),
        ("a file is empty", |folder| fs::write(folder.join("skill-creator/SKILL.md"), "").unwrap()),
        ("a file has other content of the same size", |folder| {
            let file = folder.join("skill-creator/SKILL.md");
            let mut bytes = fs::read(&file).unwrap();
            *bytes.last_mut().unwrap() = b'X';
            fs::write(file, bytes).unwrap();
        }),
        ("a skill was added", |folder| {
            fs::create_dir(folder.join("evil")).unwrap();
            fs::write(folder.join("evil/SKILL.md"), "---\nname: evil\n---\n").unwrap();
        }),
        ("a file was added to a skill", |folder| {
            fs::write(folder.join("skill-creator/skill.toml"), "").unwrap();
        }),
        ("a file became a link", |folder| {
            let file = folder.join("skill-creator/SKILL.md");
            let copy = folder.parent().unwrap().join("copy.md");
            fs::rename(&file, &copy).unwrap();
            std::os::unix::fs::symlink(copy, file).unwrap();
        }),
        ("the folder became a file", |folder| {
            fs::remove_dir_all(folder).unwrap();
            fs::write(folder, "x").unwrap();
        }),
        ("the folder became a link to nothing", |folder| {
            fs::remove_dir_all(folder).unwrap();
            std::os::unix::fs::symlink("nowhere", folder).unwrap();
        }),
    ];
    for (what, damage) in cases {
        let world = World::new();
        let data = world.path("data");
        let folder = system::install(&data).unwrap();
        let whole = files(&folder);
        damage(&folder);
        assert_eq!(system::install(&data).unwrap(), folder, "{what}");
        assert!(folder.symlink_metadata().unwrap().is_dir(), "{what}");
        assert_eq!(files(&folder), whole, "{what}");
        let left: Vec<String> = fs::read_dir(data.join("system"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with(".new-") || name.starts_with(".old-"))
            .collect();
        assert_eq!(left, Vec::<String>::new(), "{what}: nothing is left lying about");
    }
}

#[test]
fn eight_at_once_all_succeed_and_a_reader_never_finds_half_of_it() {
    let world = World::new();
    let data = world.path("data");
    for damaged in [false, true] {
        if damaged {
            fs::write(system::folder(&data).join("skill-creator/SKILL.md"), "cut").unwrap();
        }
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..8).map(|_| scope.spawn(|| system::install(&data))).collect();
            for worker in workers {
                let folder = worker.join().unwrap().unwrap();
                for name in system::names() {
                    assert!(folder.join(name).join("SKILL.md").is_file());
                }
            }
        });
        assert!(files(&system::folder(&data)).len() >= system::names().len());
    }
}

#[test]
fn a_data_folder_that_cannot_be_written_is_an_error_and_no_harm() {
    let world = World::new();
    world.file("data", "a file");
    assert!(system::install(&world.path("data")).is_err());
}

#[test]
fn an_operator_switches_them_off_and_the_files_stay_for_others() {
    let mut world = World::new();
    let folder = system::install(&world.path("data")).unwrap();
    world.settings.system_folder = Some(folder.clone());
    world.settings.system = false;
    assert_eq!(world.list(), Vec::<String>::new());
    assert!(folder.join("skill-creator/SKILL.md").is_file());
    world.settings.system = true;
    world.settings.system_folder = None;
    assert_eq!(world.list(), Vec::<String>::new());
}

#[test]
fn anything_of_the_user_beats_them() {
    let mut world = World::new();
    world.settings.system_folder = Some(system::install(&world.path("data")).unwrap());
    world.skill("home/.alpha/skills", "skill-creator");
    assert_eq!(world.winner("skill-creator"), "home/.alpha/skills/skill-creator/SKILL.md");
}
