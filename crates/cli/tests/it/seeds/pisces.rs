//! Pisces: providers by priority, one level, `/skill:name`, `skill://`, links, filters.

use super::{last, names};
use crate::assistant::connected;
use serde_json::Value;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext};

/// Whether Pisces may use a skill.
fn is_available(machine: &TestContext, name: &str) -> bool {
    let found = seen(machine, "");
    let mut all = found["skills"].as_array().unwrap().iter();
    all.any(|skill| skill["name"] == name && skill["state"] == "available")
}

fn seen(machine: &TestContext, more: &str) -> Value {
    machine.json(&format!("--trust-project list --agent pisces --json {more}"))
}

#[test]
fn providers_urls_commands_and_filters() {
    let server = ModelServer::new([ModelAnswer::says("Read.")]);
    let machine = connected(&server);
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    machine.skill("work/.claude/skills/pdf", "Of Claude.");
    machine.skill("work/.pisces/skills/pdf", "Of Pisces.");
    machine.file("work/.pisces/skills/pdf/references/tables.md", "# Tables\n");
    machine.skill("work/.pisces/skills/postgres", "Databases.");
    machine.skill("work/.pisces/skills/team/internal", "Nested.");
    machine.link("work/.agents/skills/postgres", "../../.pisces/skills/postgres");
    machine.file("work/.codex/skills/undescribed/SKILL.md", "---\nname: undescribed\n---\nNo words.\n");
    let found = seen(&machine, "");
    let text = found.to_string();
    assert!(text.contains("Of Pisces."), "its own folder comes first: {text}");
    assert!(!names(&found["skills"]).contains(&"internal".to_owned()), "one level only: {text}");
    assert_eq!(
        names(&found["skills"]).iter().filter(|name| *name == "postgres").count(),
        1,
        "one file is one skill: {text}"
    );

    // `skill://` reads inside of the skill and nowhere else.
    let read = |address: &str| {
        let output =
            machine.command(["--trust-project", "use", "--agent", "pisces", address]).output().unwrap();
        machine.tell(&output)
    };
    assert!(
        read("skill://pdf/references/tables.md").contains("# Tables"),
        "{}",
        read("skill://pdf/references/tables.md")
    );
    for outside in [
        "skill://pdf/../postgres/SKILL.md",
        "skill://pdf/%2e%2e/postgres/SKILL.md",
        "skill://pdf//etc/passwd",
    ] {
        assert!(!read(outside).starts_with("exit: 0"), "{outside}: {}", read(outside));
    }
    assert!(!read("skill://pdf/none.md").starts_with("exit: 0"));

    // `/skill:name arguments` brings the body of that provider.
    let line = ["--trust-project", "ask", "--agent", "pisces", "/skill:pdf the tables"];
    let output = machine.command(line).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    assert!(last(&server).contains(".pisces/skills/pdf"), "{}", last(&server));
    assert!(last(&server).contains("the tables"), "{}", last(&server));

    // Filters by name.
    assert!(is_available(&machine, "postgres"));
    machine.file("home/.config/skillful/config.toml", "system = false\nignore = [\"post*\"]\n");
    assert!(!is_available(&machine, "postgres") && is_available(&machine, "pdf"));
    machine.file("home/.config/skillful/config.toml", "system = false\ninclude = [\"pdf\"]\n");
    assert!(!is_available(&machine, "postgres") && is_available(&machine, "pdf"));
}

fn described(machine: &TestContext, name: &str) -> Option<String> {
    let found = seen(machine, "");
    let skill = found["skills"].as_array().unwrap().iter().find(|skill| skill["name"] == name)?;
    Some(skill["description"].as_str().unwrap().to_owned())
}

