//! Settings of other agents: our MCP server in them, and their own switches for skills.

use crate::bare;
use insta::assert_snapshot;

const AGENTS: [(&str, &str, &str); 5] = [
    ("claude-code", "home/.claude.json", "{\"numStartups\": 3}\n"),
    ("codex", "home/.codex/config.toml", "# mine\nmodel = \"o\"   # fast\n\n[tui]\ntheme = 'dark'\n"),
    ("opencode", "home/.config/opencode/opencode.json", "{\n  // mine\n  \"theme\": \"dark\",\n}\n"),
    ("gemini-cli", "home/.gemini/settings.json", "{\n  \"ui\": { \"theme\": \"x\" } // look\n}\n"),
    (
        "cursor",
        "home/.cursor/mcp.json",
        "{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"o\"}\n\t}\n}",
    ),
];

#[test]
fn the_server_is_added_to_each_agent_and_taken_out_byte_for_byte() {
    let machine = bare();
    for (agent, file, before) in AGENTS {
        machine.file(file, before);
        let asked = machine.see(&format!("mcp install --agent {agent}"));
        assert!(asked.starts_with("exit: 1") && asked.contains("confirmation required"), "{asked}");
        assert_eq!(machine.text(file), before, "nothing is written without an answer");
        let change = machine.json(&format!("mcp install --agent {agent} --yes --json"));
        assert_eq!(change["applied"], true, "{change}");
        let after = machine.text(file);
        assert!(after.contains("\"mcp\"") && after.contains("skillful"), "{agent}: {after}");
        let parts = before.lines().filter(|line| line.contains("mine") || line.contains("theme"));
        for part in parts.flat_map(|line| line.split(" // ")) {
            let part = part.trim().trim_end_matches(',');
            assert!(after.contains(part), "{agent} lost {part}: {after}");
        }
        let again = machine.see(&format!("mcp install --agent {agent} --yes"));
        assert!(again.contains("already has the server skillful; nothing to do"), "{again}");
        machine.run(&format!("mcp uninstall --agent {agent} --yes"));
        assert_eq!(machine.text(file), before, "{agent}");
        let again = machine.see(&format!("mcp uninstall --agent {agent} --yes"));
        assert!(again.contains("does not have the server skillful; nothing to do"), "{again}");
    }
}

#[test]
fn a_file_that_was_not_there_is_made_and_removed() {
    let machine = bare();
    for (agent, file, _) in AGENTS {
        machine.run(&format!("mcp install --agent {agent} --yes"));
        assert!(machine.exists(file), "{agent}");
        machine.run(&format!("mcp uninstall --agent {agent} --yes"));
        assert!(!machine.exists(file), "{agent}");
    }
}

#[test]
fn a_file_that_the_user_changed_since_keeps_the_change() {
    let machine = bare();
    machine.file("home/.codex/config.toml", "model = \"o\"\n");
    machine.run("mcp install --agent codex --yes");
    let text = machine.text("home/.codex/config.toml");
    machine.file("home/.codex/config.toml", format!("# later\n{text}"));
    machine.run("mcp uninstall --agent codex --yes");
    assert_eq!(machine.text("home/.codex/config.toml"), "# later\nmodel = \"o\"\n");
}

#[test]
fn broken_settings_and_unknown_agents_are_refused() {
    let machine = bare();
    machine.file("home/.gemini/settings.json", "{ nonsense");
    let text = machine.see("mcp install --agent gemini-cli --yes");
    assert!(text.starts_with("exit: 1") && text.contains("was not changed: it cannot be read"), "{text}");
    assert_eq!(machine.text("home/.gemini/settings.json"), "{ nonsense");
    machine.file("home/.gemini/settings.json", "{\"mcpServers\": []}");
    let text = machine.see("mcp install --agent gemini-cli --yes");
    assert!(text.contains("`mcpServers` is not what this program expects there"), "{text}");
    let text = machine.see("mcp install --agent amp --yes");
    assert!(text.contains("Skillful does not know where Amp lists its MCP servers"), "{text}");
    assert_eq!(machine.run("mcp install --agent nope").status.code(), Some(2));
}

#[test]
fn the_switch_of_each_agent_turns_a_skill_off_and_on() {
    let machine = bare();
    for (agent, folder) in [
        ("claude-code", ".claude"),
        ("codex", ".codex"),
        ("opencode", ".config/opencode"),
        ("gemini-cli", ".gemini"),
    ] {
        machine.skill(&format!("home/{folder}/skills/notes"), "Take notes.");
        machine.skill(&format!("home/{folder}/skills/other"), "Other.");
        let loads = |line: &str| {
            let view = machine.json(&format!("view --agent {line} --json"));
            let seen = view["seen"].as_array().unwrap().clone();
            seen.iter().any(|seen| seen["name"] == "notes" && seen["hidden"].is_null())
        };
        assert!(loads(agent), "{agent}");
        let text = machine.see(&format!("disable notes --agent {agent}"));
        assert!(
            text.contains("Disabled notes in ")
                && text.contains(&format!("Undo: skillful enable notes --agent {agent}")),
            "{text}"
        );
        assert!(!loads(agent), "{agent} still offers it: {text}");
        assert!(machine.see(&format!("disable notes --agent {agent}")).contains("already; nothing to do"));
        machine.run(&format!("enable notes --agent {agent}"));
        assert!(loads(agent), "{agent}");
    }
    let text = machine.see("disable nots --agent codex");
    assert!(text.contains("fix:   skillful disable notes --agent codex"), "{text}");
    let text = machine.see("disable notes --agent cursor");
    assert!(text.starts_with("exit: 1"), "{text}");
}

#[test]
fn disable_says_whom_it_does_not_affect() {
    let machine = bare();
    machine.skill("home/.claude/skills/notes", "Take notes.");
    machine.skill("home/.codex/skills/release", "Release.");
    assert_snapshot!(machine.see("disable notes"), @"
    exit: 0
    ----- stdout -----
    disabled notes in ~/.config/skillful/config.toml
    Claude Code still loads notes; this setting is Skillful's own
      fix: skillful disable notes --agent claude-code
    ");
    let json = machine.json("disable release --json");
    assert_eq!(json["skills"][0]["still_loaded_by"], serde_json::json!(["codex"]));
}

#[test]
fn settings_below_a_relative_home_are_not_written() {
    let machine = bare().variable("CODEX_HOME", "here");
    machine.file("work/here/config.toml", "model = \"o\"\n");
    assert_snapshot!(machine.see("mcp install --agent codex --yes"), @"
    exit: 1
    ----- stderr -----
    error: the settings of Codex are in no folder that is known here
      cause: `${CODEX_HOME:-~/.codex}/config.toml` depends on the working folder
      fix:   set the variable to an absolute path, or unset it
    ");
    assert_eq!(machine.text("work/here/config.toml"), "model = \"o\"\n");
    assert!(!machine.exists("home/.codex/config.toml"));
}
