//! What each of the systems that Skillful unites is known for, as a transcript: what a person sees, and what the
//! model reads and says, over real HTTP, with the program as it is shipped.

use crate::{
    assistant::{connected, skill},
    has_sandbox,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use skillful_testkit::{ModelAnswer, ModelServer, Terminal, TestContext, require_tool};
use std::fmt::Write as _;

/// Characters of a line that a transcript shows.
const SHOWN: usize = 160;

/// What the model was asked and what it had said, each thing once, in order.
fn transcript(machine: &TestContext, server: &ModelServer) -> String {
    let mut out = String::new();
    let mut known = 0;
    for asked in server.asked() {
        let body = &asked.body;
        let child = body["system"].to_string().contains("You are a sub-agent");
        let messages = body["messages"].as_array().unwrap();
        let served: Vec<&str> = body["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|tool| tool["name"].as_str().filter(|name| name.contains("__")))
            .collect();
        let _never = writeln!(out, "== {} {}", if child { "sub-agent" } else { "model" }, served.join(" "));
        let new = if child { 0 } else { known };
        for message in &messages[new..] {
            tell(&mut out, message);
        }
        if !child {
            known = messages.len();
        }
    }
    assert_eq!(server.complaints(), Vec::<String>::new());
    machine.filter(&out)
}

fn tell(out: &mut String, message: &Value) {
    let who = message["role"].as_str().unwrap();
    let parts = match &message["content"] {
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        parts => parts.as_array().unwrap().clone(),
    };
    for part in parts {
        let (what, text) = match part["type"].as_str().unwrap() {
            "text" => (who.to_owned(), part["text"].as_str().unwrap().to_owned()),
            "tool_use" => {
                (format!("{who} calls {}", part["name"].as_str().unwrap()), part["input"].to_string())
            }
            "tool_result" => {
                let content = &part["content"];
                let text = content.as_str().or_else(|| content[0]["text"].as_str()).unwrap();
                ("result".to_owned(), text.to_owned())
            }
            other => (other.to_owned(), String::new()),
        };
        let lines: Vec<String> = text.trim().lines().map(|line| line.chars().take(SHOWN).collect()).collect();
        let _never = writeln!(out, "{what}: {}", lines.join("\n    "));
    }
}

#[test]
fn istota_an_attachment_brings_its_skill_and_the_skill_stays_for_the_follow_up() {
    let server = ModelServer::new([ModelAnswer::says("A trip to Oslo."), ModelAnswer::says("At nine.")]);
    let machine = connected(&server);
    machine.file("work/trip.ics", "BEGIN:VCALENDAR\nEND:VCALENDAR\n");
    skill(&machine, "calendar", "file_types: [ics]\n", "Read dates in the person's own time zone.");
    let first = ["ask", "--session", "oslo", "--attach", "trip.ics", "what is this?"];
    let seen = machine.tell(&machine.command(first).output().unwrap());
    let again =
        machine.tell(&machine.command(["ask", "--session", "oslo", "when does it start?"]).output().unwrap());
    assert_snapshot!(format!("{seen}\n{again}"));
    assert_snapshot!(transcript(&machine, &server));
}

#[test]
fn personal_agent_a_skill_is_loaded_its_list_denies_a_tool_and_a_fork_reports_back() {
    let server = ModelServer::with(|asked| {
        let said = asked.body["messages"].as_array().map_or(0, Vec::len);
        if asked.body["system"].to_string().contains("You are a sub-agent") {
            return match said {
                1 => ModelAnswer::calls([("grep", json!({ "pattern": "TODO" }))]),
                _ => ModelAnswer::says("One TODO, in notes.md."),
            };
        }
        match said {
            1 => ModelAnswer::calls([("use_skill", json!({ "name": "reader" }))]),
            3 => ModelAnswer::calls([("write_file", json!({ "path": "notes.md", "content": "gone" }))]),
            5 => ModelAnswer::calls([("use_skill", json!({ "name": "survey", "arguments": "TODO" }))]),
            _ => ModelAnswer::says("There is one TODO left; I changed nothing."),
        }
    });
    let machine = connected(&server);
    machine.file("work/notes.md", "TODO: buy milk\n");
    skill(&machine, "reader", "allowed-tools: Read Grep\n", "Only look.");
    skill(&machine, "survey", "context: fork\nallowed-tools: Grep\n", "Find every $ARGUMENTS.");
    assert_snapshot!(machine.tell(&machine.command(["ask", "what is left to do?"]).output().unwrap()));
    assert_snapshot!(transcript(&machine, &server));
    assert_eq!(machine.text("work/notes.md"), "TODO: buy milk\n");
}

#[test]
fn golemcore_triage_goes_where_the_model_decides_then_to_the_next_skill_and_tools_come_and_go() {
    require_tool!("python3");
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([
        ModelAnswer::calls([("skill_transition", json!({ "target_skill": "repair", "reason": "a bug" }))]),
        ModelAnswer::calls([("repair__say", json!({ "text": "fixed" }))]),
        ModelAnswer::says("Repaired."),
        ModelAnswer::says("Released."),
    ]);
    let machine = connected(&server);
    skill(
        &machine,
        "triage",
        "next_skill: close\nconditional_next_skills:\n  bug: repair\n  question: close\n",
        "Say what it is.",
    );
    skill(
        &machine,
        "repair",
        "next_skill: release\nmcp:\n  command: python3 scripts/server.py\n",
        "Repair it.",
    );
    machine.file("home/.agents/skills/repair/scripts/server.py", crate::work::SERVER);
    skill(&machine, "release", "", "Release it.");
    skill(&machine, "close", "", "Close it.");
    assert_snapshot!(machine.tell(&machine.command(["ask", "/triage it crashes"]).output().unwrap()));
    assert_snapshot!(transcript(&machine, &server));
}

#[test]
fn claude_code_a_slash_with_arguments_runs_its_commands_first_and_a_hook_with_once_fires_once() {
    if !has_sandbox() {
        return;
    }
    let read = || ModelAnswer::calls([("read_file", json!({ "path": "VERSION" }))]);
    let server = ModelServer::new([read(), read(), ModelAnswer::says("Deployed.")]);
    let machine = connected(&server);
    machine.file("work/VERSION", "1.4\n");
    skill(
        &machine,
        "deploy",
        "argument-hint: '[where]'\nallowed-tools: Bash(cat *) Read\nhooks:\n  PostToolUse:\n    - matcher: Read\n      hooks:\n        - type: command\n          command: echo remember the changelog\n          once: true\n",
        "Deploy $ARGUMENTS[0] to $ARGUMENTS[1].\n\nVersion: !`cat VERSION`",
    );
    assert_snapshot!(machine.tell(&machine.command(["run", "deploy", "site", "staging"]).output().unwrap()));
    assert_snapshot!(transcript(&machine, &server));
}

#[test]
fn codex_two_mentions_bring_two_skills_and_a_missing_value_is_asked_for() {
    let server = ModelServer::new([ModelAnswer::says("Both done.")]);
    let machine = connected(&server);
    skill(&machine, "lint", "", "Lint it.");
    skill(
        &machine,
        "publish",
        "vars:\n  PUBLISH_TOKEN:\n    description: Token of the registry\n    required: true\n    secret: true\n",
        "Publish it.",
    );
    let mut terminal = Terminal::start(machine.command(["ask", "please $lint and $publish this"]));
    terminal.wait_for("(not shown): ");
    terminal.press("hunter2-hunter2\n");
    let (code, seen) = terminal.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("PUBLISH_TOKEN") && !seen.contains("hunter2"), "{seen}");
    assert_snapshot!(transcript(&machine, &server));
}
