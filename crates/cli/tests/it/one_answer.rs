//! D13: one answer to "what does agent X see". Every command with `--agent` gives the set of skills that the
//! emulator gives, for every agent profile.

use crate::{bare, mcp::Piped};
use skillful_catalog::AgentProfiles;
use skillful_testkit::TestContext;
use std::collections::BTreeMap;

/// A home and a repository with skills of several agents, equal names, a link, a plugin and a command file.
fn tree() -> TestContext {
    let machine = bare();
    for folder in [".claude", ".agents", ".codex", ".gemini", ".opencode", ".cursor", ".github"] {
        let own = folder.trim_start_matches('.');
        machine.skill(&format!("work/{folder}/skills/deploy"), &format!("Deploys as {own} does."));
        machine.skill(&format!("work/{folder}/skills/{own}-only"), "Belongs to one agent.");
        machine.skill(&format!("home/{folder}/skills/{own}-user"), "Belongs to the user of one agent.");
        machine.skill(&format!("home/{folder}/skills/deploy"), "The user's own way to deploy.");
    }
    machine.skill("home/.config/opencode/skills/far", "Lies below the configuration of OpenCode.");
    machine.skill("home/.agents/skills/nested/inner", "Lies deeper than most agents look.");
    machine.link("home/.claude/skills/linked", "../../.agents/skills/agents-user");
    machine.file("work/.claude/commands/fix.md", "---\ndescription: Fix one issue.\n---\nFix $ARGUMENTS\n");
    machine.file(
        "home/.agents/skills/quiet/SKILL.md",
        "---\nname: quiet\ndescription: Only the user calls it.\ndisable-model-invocation: true\n---\nx\n",
    );
    machine.run("trust --yes");
    machine
}

type Names = BTreeMap<String, usize>;

fn names(list: &serde_json::Value, key: &str) -> Names {
    let mut names = Names::new();
    for one in list.as_array().unwrap() {
        let name = if key.is_empty() { one } else { &one[key] };
        *names.entry(name.as_str().unwrap().to_owned()).or_default() += 1;
    }
    names
}

fn check(machine: &TestContext, agent: &str) {
    let ask = |line: &str| machine.json(&format!("{line} --agent {agent} --json --no-cache"));
    let view = ask("view");
    let seen = names(&view["seen"], "name");
    let offered: Vec<serde_json::Value> =
        view["seen"].as_array().unwrap().iter().filter(|one| one["hidden"].is_null()).cloned().collect();
    // Our own gate: a skill whose author keeps it from models is never offered to one.
    let offered: Names =
        names(&offered.into(), "name").into_iter().filter(|(name, _)| !name.contains("quiet")).collect();
    assert_eq!(names(&ask("list")["skills"], "name"), seen, "{agent}: list");
    assert_eq!(names(&ask("doctor")["skills"], ""), seen, "{agent}: doctor");
    assert_eq!(names(&ask("explain hello")["menu"], ""), offered, "{agent}: explain");
    let total: usize = offered.values().sum();
    assert_eq!(ask("menu")["skills"].as_u64(), Some(total as u64), "{agent}: menu");
    assert_eq!(names(&ask("ask hello")["menu"], ""), offered, "{agent}: ask");
    let mut server = Piped::start(machine, &["--agent", agent, "--no-cache"]);
    let mut listed = Names::new();
    while listed.values().sum::<usize>() < total {
        let shown: usize = listed.values().sum();
        let page = server.call("list_skills", &serde_json::json!({ "offset": shown }));
        for line in page["content"][0]["text"].as_str().unwrap().lines() {
            if let Some((name, _)) = line.strip_prefix("- ").and_then(|line| line.split_once(": ")) {
                *listed.entry(name.to_owned()).or_default() += 1;
            }
        }
        assert!(listed.values().sum::<usize>() > shown, "{agent}: {page}");
    }
    assert_eq!(listed, offered, "{agent}: mcp");
    // A skill that the agent misses is refused with its name.
    let missed = view["unseen"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["name"].as_str().is_some_and(|name| !seen.contains_key(name)));
    if let Some(missed) = missed {
        let name = missed["name"].as_str().unwrap();
        for command in ["use", "run"] {
            let refused = machine.see(&format!("{command} {name} --agent {agent}"));
            let names_the_agent = refused.starts_with("exit: 1") && refused.contains("does not load it");
            assert!(names_the_agent, "{agent}: {command}: {refused}");
        }
    }
    if let Some(name) = offered.keys().find(|name| !name.contains(':') && offered[*name] == 1) {
        let used = machine.see(&format!("use {name} --agent {agent}"));
        assert!(used.starts_with("exit: 0"), "{agent}: use {name}: {used}");
        // No model is connected, which is asked for after the skill was found.
        let run = machine.see(&format!("run {name} --agent {agent}"));
        assert!(run.contains("no model is connected"), "{agent}: run {name}: {run}");
    }
}

#[test]
fn every_command_gives_the_same_set_of_skills_for_every_agent() {
    let machine = tree();
    let agents: Vec<String> = AgentProfiles::embedded().iter().map(|agent| agent.id.clone()).collect();
    assert!(agents.len() >= 80);
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(agent) = agents.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    check(&machine, agent);
                }
            });
        }
    });
}
