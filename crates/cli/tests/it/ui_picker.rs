//! The picker of `add`, `trust` and `review`, which is the list of the interface.

use crate::{bare, ui::at};
use skillful_testkit::wait_until;

#[test]
fn add_lets_the_user_choose_among_the_skills_of_a_source() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.skill("work/lib/slides", "Make slides.");
    let mut terminal = at(&machine, &["add", "./lib"], 80, 24);
    let screen = terminal.wait_for_screen("the picker", |screen| screen.contains("enter continue"));
    assert!(screen.contains("> [x] pdf") && screen.contains("  [x] slides"), "{screen}");
    terminal.press(" ");
    terminal.wait_for_screen("one is not chosen", |screen| screen.contains("> [ ] pdf"));
    terminal.press("\r");
    terminal.wait_for("Apply?");
    terminal.press("y\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        machine.exists("work/.agents/skills/slides/SKILL.md") && !machine.exists("work/.agents/skills/pdf")
    );
    let mut terminal = at(&machine, &["add", "./lib"], 80, 24);
    terminal.wait_for_screen("the picker", |screen| screen.contains("enter continue"));
    terminal.press("\u{1b}");
    let (code, shown) = terminal.end();
    assert!(code == Some(1) && shown.contains("nothing was changed"), "{shown}");
}

#[test]
fn trust_and_review_let_the_user_choose_in_the_same_list() {
    let machine = bare();
    machine.skill("work/.agents/skills/one", "The first.");
    machine.skill("work/.agents/skills/two", "The second.");
    let mut terminal = at(&machine, &["trust"], 80, 24);
    terminal.wait_for("[c]hoose");
    terminal.press("c\n");
    terminal.wait_for_screen("the picker", |screen| screen.contains("> [x] one"));
    terminal.press(" \r");
    let (_, shown) = terminal.end();
    assert!(shown.contains("Trusted 1 skill"), "{shown}");
    assert_eq!(machine.json("show one --json")["state"], "untrusted");
    assert_eq!(machine.json("show two --json")["state"], "available");
    let machine = bare();
    for name in ["pdf", "slides"] {
        machine.skill(&format!("work/lib/{name}"), "Make it.");
    }
    machine.run("add ./lib --yes");
    for name in ["pdf", "slides"] {
        let file = format!("work/.agents/skills/{name}/SKILL.md");
        machine.file(&file, machine.text(&file) + "More.\n");
    }
    let mut terminal = at(&machine, &["review"], 80, 24);
    terminal.wait_for_screen("the picker", |screen| screen.contains("Review which of 2 skills?"));
    terminal.press(" \r");
    terminal.wait_for("[a]pprove");
    terminal.press("a\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    wait_until("the answer counts", || machine.json("show slides --json")["state"] == "available");
    assert_ne!(machine.json("show pdf --json")["state"], "available");
}
