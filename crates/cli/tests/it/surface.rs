use crate::{bare, has_sandbox};
use insta::assert_snapshot;

#[test]
fn help_is_worth_reading() {
    assert_snapshot!(bare().see("--help"), @"
    exit: 0
    ----- stdout -----
    Skillful finds, checks, installs and runs the skills of every AI agent.

    Usage: skillful [COMMAND]               without a command: overview

    Look
      list               Skills of every agent, with their state
      show SKILL         One skill: state, agents, capabilities, findings, files
      view --agent NAME  What one agent loads here, and why not the rest
      search WORDS       Find skills by task, here and in sources
      ui, tour           Full-screen view; a one-minute tour

    Install
      add SOURCE         From a path, archive, git repository, URL or source
      update [SKILL]     Install newer versions, keep your edits; --check lists
      remove SKILL       Remove what was installed
      sync               Install exactly what skillful.lock names; --frozen for CI;
                         --team: what your team requires
      verify, diff       Compare installed files with the lock; show edits
      source, starter    Manage sources; install the starter skills

    Decide
      review             Approve or reject pending, changed and proposed skills
      trust, untrust     Allow or stop the skills of a repository
      enable, disable    Turn a skill on or off, also in an agent's own settings
      audit [SKILL]      What skills can do to you, with file and line
      secret, sandbox    Secrets of skill programs; what the sandbox holds

    Write
      new NAME           Create a skill
      check, fmt, lsp    Report problems and fix them; format; serve editors
      eval FILE          Measure which requests select which skill
      export, publish, push, sign      Share skills

    Use
      ask, chat, run     Work with a model and your skills
      explain, menu      Why a skill is selected; what a model is offered
      use, exec          Print a skill as a model reads it; run its program
      sessions           List, show and delete sessions

    Connect
      mcp, proxy         Serve agents; keep their secrets
      serve, login, logout             Run a team's server; sign in to one
      doctor, agents     Problems of this machine; agents and their folders
      config, clean, completions       Settings; unused content; shells, man pages

    Every command: --json, -C DIR, --color WHEN, --help.   skillful help exit-codes
    ");
}

#[test]
fn roots_are_in_order_of_precedence() {
    let machine = bare();
    machine.skill("work/.claude/skills/a", "A.");
    machine.skill("work/.agents/skills/b", "B.");
    machine.skill("home/.agents/skills/c", "C.");
    let json = machine.json("roots --json");
    let paths: Vec<String> = json["folders"]
        .as_array()
        .unwrap()
        .iter()
        .map(|root| machine.filter(root["path"].as_str().unwrap()))
        .collect();
    assert_snapshot!(paths.join("\n"), @"
    [TEMP]/work/.agents/skills
    [TEMP]/work/.claude/skills
    [TEMP]/home/.agents/skills
    ");
}

#[test]
fn every_agent_of_the_table_is_known() {
    let json = bare().json("agents --json");
    assert!(json["agents"].as_array().unwrap().len() >= 80);
}

#[test]
fn doctor_tells_what_is_wrong_and_exits_with_1() {
    let machine = bare();
    machine.file("home/.agents/skills/bad/SKILL.md", "---\nname: bad\nname: bad\n---\n");
    machine.skill("home/.agents/skills/good", "Good.");
    let seen = machine.see("doctor");
    assert!(seen.starts_with("exit: 1\n"), "{seen}");
    assert!(seen.contains("error    1 skill is invalid: bad"), "{seen}");
    std::fs::remove_dir_all(machine.path("home/.agents/skills/bad")).unwrap();
    assert_eq!(machine.run("doctor").status.code(), Some(0));
    assert!(machine.json("doctor --json")["findings"].is_array());
}

#[test]
fn doctor_shows_disabled_skills_by_name_and_path_the_sandbox_and_the_largest_menu() {
    let machine = bare();
    machine.file("home/.claude/settings.json", "{}");
    for at in 0..30 {
        machine.skill(&format!("home/.claude/skills/skill-{at}"), &"Words of a description. ".repeat(4));
    }
    let path = machine.path("home/.claude/skills/skill-1/SKILL.md").display().to_string();
    machine.file(
        "home/.config/skillful/config.toml",
        format!(
            "system = false\n[[skill]]\nname = \"skill-0\"\nenabled = false\n[[skill]]\npath = \"{path}\"\nenabled = false\n"
        ),
    );
    let text = machine.see("doctor");
    assert!(
        text.contains("ok  disabled        2 skills: skill-0, skill-1; skillful list --state disabled"),
        "{text}"
    );
    assert!(text.contains("ok  menus           largest: Claude Code: 30 skills, "), "{text}");
    assert!(text.contains(" of 8,000 characters\n"), "{text}");
    let sandbox = if has_sandbox() { "ok  sandbox  " } else { "none works here" };
    assert!(text.contains(sandbox), "{text}");
}

#[test]
fn colour_is_used_only_when_asked_for() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "One.");
    assert!(!machine.see("list").contains('\u{1b}'));
    assert!(machine.see("list --color always").contains('\u{1b}'));
}

#[test]
fn completions_and_manual_pages_come_from_the_program() {
    let machine = bare();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = machine.run(&format!("completions {shell}"));
        assert!(output.status.success() && output.stdout.len() > 100, "{shell}");
    }
    assert!(machine.run("man pages").status.success());
    assert!(machine.exists("work/pages/skillful.1") && machine.exists("work/pages/skillful-list.1"));
}

#[test]
fn extra_roots_are_absolute() {
    assert_snapshot!(bare().see("list --root skills"), @r#"
    exit: 2
    ----- stderr -----
    error: --root `skills` is not absolute
      fix:   write an absolute path, such as --root "$PWD/skills"
    "#);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    use std::{io::Read, process::Stdio};
    let machine = bare();
    for number in 0..300 {
        machine.skill(&format!("home/.agents/skills/s{number}"), &"words ".repeat(100));
    }
    let mut child = machine.command(["list", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert!(child.wait().unwrap().success());
}
