use crate::bare;
use insta::assert_snapshot;

#[test]
fn help_is_worth_reading() {
    assert_snapshot!(bare().see("--help"), @"
    exit: 0
    ----- stdout -----
    Finds, checks, chooses, runs, limits and serves the skills of every AI agent on this machine

    Usage: skillful [OPTIONS] <COMMAND>

    Commands:
      ask          Ask a model, with the skills that apply; without a model, say what one would read
      chat         Talk with a model that uses your skills and tools
      run          Have a model do what a skill says
      search       Find skills by what you want to do
      use          Print a skill as a model that loads it would read it, companions included
      exec         Run a program that a skill brings, in a sandbox
      tools        List the tools of the MCP server that a skill brings, or call one
      mcp          Offer skills to any agent over the Model Context Protocol
      proxy        Run programs of skills with their secrets, for an agent that has none
      secret       Keep secrets for the programs of skills, encrypted
      list         List every skill, who shadows whom, and what is broken [alias: ls]
      show         Show one skill: what it says, where it comes from, who may use it
      check        Check skills and report every problem with its line and its fix
      audit        Say what skills could do to you: findings with their lines, and what they may use
      new          Create a new skill that passes every check
      fmt          Rewrite headers in canonical form
      import       Bring in a skill from a folder, a SKILL.md, a .zip, a .skill or a .tar.gz
      add          Install skills from a path, an archive, a git repository, an index or a registry, and
                   lock them exactly
      remove       Remove skills that `add` installed, and nothing else [alias: rm]
      sync         Put everything in its place that the lock names
      verify       Compare every installed file with the lock
      update       Bring in newer versions; what you changed stays
      outdated     List what has newer versions, and change nothing
      diff         Show what you changed in installed skills, or what their sources changed
      clean        Remove versions from the skill store that no lock names
      sign         Sign a skill with an SSH key, or check who signed it
      keys         List, add and remove the people whose signatures you know
      accept       Accept an installed skill as it is now, after it changed
      export       Write a skill as one file: SKILL.md, or a reproducible .zip or .tar.gz
      publish      Write skills into a folder that any web server can offer: archives, an index, a
                   registry
      catalog      Keep a list of places with skills, and see what they offer
      roots        Show where skills are looked for, and in which order
      view         Show what one agent would load from this folder, and why not the rest
      explain      Say which skills apply to a message, and every rule that decided
      prompt       Print the catalogue that a model would get
      vars         Show the variables a skill declares, where their values come from, and what is
                   missing
      agents        List the agents Skillful knows
      enable       Switch a skill on
      disable      Switch a skill off
      sessions     List, show and forget sessions
      review       Look at skills that wait for you, and accept or reject them
      curate       Set aside accepted skills of models that nobody uses
      eval         Measure how well requests find their skills
      trust        Trust a repository, after seeing what its skills could do
      untrust      Take trust back
      doctor       Look for trouble: configuration, roots, broken skills, catalogue sizes; or what one
                   skill lacks
      sandbox      Say which sandboxes hold on this machine, and what keeps each limit
      watch        Print skills as they are added, changed and removed
      config       Show every setting in effect and where it comes from
      completions  Print shell completions
      man          Write manual pages
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Global options:
          --json
              Print JSON instead of text

      -C, --directory <FOLDER>
              Act as if started in this folder

          --color <WHEN>
              When to use colour

              Possible values:
              - auto:   When the output is a terminal and `NO_COLOR` is not set
              - always: Always
              - never:  Never
              
              [default: auto]

          --root <FOLDER>
              Read one more folder of skills, for this call (absolute; repeatable)

          --trust-project
              Count this repository as trusted, for this call

          --touch <FILE>
              A file being worked on: skills of folders around it join (repeatable)

          --no-cache
              Neither read nor write the cache

    Exit codes:
      0  done, nothing to report
      1  done with findings, or the thing asked for is not there
      2  the command line, or a file it names, is not usable
      3  done, but something could not be looked at
      4  nothing was run, since no sandbox holds on this machine

    Files:
      configuration  $XDG_CONFIG_HOME/skillful/config.toml   (or $SKILLFUL_HOME/config.toml)
      repository     .skillful/config.toml                   (can disable, never enable)
      `skillful config` shows every value in effect and where it comes from.
    ");
}

#[test]
fn roots_are_in_order_of_precedence() {
    let machine = bare();
    machine.skill("work/.claude/skills/a", "A.");
    machine.skill("work/.agents/skills/b", "B.");
    machine.skill("home/.agents/skills/c", "C.");
    let json = machine.json("roots --json");
    let paths: Vec<String> = json["roots"]
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
    assert!(seen.contains("bad 1 skill cannot be read"), "{seen}");
    std::fs::remove_dir_all(machine.path("home/.agents/skills/bad")).unwrap();
    assert_eq!(machine.run("doctor").status.code(), Some(0));
    assert!(machine.json("doctor --json")["findings"].is_array());
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
        assert!(output.status.success() && output.stdout.len() > 1000, "{shell}");
    }
    assert!(machine.run("man --output pages").status.success());
    assert!(machine.exists("work/pages/skillful.1") && machine.exists("work/pages/skillful-list.1"));
}

#[test]
fn extra_roots_are_absolute() {
    assert_snapshot!(bare().see("list --root skills"), @r#"
    exit: 2
    ----- stderr -----
    error: --root `skills` is not absolute
    hint: write the whole path, such as --root "$PWD/skills"
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
