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
