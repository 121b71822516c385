//! One state per skill: every face that shows a user a skill gives the same word for it, and a model learns of no skill
//! that it may not use.

use crate::{bare, mcp::Piped};
use serde_json::Value;
use skillful_testkit::{Terminal, TestContext};
use std::collections::BTreeMap;

/// A machine with a skill of each state. Their descriptions have one word in common.
fn of_every_state() -> TestContext {
    let machine = bare();
    machine.skill("home/.agents/skills/open", "Opens doors. Use for doors.");
    machine.skill("home/.agents/skills/closed", "Closes doors. Use for doors.");
    machine.file(
        "home/.agents/skills/needs/SKILL.md",
        "---\nname: needs\ndescription: Needs doors. Use for doors.\nrequires:\n  env: [NOT_THERE]\n---\nText.\n",
    );
    machine.file("home/.agents/skills/broken/SKILL.md", "---\nname: broken\ndescription: \"doors\n---\n");
    machine.skill("home/.agents/skills/twice", "Turns doors twice.");
    machine.skill("home/.claude/skills/twice", "Turns doors twice, too.");
    machine.skill("work/.claude/skills/foreign", "Paints doors of a repository.");
    machine.skill("home/source/waiting", "Waits behind doors.");
    let source = machine.path("home/source/waiting").display().to_string();
    assert!(machine.command(["add", &source, "--global", "--yes"]).output().unwrap().status.success());
    machine.skill("home/.agents/skills/waiting", "Waits behind doors, and was changed.");
    machine.run("disable closed");
    machine
}

/// State by file, from objects with both; an object without a state is of an available skill.
fn states(objects: &Value) -> BTreeMap<String, String> {
    let objects = objects.as_array().unwrap().iter();
    objects
        .map(|one| {
            let state = one["state"].as_str().unwrap_or("available");
            (one["path"].as_str().unwrap().to_owned(), state.to_owned())
        })
        .collect()
}

#[test]
fn every_face_gives_the_same_state() {
    let machine = of_every_state();
    let list = machine.json("list --json");
    let expected = states(&list["skills"]);
    let mut words: Vec<&str> = expected.values().map(String::as_str).collect();
    words.sort_unstable();
    let all =
        ["available", "available", "disabled", "invalid", "pending", "shadowed", "unavailable", "untrusted"];
    assert_eq!(words, all, "{expected:?}");
    // What a search shows, with the state of each; it leaves out what is invalid, shadowed or disabled.
    let found = states(&machine.json("search doors --json")["skills"]);
    assert_eq!(found.len(), expected.len() - 3, "{found:?}");
    let asked = states(&machine.json("ask doors --json")["nearest"]);
    assert!(!asked.is_empty());
    for (face, shown) in [("search", found), ("ask", asked)] {
        for (path, state) in shown {
            assert_eq!(Some(&state), expected.get(&path), "{face}: {path}");
        }
    }
    let not_offered = states(&machine.json("explain doors --json")["not_offered"]);
    let mut closed = expected.clone();
    closed.retain(|_, state| state != "available");
    assert_eq!(not_offered, closed, "explain");
    let doctor = machine.see("doctor");
    let text = machine.see("list");
    for (path, state) in &expected {
        let name = path.rsplit('/').nth(1).unwrap();
        assert_eq!(machine.json(&format!("show {path} --json"))["state"], state.as_str(), "show {path}");
        let is_listed = |line: &str| line.split_whitespace().take(2).eq([name, state.as_str()]);
        assert!(text.lines().any(is_listed), "list: {name}: {text}");
        let used = machine.see(&format!("use {path}"));
        match state.as_str() {
            "available" | "shadowed" => assert!(used.starts_with("exit: 0"), "a path reaches it: {used}"),
            _ => assert!(used.contains(&format!("is {state} and was not used")), "use {path}: {used}"),
        }
        match state.as_str() {
            "available" => {}
            "disabled" => {
                assert!(doctor.contains(&format!("ok  disabled        1 skill: {name}")), "{doctor}");
            }
            _ => assert!(doctor.contains(&format!("1 skill is {state}: {name}")), "{name}: {doctor}"),
        }
    }
    for count in machine.json("--json")["states"].as_array().unwrap() {
        let same = expected.values().filter(|state| **state == count["state"].as_str().unwrap()).count();
        assert_eq!(count["count"].as_u64(), Some(same as u64), "overview: {count}");
    }
    // A model reads of the available ones alone, and cannot tell closed ones from what does not exist.
    let menu = machine.see("menu");
    let mut server = Piped::start(&machine, &[]);
    let listed =
        server.call("list_skills", &serde_json::json!({}))["content"][0]["text"].as_str().unwrap().to_owned();
    let unknown = server.call("use_skill", &serde_json::json!({ "name": "nowhere" })).to_string();
    for name in ["open", "closed", "needs", "broken", "foreign", "waiting"] {
        let is_open = name == "open";
        assert_eq!(menu.contains(name), is_open, "{name}: {menu}");
        assert_eq!(listed.contains(&format!("- {name}:")), is_open, "{name}: {listed}");
        // Of a skill that lacks something, a model that names it learns what.
        if !is_open && name != "needs" {
            let refused = server.call("use_skill", &serde_json::json!({ "name": name })).to_string();
            assert_eq!(refused, unknown.replace("nowhere", name), "{name}");
        }
    }
}

#[test]
fn the_full_screen_list_gives_the_states_of_the_list() {
    let machine = of_every_state();
    let mut command = machine.command(["ui"]);
    command.env_remove("COLUMNS").env("TERM", "xterm-256color");
    let mut terminal = Terminal::start_sized(command, 120, 40);
    let list = machine.json("list --json");
    let shown = terminal.wait_for_screen("all skills", |screen| screen.contains("waiting"));
    for skill in list["skills"].as_array().unwrap() {
        let (name, state) = (skill["name"].as_str().unwrap(), skill["state"].as_str().unwrap());
        let is_shown = shown.lines().any(|line| {
            let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
            words.iter().any(|word| word.ends_with(name)) && words.iter().any(|word| word == state)
        });
        assert!(is_shown, "{name} is {state}: {shown}");
    }
    terminal.press("q");
    assert_eq!(terminal.end().0, Some(0));
}
