use super::*;

struct Room {
    _folder: tempfile::TempDir,
    shelves: Shelves,
}

fn room() -> Room {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let shelves = Shelves { proposed: place("proposed"), own: place("own"), archive: place("archive") };
    Room { shelves, _folder: folder }
}

fn put(place: &Path, name: &str, text: &str) {
    fs::create_dir_all(place.join(name)).unwrap();
    fs::write(place.join(name).join("SKILL.md"), text).unwrap();
}

fn text(folder: &Path) -> String {
    fs::read_to_string(folder.join("SKILL.md")).unwrap()
}

fn names(place: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(place)
        .map(|all| all.map(|one| one.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn what_a_person_saw_is_what_is_accepted() {
    let Room { shelves, _folder } = room();
    put(&shelves.proposed, "made", "seen");
    let seen = shelves.read("made").unwrap();
    put(&shelves.proposed, "made", "changed meanwhile");
    assert!(matches!(shelves.accept("made", &seen), Err(ShelfError::Changed(_))));
    assert_eq!((names(&shelves.proposed), names(&shelves.own)), (vec!["made".to_owned()], vec![]));
    let seen = shelves.read("made").unwrap();
    let folder = shelves.accept("made", &seen).unwrap();
    assert_eq!(text(&folder), "changed meanwhile");
    assert_eq!((names(&shelves.proposed), names(&shelves.own)), (vec![], vec!["made".to_owned()]));
}

#[test]
fn a_name_that_is_taken_is_refused_and_nothing_moves() {
    let Room { shelves, _folder } = room();
    put(&shelves.proposed, "made", "new");
    put(&shelves.own, "made", "old");
    put(&shelves.archive, "made", "older");
    let seen = shelves.read("made").unwrap();
    assert!(matches!(shelves.accept("made", &seen), Err(ShelfError::Taken(_))));
    assert!(matches!(shelves.restore("made"), Err(ShelfError::Taken(_))));
    assert_eq!(text(&shelves.proposed.join("made")), "new");
    assert_eq!(text(&shelves.own.join("made")), "old");
    assert_eq!(text(&shelves.archive.join("made")), "older");
}

#[test]
fn nothing_that_is_put_away_is_destroyed() {
    let Room { shelves, _folder } = room();
    for version in ["one", "two"] {
        put(&shelves.proposed, "made", version);
        shelves.reject("made").unwrap();
        put(&shelves.own, "mine", version);
        shelves.archive("mine").unwrap();
    }
    let rejected = shelves.archive.join(REJECTED);
    assert_eq!((text(&rejected.join("made")), text(&rejected.join("made.2"))), ("one".into(), "two".into()));
    assert_eq!(text(&shelves.archive.join("mine.2")), "one");
    assert_eq!(text(&shelves.restore("mine").unwrap()), "two", "the newest comes back");
    assert!(shelves.is_own("mine") && !shelves.is_archived("mine"));
}

#[test]
fn a_name_from_outside_leads_nowhere_else() {
    let Room { shelves, _folder } = room();
    put(&shelves.own, "mine", "mine");
    std::os::unix::fs::symlink(shelves.own.join("mine"), shelves.own.join("linked")).unwrap();
    for name in ["../own/mine", "", "/etc", ".."] {
        assert!(matches!(shelves.archive(name), Err(ShelfError::Name { .. })), "{name}");
    }
    assert!(matches!(shelves.archive("none"), Err(ShelfError::Missing { .. })));
    assert!(matches!(shelves.archive("linked"), Err(ShelfError::Missing { .. })), "a link is no skill here");
    put(&shelves.proposed, "made", "x");
    std::os::unix::fs::symlink("/etc/passwd", shelves.proposed.join("made/link")).unwrap();
    assert!(matches!(shelves.read("made"), Err(ShelfError::Lossy { .. })));
}
