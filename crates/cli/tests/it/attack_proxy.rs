//! Attacks of an agent that runs in the sandbox of `proxy --sandboxed`: what it leaves in its project for the time after,
//! when programs of the user read it outside of the sandbox.

use crate::{bare, has_sandbox};
use serde_json::Value;
use skillful_testkit::{Attempts, TestContext, skip};
use std::process::Command;

/// What is there before, and must be the same afterwards.
const THERE: &[(&str, &str)] = &[
    ("work/CLAUDE.md", "Be kind.\n"),
    ("work/.claude/settings.json", "{}\n"),
    ("work/.claude/skills/own/SKILL.md", "---\nname: own\ndescription: Own.\n---\nOwn.\n"),
    ("work/sub/AGENTS.md", "Be brief.\n"),
];

/// Commands, and the place that none of them may change or leave behind.
const ATTEMPTS: &[(&str, &str)] = &[
    ("git config core.fsmonitor 'touch pwned'", ".git/config"),
    ("printf '[core]\\nfsmonitor = touch pwned\\n' >> .git/config", ".git/config"),
    ("mv .git other; mkdir .git; cp -r other/* .git/; echo '[core]' >> .git/config", ".git/config"),
    (
        "printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
        ".git/hooks/pre-commit",
    ),
    ("echo ../evil > .git/commondir", ".git/commondir"),
    ("mkdir -p deep/er && cd deep/er && git init -q .", "deep/er/.git"),
    ("echo evil >> CLAUDE.md", "CLAUDE.md"),
    ("mv CLAUDE.md x; echo evil > CLAUDE.md", "CLAUDE.md"),
    ("echo evil > sub/AGENTS.md", "sub/AGENTS.md"),
    ("mv sub gone; mkdir sub; echo evil > sub/AGENTS.md", "sub/AGENTS.md"),
    ("echo evil > AGENTS.md", "AGENTS.md"),
    ("echo evil > sub/CLAUDE.md", "sub/CLAUDE.md"),
    ("echo '{\"hooks\":{}}' > .claude/settings.json", ".claude/settings.json"),
    ("echo '{}' > .claude/settings.local.json", ".claude/settings.local.json"),
    ("echo evil >> .claude/skills/own/SKILL.md", ".claude/skills/own/SKILL.md"),
    ("mkdir -p .claude/skills/new; echo evil > .claude/skills/new/SKILL.md", ".claude/skills/new"),
    ("mkdir -p .agents/skills/new; echo evil > .agents/skills/new/SKILL.md", ".agents/skills/new"),
    ("echo '{}' > .mcp.json", ".mcp.json"),
    ("mkdir -p .vscode; echo '{}' > .vscode/tasks.json", ".vscode/tasks.json"),
    ("mkdir -p .skillful; echo 'ignore = []' > .skillful/config.toml", ".skillful/config.toml"),
    ("ln -s /etc .claude/commands", ".claude/commands"),
    ("rm -rf .claude; ln -s sub .claude", ".claude/settings.json"),
];

fn machine() -> TestContext {
    let machine = bare();
    for (path, text) in THERE {
        machine.file(path, text);
    }
    machine.file("work/src/a.rs", "fn main() {}\n");
    machine.skill("home/.agents/skills/mail", "Mail.");
    let git = |line: &str| {
        let mut command = Command::new("git");
        command.args(["-C"]).arg(machine.work()).args(["-c", "user.name=n", "-c", "user.email=e@x"]);
        assert!(command.args(line.split(' ')).output().unwrap().status.success(), "{line}");
    };
    git("init -q .");
    git("config user.name n");
    git("config user.email e@x");
    git("add .");
    git("commit -qm one");
    machine
}

fn agent(machine: &TestContext, line: &str) -> String {
    let mut command = machine.command(["proxy", "--sandboxed", "--skill", "mail", "--", "sh", "-c"]);
    machine.tell(&command.arg(line).output().unwrap())
}

fn has_bubblewrap() -> bool {
    let report: Value = serde_json::from_slice(&bare().run("sandbox --json").stdout).unwrap();
    let has = has_sandbox() && report["best"] == "bubblewrap";
    if !has {
        skip("bubblewrap does not hold here");
    }
    has
}

#[test]
fn an_agent_in_the_sandbox_changes_nothing_that_git_and_agents_obey_later() {
    if !has_bubblewrap() {
        return;
    }
    for (line, place) in ATTEMPTS {
        let machine = machine();
        let path = machine.path("work").join(place);
        let before = std::fs::read(&path).ok();
        let told = agent(&machine, line);
        assert_eq!(std::fs::read(&path).ok(), before, "{line}\n{told}");
        assert_eq!(path.symlink_metadata().is_ok(), before.is_some(), "{line}\n{told}");
        for (file, text) in THERE {
            assert_eq!(machine.text(file), *text, "{line}: {file}\n{told}");
        }
    }
    Attempts::of("an_agent_in_the_sandbox_changes_nothing_that_git_and_agents_obey_later")
        .refused(ATTEMPTS.len())
        .report();
}

#[test]
fn an_agent_in_the_sandbox_works_in_its_project_and_is_told_what_was_renamed() {
    if !has_bubblewrap() {
        return;
    }
    let machine = machine();
    let line = "echo '// two' >> src/a.rs && mkdir -p src/b && echo x > src/b/c && git add -A && git commit -qm two && git log --oneline | wc -l";
    let told = agent(&machine, line);
    assert!(told.starts_with("exit: 0") && told.contains("\n2\n"), "{told}");
    let told = agent(&machine, "echo evil > AGENTS.md");
    assert!(told.contains("warning: the command created or redirected `AGENTS.md`"), "{told}");
    assert_eq!(machine.text("work/AGENTS.md.held"), "evil\n", "nothing is lost");
    let mut command =
        machine.command(["proxy", "--sandboxed", "--change-guarded", "--skill", "mail", "--", "sh", "-c"]);
    let told = machine.tell(&command.arg("echo fine > AGENTS.md; git config a.b c").output().unwrap());
    assert!(told.starts_with("exit: 0"), "{told}");
    assert_eq!(machine.text("work/AGENTS.md"), "fine\n");
}

#[test]
fn an_agent_in_the_sandbox_does_not_see_the_values_of_variables_beside_a_skill() {
    if !has_bubblewrap() {
        return;
    }
    let machine = machine();
    machine.file("work/.claude/skills/own/vars.json", "{\"KEY\": \"CANARY\"}\n");
    machine.file("work/.claude/skills/variables.json", "{\"KEY\": \"CANARY\"}\n");
    let told =
        agent(&machine, "cat .claude/skills/own/vars.json .claude/skills/variables.json; grep -r CANARY .");
    assert!(!told.contains("CANARY"), "{told}");
}