/// The toggles of Pisces (`enablePiscesProject`, `enablePiscesUser`, `enableClaudeProject`) are sources here.
#[test]
fn a_source_that_is_off_gives_way_to_the_next_one() {
    let server = ModelServer::new([ModelAnswer::says("Read.")]);
    let machine = connected(&server);
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    machine.skill("work/.pisces/skills/pdf", "Of the project.");
    machine.skill("home/.pisces/agent/skills/pdf", "Of the user.");
    machine.skill("work/.claude/skills/pdf", "Of Claude.");
    machine.skill("work/.agents/skills/pdf", "Of agents.");
    machine.skill("work/.agents/skills/only", "Only of agents.");
    let switch = |lines: &[&str]| {
        let text = format!("system = false\n[sources]\n{}\n", lines.join("\n"));
        machine.file("home/.config/skillful/config.toml", text);
        described(&machine, "pdf").unwrap_or_default()
    };
    assert_eq!(switch(&[]), "Of the project.");
    let mut off = vec!["\"pisces/project\" = false"];
    assert_eq!(switch(&off), "Of the user.");
    off.push("\"pisces/user\" = false");
    assert_eq!(switch(&off), "Of Claude.");
    off.push("\"claude-code/project\" = false");
    assert_eq!(switch(&off), "Of agents.");
    assert!(is_available(&machine, "only"));
    // A folder that is named after an agent is off with it, also where other agents read it.
    let all = machine.json("--trust-project list --json");
    let claude = all["skills"].as_array().unwrap().iter().find(|skill| skill["description"] == "Of Claude.");
    assert_eq!(claude.unwrap()["state"], "disabled", "{all}");
    off.push("pisces = false");
    assert_eq!(switch(&off), "");
    assert!(!is_available(&machine, "only"));
    // Names that no agent has are reported.
    assert_eq!(switch(&["\"piscess/user\" = false"]), "Of the project.");
    let told = machine.see("--trust-project list --agent pisces");
    assert!(told.contains("`sources.piscess` names no agent and no scope"), "{told}");
}

#[test]
fn the_loser_of_a_name_is_reported_and_used_by_its_path() {
    let server = ModelServer::new([ModelAnswer::says("Read.")]);
    let machine = connected(&server);
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    machine.skill("work/.pisces/skills/pdf", "Of the project.");
    machine.file("work/.claude/skills/pdf/SKILL.md", "---\nname: pdf\ndescription: c\n---\nOf Claude.\n");
    let view = machine.see("--trust-project view --agent pisces");
    assert!(view.contains("loads this one instead of"), "{view}");
    // Without an agent both are there, and the second one by its qualified name or its path.
    let listed = machine.json("--trust-project list --json");
    let shadowed =
        listed["skills"].as_array().unwrap().iter().find(|one| one["state"] == "shadowed").unwrap();
    let path = shadowed["path"].as_str().unwrap().to_owned();
    let used = machine.command(["--trust-project", "use", &path]).output().unwrap();
    let body = std::fs::read_to_string(&path).unwrap();
    let line = body.lines().last().unwrap().to_owned();
    assert!(machine.tell(&used).contains(&line), "{}", machine.tell(&used));
    let message = format!("[$pdf]({path}) please");
    let output = machine.command(["--trust-project", "ask", message.as_str()]).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    assert!(last(&server).contains(&line), "{}", last(&server));
}

/// A native skill needs a description, one of another provider does not; a custom folder comes after the providers.
#[test]
fn the_native_provider_wants_descriptions_and_a_custom_folder_comes_last() {
    let machine = crate::bare();
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    let undescribed = "---\nname: NAME\n---\nNo words.\n";
    for (place, name) in [(".pisces/skills", "native"), (".claude/skills", "of-claude")] {
        machine.file(&format!("work/{place}/{name}/SKILL.md"), undescribed.replace("NAME", name));
    }
    assert!(!is_available(&machine, "native"), "{}", seen(&machine, ""));
    assert!(is_available(&machine, "of-claude"), "{}", seen(&machine, ""));
    machine.skill("work/.claude/skills/pdf", "Of Claude.");
    machine.skill("home/team/pdf", "Of the team.");
    machine.skill("home/team/runbook", "Of the team.");
    machine.file("home/.config/skillful/config.toml", "system = false\ncustom = [\"~/team\"]\n");
    assert_eq!(described(&machine, "pdf").as_deref(), Some("Of Claude."));
    let all = machine.json("--trust-project list --json");
    let state = |name: &str, of: &str| {
        let mut skills = all["skills"].as_array().unwrap().iter();
        skills.find(|one| one["name"] == name && one["description"] == of).unwrap()["state"].clone()
    };
    assert_eq!(state("pdf", "Of Claude."), "available");
    assert_eq!(state("pdf", "Of the team."), "shadowed");
    assert_eq!(state("runbook", "Of the team."), "available");
}
