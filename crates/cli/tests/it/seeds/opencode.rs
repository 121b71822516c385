//! OpenCode: permissions over the tool and the menu, the dialect of its slash commands, its list as JSON.

use super::{last, names};
use crate::{
    agents_rules::results, assistant::connected, assistant_terminal::at_terminal, bare, has_sandbox,
};
use serde_json::json;
use skillful_testkit::{FileServer, ModelAnswer, ModelServer};

#[test]
fn permissions_hide_a_skill_from_the_model_and_not_from_the_user() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    let text = "---\nname: internal-release\ndescription: Releases.\n---\n\nRelease $1 to $2.\n";
    machine.file("home/.config/opencode/skills/internal-release/SKILL.md", text);
    machine.skill("home/.config/opencode/skills/notes", "Takes notes.");
    machine
        .file("home/.config/opencode/opencode.json", r#"{"permission": {"skill": {"internal-*": "deny"}}}"#);
    let line = ["ask", "--agent", "opencode", "/internal-release site to the world"];
    let output = machine.command(line).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    // The highest placeholder takes the rest of the arguments, and counting begins at 1.
    assert!(last(&server).contains("Release site to to the world."), "{}", last(&server));
    let menu = server.asked()[0].body["system"].to_string();
    assert!(menu.contains("notes") && !menu.contains("internal-release"), "{menu}");
    let list = machine.json("list --agent opencode --json");
    assert_eq!(names(&list["skills"]), ["internal-release", "notes"], "{list}");
}

#[test]
fn an_index_right_below_an_address_is_read_and_a_path_that_climbs_is_refused() {
    let machine = bare();
    machine.file("home/.config/skillful/sources.toml", "loopback = true\n");
    let text = "---\nname: git-release\ndescription: Releases.\n---\n\nRelease it.\n";
    machine.file("site/base/git-release/SKILL.md", text);
    machine.file("site/base/git-release/references/notes.md", "# Notes\n");
    machine.file("site/secret.txt", "do not read this");
    let index = r#"{"skills": [
        {"name": "git-release", "description": "Releases.", "files": ["SKILL.md", "references/notes.md"]},
        {"name": "climber", "description": "x", "files": ["SKILL.md", "../../secret.txt"]},
        {"name": "headless", "description": "x", "files": ["README.md"]}]}"#;
    machine.file("site/base/index.json", index);
    let server = FileServer::folder(machine.path("site"));
    let added = machine.run(&format!("add {}/base --agent opencode --yes", server.url()));
    let seen = machine.tell(&added);
    assert!(seen.contains("git-release") && seen.contains("climber") && seen.contains("headless"), "{seen}");
    assert!(!server.asked().iter().any(|path| path.contains("secret")), "{:?}", server.asked());
    // What comes from the network waits for the user.
    let approved = machine.run("review approve git-release");
    assert!(approved.status.success(), "{}", machine.tell(&approved));
    let list = machine.json("list --agent opencode --json");
    assert_eq!(names(&list["skills"]), ["git-release"], "{list}");
    let used = machine.see("use skill://git-release/references/notes.md");
    assert!(used.contains("# Notes"), "{used}");
}

/// `permission.skill`: patterns over the tool, the slash and the menu; the last one that fits counts.
#[test]
fn rules_allow_deny_and_ask_about_the_tool_the_slash_and_the_menu() {
    let names = ["internal-docs", "internal-release", "notes", "experimental-x"];
    let calls = names.map(|name| ModelAnswer::calls([("use_skill", json!({ "name": name }))]));
    let server = ModelServer::new(calls.into_iter().chain([ModelAnswer::says("Done.")]));
    let machine = connected(&server);
    for name in names {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n---\n\nBody of {name}.\n");
        machine.file(&format!("home/.config/opencode/skills/{name}/SKILL.md"), text);
    }
    let rules = r#"{"permission": {"skill": {"*": "allow", "internal-*": "deny", "internal-docs": "ask", "experimental-*": "ask"}}}"#;
    machine.file("home/.config/opencode/opencode.json", rules);
    machine.run("ask --agent opencode --mode autonomous do it");
    let all = results(&server);
    for asked in [&all[0], &all[3]] {
        assert!(asked.starts_with("Not run: approval is required"), "{all:?}");
    }
    assert!(all[1].contains("there is no skill `internal-release`"), "{all:?}");
    assert!(all[2].contains("Body of notes."), "{all:?}");
    let menu = server.asked()[0].body["system"].to_string();
    assert!(menu.contains("internal-docs") && menu.contains("experimental-x"), "{menu}");
    assert!(!menu.contains("internal-release"), "{menu}");
    // At a terminal the user decides.
    let ask = ModelServer::new([
        ModelAnswer::calls([("use_skill", json!({ "name": "internal-docs" }))]),
        ModelAnswer::says("Done."),
    ]);
    let machine = machine.variable("ANTHROPIC_BASE_URL", &ask.url());
    let mut terminal = at_terminal(&machine, &["ask", "--agent", "opencode", "write the docs"]);
    terminal.wait_for("[s] stop");
    terminal.press("y");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(results(&ask)[0].contains("Body of internal-docs."), "{shown}");
    // A skill that the user calls is the answer of the user.
    let seen = machine.see("ask --agent opencode --compose /internal-docs now");
    assert!(seen.contains("internal-docs"), "{seen}");
}
