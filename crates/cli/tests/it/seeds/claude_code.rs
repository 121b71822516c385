//! Claude Code: who may call a skill, arguments, commands of a body, forks, hooks, model and effort, calling again.

use super::last;
use crate::{agents_rules::results, assistant::connected, has_sandbox};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, write_program};

fn skill(machine: &TestContext, name: &str, header: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}---\n\n{body}\n");
    machine.file(&format!("home/.claude/skills/{name}/SKILL.md"), text);
}

#[test]
fn the_invocation_matrix_arguments_commands_and_calling_again() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    machine.file("work/VERSION", "1.4\n");
    machine.file(
        "home/.config/skillful/config.toml",
        "system = false\n[models]\nhaiku = { model = \"claude-small\" }\n",
    );
    skill(&machine, "user-only", "disable-model-invocation: true\n", "Only the user calls this.");
    skill(&machine, "model-only", "user-invocable: false\n", "Only the model calls this.");
    skill(
        &machine,
        "deploy",
        "arguments: [where, when]\nallowed-tools: Bash(cat *)\nmodel: haiku\neffort: high\n",
        "Deploy to $where at $when, all: $ARGUMENTS, first: $0.\nVersion: !`cat VERSION`",
    );
    let ask = |message: &str| {
        let line = ["ask", "--agent", "claude-code", "--session", "s", message];
        let output = machine.command(line).output().unwrap();
        machine.tell(&output)
    };
    let seen = ask("/user-only");
    assert!(seen.contains("› user-only (mention)"), "{seen}");
    let menu = server.asked()[0].body["system"].to_string();
    assert!(menu.contains("model-only") && !menu.contains("About user-only"), "{menu}");
    let seen = ask("/model-only");
    assert!(seen.contains("model-only was not loaded: only models can call it"), "{seen}");
    ask("/deploy staging \"at noon\"");
    // The skill names its model and its effort.
    let body = server.asked().last().unwrap().body.clone();
    assert!(body.to_string().contains("\"effort\":\"high\""), "{body}");
    assert_eq!(body["model"], "claude-small", "{body}");
    assert!(
        last(&server)
            .contains("Deploy to staging at at noon, all: staging \\\\\\\"at noon\\\\\\\", first: staging.")
            || last(&server).contains("Deploy to staging at at noon"),
        "{}",
        last(&server)
    );
    assert!(last(&server).contains("Version: 1.4"), "{}", last(&server));
    // Called again: new arguments, and the commands run again.
    machine.file("work/VERSION", "1.5\n");
    ask("/deploy production now");
    let text = last(&server);
    assert!(text.contains("Deploy to production at now") && text.contains("Version: 1.5"), "{text}");
}

/// A list of a skill approves what it names, a fork works in a session of its own under an agent definition, and a
/// skill with `paths` comes with the file.
#[test]
fn approval_by_list_a_fork_with_its_agent_and_skills_of_paths() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::with(|asked| {
        let text = asked.body["messages"].to_string();
        let results = text.matches("\"tool_result\"").count();
        if asked.body["system"].to_string().contains("You only explore.") {
            return ModelAnswer::says("Three modules.");
        }
        match results {
            0 => ModelAnswer::calls([("use_skill", json!({ "name": "release" }))]),
            1 => ModelAnswer::calls([
                ("run_command", json!({ "command": "echo tagged" })),
                ("run_command", json!({ "command": "touch made" })),
            ]),
            3 => ModelAnswer::calls([("use_skill", json!({ "name": "survey" }))]),
            4 => ModelAnswer::calls([("read_file", json!({ "path": "src/main.rs" }))]),
            _ => ModelAnswer::says("Done."),
        }
    });
    let machine = connected(&server);
    machine.file("work/src/main.rs", "fn main() {}\n");
    machine.file(
        "home/.claude/agents/scout.md",
        "---\nname: scout\ndescription: Explores.\ntools: Read\n---\nYou only explore.\n",
    );
    skill(&machine, "release", "allowed-tools: Bash(echo *)\n", "Tag it.");
    skill(&machine, "survey", "context: fork\nagent: scout\n", "Count the modules.");
    skill(&machine, "rust-rules", "paths: [\"**/*.rs\"]\n", "No unwrap.");
    machine.run("ask --agent claude-code --mode ask release it");
    let all = results(&server);
    assert!(all[1].contains("tagged") && all[2].starts_with("Not run: approval is required"), "{all:?}");
    assert!(all[3].contains("Three modules.") && !all[3].contains("Count the modules."), "{all:?}");
    assert!(all[4].contains("fn main"), "{all:?}");
    assert!(last(&server).contains("No unwrap."), "{}", last(&server));
    let asked = server.asked();
    let child =
        asked.iter().find(|one| one.body["system"].to_string().contains("You only explore.")).unwrap();
    assert!(child.body["messages"].to_string().contains("Count the modules."), "{}", child.body);
    assert!(!child.body["tools"].to_string().contains("write_file"), "{}", child.body["tools"]);
}

