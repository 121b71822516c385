//! Skill folders between disk and memory.

use crate::{fixture::World, links::pipe};
use skillful_catalog::disk::{read_folder, write_folder};
use skillful_format::{Code, Limits, Tree, TreeFile, TreePath};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

fn tree(files: &[(&str, &str, bool)]) -> Tree {
    let limits = Limits::default();
    let mut tree = Tree::default();
    for (path, content, executable) in files {
        let file = TreeFile { bytes: content.as_bytes().to_vec(), executable: *executable };
        tree.insert(TreePath::new(path, &limits).unwrap(), file, &limits).unwrap();
    }
    tree
}

fn paths(tree: &Tree) -> Vec<&str> {
    tree.iter().map(|(path, _)| path.as_str()).collect()
}

fn codes(found: &[skillful_format::Diagnostic]) -> Vec<Code> {
    found.iter().map(|diagnostic| diagnostic.code).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn a_folder_is_read_with_its_files_and_executable_bits() {
    let world = World::with(&[
        ("s/SKILL.md", "x"),
        ("s/scripts/run.sh", "y"),
        ("s/.git/config", "z"),
        ("s/a/.hidden", "h"),
    ]);
    fs::set_permissions(world.path("s/scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let (tree, told) = read_folder(&world.path("s"), &Limits::default()).unwrap();
    assert_eq!(paths(&tree), ["SKILL.md", "a/.hidden", "scripts/run.sh"]);
    let executable: Vec<bool> = tree.iter().map(|(_, file)| file.executable).collect();
    assert_eq!(executable, [false, false, true]);
    assert_eq!(told, []);
}

#[test]
fn links_pipes_and_strange_names_are_not_part_of_a_skill_and_are_reported() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::with(&[("s/SKILL.md", "x"), ("secret/key", "k")]);
    world.link("s/to-file", "secret/key");
    world.link("s/to-folder", "secret");
    world.link("s/broken", "nowhere");
    pipe(&world.path("s/pipe"));
    fs::write(world.path("s").join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
    fs::write(world.path("s/con"), "x").unwrap();
    let (tree, told) = read_folder(&world.path("s"), &Limits::default()).unwrap();
    assert_eq!(paths(&tree), ["SKILL.md"]);
    let mut codes = codes(&told);
    codes.sort();
    assert_eq!(
        codes,
        [
            Code::EntryPath,
            Code::EntryPath,
            Code::EntryKind,
            Code::LinkSkipped,
            Code::LinkSkipped,
            Code::LinkSkipped
        ]
    );
    assert!(told.iter().all(|diagnostic| diagnostic.path.is_some()));
}

#[test]
fn every_limit_is_reported_and_a_flood_is_reported_once() {
    let limits = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        limits
    };
    let world = World::with(&[("s/SKILL.md", "12345"), ("s/a/b/deep", "x")]);
    for number in 0..50 {
        world.file(&format!("s/f{number:02}"), "12345");
    }
    let cases = [
        ("files", limits(|limits| limits.files = 3), vec![Code::ArchiveTooMany], 3),
        ("bytes in all", limits(|limits| limits.total_bytes = 12), vec![Code::ArchiveTooLarge], 3),
        ("depth", limits(|limits| limits.depth = 1), vec![Code::DepthLimit], 51),
    ];
    for (what, limits, expected, kept) in cases {
        let (tree, told) = read_folder(&world.path("s"), &limits).unwrap();
        assert_eq!(codes(&told), expected, "{what}");
        assert_eq!(tree.iter().count(), kept, "{what}");
    }
    let (tree, told) = read_folder(&world.path("s"), &limits(|limits| limits.file_bytes = 4)).unwrap();
    assert_eq!(told.len(), 51);
    assert_eq!(paths(&tree), ["a/b/deep"]);
}

#[test]
fn a_tree_is_written_as_it_was_read() {
    let world = World::new();
    let target = world.path("made/here/skill");
    let tree = tree(&[("SKILL.md", "x", false), ("scripts/run.sh", "y", true)]);
    assert_eq!(write_folder(&tree, &target).unwrap(), None);
    assert_eq!(read_folder(&target, &Limits::default()).unwrap().0, tree);
    assert_eq!(names(&world.path("made/here")), ["skill"], "nothing is left lying about");
    assert_eq!((mode(&target), mode(&target.join("scripts/run.sh"))), (0o755, 0o755));
    assert_eq!(mode(&target.join("SKILL.md")) & 0o111, 0);
}

#[test]
fn what_was_there_is_kept_under_a_name_that_no_agent_reads() {
    let world = World::with(&[("skills/s/SKILL.md", "first"), ("skills/s/extra", "kept")]);
    let target = world.path("skills/s");
    let backup = write_folder(&tree(&[("SKILL.md", "second", false)]), &target).unwrap().unwrap();
    assert_eq!(backup, world.path("skills/.s.backup-1"));
    assert_eq!(fs::read_to_string(backup.join("extra")).unwrap(), "kept");
    assert_eq!(names(&target), ["SKILL.md"], "files of the old one are gone");
    let backup = write_folder(&tree(&[("SKILL.md", "third", false)]), &target).unwrap().unwrap();
    assert_eq!(fs::read_to_string(backup.join("SKILL.md")).unwrap(), "second");
    assert_eq!(names(&world.path("skills")), [".s.backup-1", ".s.backup-2", "s"]);
}

#[test]
fn a_link_or_a_file_in_its_place_is_moved_and_never_followed() {
    let world = World::with(&[("victim/SKILL.md", "untouched"), ("skills/file", "x")]);
    world.link("skills/linked", "victim");
    world.link("skills/broken", "nowhere");
    for name in ["linked", "broken", "file"] {
        let target = world.path(&format!("skills/{name}"));
        let backup = write_folder(&tree(&[("SKILL.md", "new", false)]), &target).unwrap().unwrap();
        assert!(target.symlink_metadata().unwrap().is_dir(), "{name}");
        assert!(!backup.symlink_metadata().unwrap().is_dir(), "{name}: the link itself was kept");
    }
    assert_eq!(fs::read_to_string(world.path("victim/SKILL.md")).unwrap(), "untouched");
    assert!(!world.path("nowhere").exists());
}

#[test]
fn a_write_that_fails_leaves_the_old_one_and_no_rubbish() {
    let world = World::with(&[("skills/s/SKILL.md", "old"), ("file", "x")]);
    let tree = tree(&[("SKILL.md", "new", false)]);
    assert!(write_folder(&tree, &world.path("file/below/s")).is_err());
    assert!(write_folder(&tree, Path::new("/")).is_err());
    assert!(write_folder(&tree, &world.path("skills/..")).is_err());
    assert_eq!(names(&world.path("skills")), ["s"]);
    assert_eq!(fs::read_to_string(world.path("skills/s/SKILL.md")).unwrap(), "old");
}

#[test]
fn a_reader_sees_the_old_or_the_new_folder_at_every_moment() {
    let world = World::with(&[("skills/s/SKILL.md", "0000"), ("skills/s/other", "0000")]);
    let target = world.path("skills/s");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..30 {
                let text = format!("{round:04}");
                write_folder(&tree(&[("SKILL.md", &text, false), ("other", &text, false)]), &target).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            assert_eq!(fs::read(target.join("SKILL.md")).unwrap().len(), 4);
            let (whole, _) = read_folder(&target, &Limits::default()).unwrap();
            let texts: Vec<&[u8]> = whole.iter().map(|(_, file)| file.bytes.as_slice()).collect();
            assert!(texts.len() == 2 && texts[0] == texts[1], "{texts:?}");
        }
    });
}

#[test]
fn a_relative_target_means_the_working_folder() {
    // Nothing is written: the parent of a bare name is where the test runs.
    let name = format!("no-such-folder-{}/x/..", std::process::id());
    assert!(write_folder(&Tree::default(), Path::new(&name)).is_err());
}
