use super::*;

struct Fixture {
    _folder: tempfile::TempDir,
    skills: AuthoredSkills,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let skills = AuthoredSkills { proposed: place("proposed"), own: place("own"), archive: place("archive") };
    Fixture { skills, _folder: folder }
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
fn what_the_user_saw_is_what_is_approved() {
    let Fixture { skills, _folder } = fixture();
    put(&skills.proposed, "made", "seen");
    let seen = skills.read("made").unwrap();
    put(&skills.proposed, "made", "changed meanwhile");
    assert!(matches!(skills.approve("made", &seen), Err(AuthoredSkillError::Changed(_))));
    assert_eq!((names(&skills.proposed), names(&skills.own)), (vec!["made".to_owned()], vec![]));
    let seen = skills.read("made").unwrap();
    let folder = skills.approve("made", &seen).unwrap();
    assert_eq!(text(&folder), "changed meanwhile");
    assert_eq!((names(&skills.proposed), names(&skills.own)), (vec![], vec!["made".to_owned()]));
}

#[test]
fn a_name_that_is_taken_is_refused_and_nothing_moves() {
    let Fixture { skills, _folder } = fixture();
    put(&skills.proposed, "made", "new");
    put(&skills.own, "made", "old");
    put(&skills.archive, "made", "older");
    let seen = skills.read("made").unwrap();
    assert!(matches!(skills.approve("made", &seen), Err(AuthoredSkillError::Taken(_))));
    assert!(matches!(skills.restore("made"), Err(AuthoredSkillError::Taken(_))));
    assert_eq!(text(&skills.proposed.join("made")), "new");
    assert_eq!(text(&skills.own.join("made")), "old");
    assert_eq!(text(&skills.archive.join("made")), "older");
}

#[test]
fn nothing_that_is_put_away_is_destroyed() {
    let Fixture { skills, _folder } = fixture();
    for version in ["one", "two"] {
        put(&skills.proposed, "made", version);
        skills.reject("made").unwrap();
        put(&skills.own, "mine", version);
        skills.archive("mine").unwrap();
    }
    let rejected = skills.archive.join(REJECTED);
    assert_eq!((text(&rejected.join("made")), text(&rejected.join("made.2"))), ("one".into(), "two".into()));
    assert_eq!(text(&skills.archive.join("mine.2")), "one");
    assert_eq!(text(&skills.restore("mine").unwrap()), "two", "the newest comes back");
    assert!(skills.is_own("mine") && !skills.is_archived("mine"));
}

#[test]
fn a_name_from_outside_leads_nowhere_else() {
    let Fixture { skills, _folder } = fixture();
    put(&skills.own, "mine", "mine");
    std::os::unix::fs::symlink(skills.own.join("mine"), skills.own.join("linked")).unwrap();
    for name in ["../own/mine", "", "/etc", ".."] {
        assert!(matches!(skills.archive(name), Err(AuthoredSkillError::Name { .. })), "{name}");
    }
    assert!(matches!(skills.archive("none"), Err(AuthoredSkillError::Missing { .. })));
    assert!(
        matches!(skills.archive("linked"), Err(AuthoredSkillError::Missing { .. })),
        "a link is no skill here"
    );
    put(&skills.proposed, "made", "x");
    std::os::unix::fs::symlink("/etc/passwd", skills.proposed.join("made/link")).unwrap();
    assert!(matches!(skills.read("made"), Err(AuthoredSkillError::Lossy { .. })));
}