#[test]
fn a_guard_of_the_skill_blocks_and_one_that_cannot_run_blocks_too() {
    if !has_sandbox() {
        return;
    }
    for (program, reason) in
        [(Some("#!/bin/sh\necho 'not this file' >&2\nexit 2\n"), "not this file"), (None, "hook")]
    {
        let server = ModelServer::new([
            ModelAnswer::calls([("use_skill", json!({ "name": "careful" }))]),
            ModelAnswer::calls([("write_file", json!({ "path": "a.txt", "content": "a" }))]),
            ModelAnswer::says("Done."),
        ]);
        let machine = connected(&server);
        let hooks = "hooks:\n  PreToolUse:\n    - matcher: \"Write\"\n      hooks:\n        - {type: command, command: scripts/guard.sh}\n";
        skill(&machine, "careful", hooks, "Be careful.");
        if let Some(program) = program {
            write_program(&machine.path("home/.claude/skills/careful/scripts/guard.sh"), program);
        }
        machine.run("ask --agent claude-code --mode autonomous write it");
        let all = results(&server);
        assert!(all[1].starts_with("Not run: a hook refused it") && all[1].contains(reason), "{all:?}");
        assert!(!machine.exists("work/a.txt"));
    }
}

/// Nested folders of a repository join with the file that is read there, a hook with `once` runs once in a session, and
/// the skills of an agent definition are loaded when its sub-agent begins.
#[test]
fn nested_folders_join_hooks_run_once_and_an_agent_begins_with_its_skills() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::with(|asked| {
        let text = asked.body["messages"].to_string();
        if asked.body["system"].to_string().contains("You only explore.") {
            return ModelAnswer::says("Three modules.");
        }
        match text.matches("\"tool_result\"").count() {
            0 => ModelAnswer::calls([("read_file", json!({ "path": "packages/web/main.ts" }))]),
            1 => ModelAnswer::calls([("use_skill", json!({ "name": "survey" }))]),
            2 => ModelAnswer::calls([("list_dir", json!({}))]),
            _ => ModelAnswer::says("Done."),
        }
    });
    let machine = connected(&server);
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    machine.file("work/packages/web/main.ts", "main();\n");
    machine.skill("work/packages/web/.claude/skills/components", "Components of the site.");
    // A switch of the user names a skill without its folder, and counts for it there too.
    machine.skill("work/packages/web/.claude/skills/internal", "Internals of the site.");
    machine.file("home/.claude/settings.json", r#"{"skillOverrides": {"internal": "off"}}"#);
    let hooks = "hooks:\n  PreToolUse:\n    - matcher: \"*\"\n      hooks:\n        - {type: command, once: true, \
                 command: 'echo \"{\\\"hookSpecificOutput\\\":{\\\"additionalContext\\\":\\\"heard once\\\"}}\"'}\n";
    skill(&machine, "guard", hooks, "Be careful.");
    skill(&machine, "survey", "context: fork\nagent: scout\n", "Count the modules.");
    skill(&machine, "conventions", "", "Write short names.");
    machine.file(
        "home/.claude/agents/scout.md",
        "---\nname: scout\ndescription: Explores.\ntools: Read, Skill\nskills: [conventions]\n---\nYou only explore.\n",
    );
    let line = ["--trust-project", "ask", "--agent", "claude-code", "--session", "s", "/guard look"];
    let output = machine.command(line).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    let text = last(&server);
    assert!(text.contains("packages/web:components: Components of the site."), "{text}");
    assert!(!text.contains("Internals of the site."), "{text}");
    assert_eq!(text.matches("heard once").count(), 1, "{text}");
    let asked = server.asked();
    let child =
        asked.iter().find(|one| one.body["system"].to_string().contains("You only explore.")).unwrap();
    let child = child.body["messages"].to_string();
    assert!(child.contains("Write short names.") && child.contains("Count the modules."), "{child}");
    machine.command(line).output().unwrap();
    assert_eq!(last(&server).matches("heard once").count(), 1, "{}", last(&server));
}
