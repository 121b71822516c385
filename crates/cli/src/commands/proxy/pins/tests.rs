use super::*;
use skillful_testkit::TestContext;

/// A project with a skill.
fn machine() -> TestContext {
    let machine = TestContext::new("/bin/true");
    machine.skill("work/.agents/skills/mail", "Mail.");
    machine
}

fn hold(machine: &TestContext, path: &str) -> Result<(Vec<String>, Vec<String>), Loose> {
    let mut pins = Pins::default();
    pins.hold(&machine.work(), &machine.path(path))?;
    let told =
        |paths: Vec<PathBuf>| paths.iter().map(|path| machine.filter(path.to_str().unwrap())).collect();
    Ok((told(pins.writable), told(pins.read_only)))
}

#[test]
fn every_folder_on_the_way_is_kept_from_being_moved() {
    let (writable, read_only) = hold(&machine(), "work/.agents/skills/mail").unwrap();
    assert_eq!(writable, ["[TEMP]/work/.agents", "[TEMP]/work/.agents/skills"]);
    assert_eq!(read_only, ["[TEMP]/work/.agents/skills/mail"]);
}

#[test]
fn what_lies_elsewhere_or_nowhere_needs_no_pin() {
    let machine = machine();
    machine.skill("home/.agents/skills/mail", "Mail.");
    assert_eq!(hold(&machine, "home/.agents/skills/mail").unwrap(), (vec![], vec![]));
    assert_eq!(hold(&machine, "work/nothing").unwrap(), (vec![], vec![]));
}

#[test]
fn a_folder_with_a_link_on_the_way_cannot_be_written() {
    let machine = machine();
    machine.link("work/.claude/skills", "../.agents/skills");
    let (writable, read_only) = hold(&machine, "work/.claude/skills/mail").unwrap();
    assert_eq!(writable, ["[TEMP]/work/.claude", "[TEMP]/work/.agents", "[TEMP]/work/.agents/skills"]);
    assert_eq!(read_only, ["[TEMP]/work/.claude", "[TEMP]/work/.agents/skills/mail"]);
}

#[test]
fn what_no_mount_can_keep_is_told() {
    let machine = machine();
    machine.link("work/skills", ".agents/skills");
    machine.link("work/.agents/round", "round");
    assert_eq!(hold(&machine, "work/skills/mail"), Err(Loose::Link(machine.path("work/skills"))));
    assert_eq!(hold(&machine, "work/.agents/round"), Err(Loose::Winding));
    assert_eq!(hold(&machine, "work"), Err(Loose::Around));
    assert_eq!(hold(&machine, "work/.."), Err(Loose::Around));
}
