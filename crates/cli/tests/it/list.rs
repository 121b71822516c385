use crate::{bare, machine};
use insta::assert_snapshot;
use skillful_testkit::TestContext;

/// The first day: a repository with skills of several agents, a plugin, and the person's own.
fn first_day() -> TestContext {
    let machine = bare();
    machine.skill("work/.claude/skills/deploy", "Ship the shop to production.");
    machine.skill("work/.agents/skills/deploy", "Deploy with the neutral folder.");
    machine.skill("work/.agents/skills/seo", "Improve the search ranking of a page.");
    machine.file("work/.claude/skills/broken/SKILL.md", "---\nname: broken\nname: twice\n---\nText\n");
    machine.file(
        "work/.claude/commands/fix-issue.md",
        "---\ndescription: Fix one issue.\n---\nFix $ARGUMENTS\n",
    );
    machine.file("work/.claude-plugin/plugin.json", r#"{ "name": "shop" }"#);
    machine.skill("work/skills/stock", "Count the stock.");
    machine.skill("home/.agents/skills/deploy", "My own way to deploy.");
    machine.skill("home/.agents/skills/pdf", "Read, fill and split PDF files.");
    machine.link("home/.claude/skills/pdf", "../../.agents/skills/pdf");
    machine
}

#[test]
fn untrusted_project_skill_is_listed_but_never_offered() {
    let machine = first_day();
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME        STATE      LOADED BY  DESCRIPTION
    broken      invalid    claude     -
    deploy      available  -          My own way to deploy.
    deploy      untrusted  -          Deploy with the neutral folder.
    deploy      untrusted  claude     Ship the shop to production.
    fix-issue   untrusted  claude     Fix one issue.
    pdf         available  claude     Read, fill and split PDF files.
    seo         untrusted  -          Improve the search ranking of a page.
    shop:stock  untrusted  -          Count the stock.

    8 skills: 2 available, 1 invalid, 5 untrusted

    Why not available
      invalid      broken: line 3: the key `name` appears a second time here
                   skillful check .claude/skills/broken/SKILL.md
      untrusted    deploy (.agents/skills), deploy (.claude/skills), fix-issue, seo, shop:stock: you
                   have not trusted this repository   skillful trust
    ");
    let list = machine.json("list --json");
    for skill in list["skills"].as_array().unwrap().iter().filter(|skill| skill["state"] == "untrusted") {
        assert!(skill["reasons"].to_string().contains("not trusted"), "{skill}");
        assert_eq!(skill["fix"], "skillful trust");
        assert_eq!((&skill["calls"]["user"], &skill["calls"]["model"]), (&true.into(), &true.into()));
    }
}

#[test]
fn json_distinguishes_what_the_user_and_what_models_may_call() {
    let machine = bare();
    let skill = |name: &str, lines: &str| {
        let text = format!("---\nname: {name}\ndescription: Does it.\n{lines}---\nBody\n");
        machine.file(&format!("home/.agents/skills/{name}/SKILL.md"), text);
    };
    skill("both", "");
    skill("by-model", "user-invocable: false\n");
    skill("by-user", "disable-model-invocation: true\n");
    skill("closed", "user-invocable: false\ndisable-model-invocation: true\n");
    let list = machine.json("list --json");
    let calls: Vec<String> =
        list["skills"].as_array().unwrap().iter().map(|one| one["calls"].to_string()).collect();
    assert_eq!(
        calls,
        [
            r#"{"user":true,"model":true}"#,
            r#"{"user":false,"model":true,"why_not":["only models can call it"]}"#,
            r#"{"user":true,"model":false,"why_not":["only the user can call it"]}"#,
            r#"{"user":false,"model":false,"why_not":["only models can call it","only the user can call it"]}"#,
        ]
    );
    for name in ["both", "by-model", "by-user", "closed"] {
        let shown = machine.json(&format!("show {name} --json"));
        let listed = list["skills"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(shown["calls"], listed["calls"], "{name}");
    }
}

#[test]
fn a_trusted_repository_shows_who_shadows_whom() {
    let machine = first_day();
    assert_snapshot!(machine.see("list --trust-project"), @"
    exit: 0
    ----- stdout -----
    NAME        STATE      LOADED BY  DESCRIPTION
    broken      invalid    claude     -
    deploy      available  -          Deploy with the neutral folder.
    deploy      shadowed   claude     Ship the shop to production.
    deploy      shadowed   -          My own way to deploy.
    fix-issue   available  claude     Fix one issue.
    pdf         available  claude     Read, fill and split PDF files.
    seo         available  -          Improve the search ranking of a page.
    shop:stock  available  -          Count the stock.

    8 skills: 5 available, 2 shadowed, 1 invalid

    Why not available
      shadowed     deploy (.claude/skills), deploy (~/.agents/skills): deploy comes first
                   (.agents/skills/deploy/SKILL.md)
      invalid      broken: line 3: the key `name` appears a second time here
                   skillful check .claude/skills/broken/SKILL.md
    ----- stderr -----
    warning[displaces-own]: .agents/skills/deploy/SKILL.md: `deploy` of this repository takes the place of your own skill at `~/.agents/skills/deploy/SKILL.md`
    ");
}

#[test]
fn nothing_found_says_where_to_look() {
    assert_snapshot!(bare().see("list"), @"
    exit: 0
    ----- stdout -----
    no skills found; `skillful agents --folders` shows where they are looked for, `skillful new NAME`
    creates one
    ");
}

#[test]
fn shipped_skills_are_listed_and_installed_where_agents_can_read_them() {
    let machine = machine();
    assert_snapshot!(machine.see("list skill-"), @"
    exit: 0
    ----- stdout -----
    NAME             STATE      LOADED BY  DESCRIPTION
    code-review      available  -          Review a code change as a careful colleague would: correctne…
    skill-creator    available  -          Write a new agent skill or improve an existing one: plan it,…
    skill-installer  available  -          Bring an agent skill from elsewhere onto this machine or int…

    3 of 10 skills: text skill-
    ");
    let list = machine.json("list --json");
    let path = list["skills"][0]["path"].as_str().unwrap();
    assert!(std::fs::read_to_string(path).unwrap().starts_with("---\nname: code-review\n"));
}

#[test]
fn filters_narrow_the_list() {
    let machine = first_day();
    assert_snapshot!(machine.see("list --trust-project --names --scope user"), @"
    exit: 0
    ----- stdout -----
    deploy
    pdf
    ----- stderr -----
    warning[displaces-own]: .agents/skills/deploy/SKILL.md: `deploy` of this repository takes the place of your own skill at `~/.agents/skills/deploy/SKILL.md`
    ");
    assert_snapshot!(machine.see("list --trust-project --names --state shadowed"), @"
    exit: 0
    ----- stdout -----
    deploy
    deploy
    ----- stderr -----
    warning[displaces-own]: .agents/skills/deploy/SKILL.md: `deploy` of this repository takes the place of your own skill at `~/.agents/skills/deploy/SKILL.md`
    ");
    assert_snapshot!(machine.see("list --trust-project --names --agent codex"), @"
    exit: 0
    ----- stdout -----
    deploy
    pdf
    shop:deploy
    shop:seo
    ----- stderr -----
    warning[displaces-own]: .agents/skills/deploy/SKILL.md: `deploy` of this repository takes the place of your own skill at `~/.agents/skills/deploy/SKILL.md`
    ");
    assert_snapshot!(machine.see("list ranking --trust-project --names"), @"
    exit: 0
    ----- stdout -----
    seo
    ----- stderr -----
    warning[displaces-own]: .agents/skills/deploy/SKILL.md: `deploy` of this repository takes the place of your own skill at `~/.agents/skills/deploy/SKILL.md`
    ");
    assert_snapshot!(machine.see("list nothing-like-it"), @"
    exit: 0
    ----- stdout -----
    0 of 8 skills: text nothing-like-it
    ");
    assert_snapshot!(machine.see("list --scope nowhere"), @"
    exit: 2
    ----- stderr -----
    error: no scope named `nowhere`
      cause: the scopes are project, user, custom, managed, plugin, integration, system, extra
      fix:   name one of these, or leave --scope out
    ");
    assert_snapshot!(machine.see("list --state odd"), @"
    exit: 2
    ----- stderr -----
    error: no state named `odd`
      cause: the states are available, unavailable, shadowed, invalid, disabled, untrusted, pending
      fix:   name one of these, or leave --state out
    ");
}

#[test]
fn skills_below_the_working_folder_join_when_a_file_there_is_touched() {
    let machine = bare();
    machine.skill("work/.agents/skills/deploy", "Deploy all.");
    machine.skill("work/apps/web/.agents/skills/deploy", "Deploy the web app.");
    assert_snapshot!(machine.see("list --names --trust-project"), @"
    exit: 0
    ----- stdout -----
    deploy
    ");
    assert_snapshot!(machine.see("list --names --trust-project --touch apps/web/index.html"), @"
    exit: 0
    ----- stdout -----
    apps/web:deploy
    deploy
    ");
}

#[test]
fn a_skill_cannot_write_to_the_terminal() {
    let machine = bare();
    machine.skill("home/.agents/skills/evil", "\"\\e[2J\\e]0;owned\\a text \\u202e reversed\"");
    let seen = machine.see("list");
    assert!(!seen.contains('\u{1b}') && !seen.contains('\u{202e}'), "{seen}");
    assert_snapshot!(seen, @"
    exit: 0
    ----- stdout -----
    NAME  STATE      LOADED BY  DESCRIPTION
    evil  available  -          <U+001B>[2J<U+001B>]0;owned<U+0007> text <U+202E> reversed

    1 skill: 1 available
    ");
}

#[test]
fn json_into_a_pipe_is_whole_whatever_its_size() {
    let machine = bare();
    for number in 0..400 {
        machine.skill(&format!("home/.agents/skills/skill-{number:03}"), &"long description ".repeat(40));
    }
    let output = machine.run("list --json");
    assert!(output.stdout.len() > 300_000);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(list["skills"].as_array().unwrap().len(), 400);
}

#[test]
fn the_second_list_sees_every_change() {
    let machine = bare();
    machine.skill("home/.agents/skills/one", "First.");
    assert!(machine.see("list").contains("First."));
    machine.skill("home/.agents/skills/one", "Other.");
    machine.skill("home/.agents/skills/two", "Second.");
    let seen = machine.see("list");
    assert!(seen.contains("Other.") && seen.contains("Second.") && !seen.contains("First."), "{seen}");
    std::fs::remove_dir_all(machine.path("home/.agents/skills/one")).unwrap();
    assert!(!machine.see("list").contains("Other."));
}

#[test]
fn what_an_agent_misses_is_what_the_overview_counts() {
    let machine = bare();
    machine.skill("home/.claude/skills/pdf", "Read, fill and split PDF files.");
    machine.skill("home/.claude/skills/tables", "Join tables.");
    machine.skill("home/.codex/skills/slides", "Make slides.");
    assert_snapshot!(machine.see("list --missing-in codex"), @"
    exit: 0
    ----- stdout -----
    NAME    STATE      LOADED BY  DESCRIPTION
    pdf     available  claude     Read, fill and split PDF files.
    tables  available  claude     Join tables.

    2 of 3 skills: missing in codex
    ");
    assert_snapshot!(machine.see("list --missing-in claude --names"), @"
    exit: 0
    ----- stdout -----
    slides
    ");
    assert_snapshot!(machine.see("list tab --missing-in codex --agent claude-code --state available"), @"
    exit: 0
    ----- stdout -----
    NAME    STATE      LOADED BY  DESCRIPTION
    tables  available  claude     Join tables.

    1 of 2 skills that Claude Code loads: missing in codex, state available, text tab
    ");
    assert_snapshot!(machine.see("list --missing-in codx"), @"
    exit: 2
    ----- stderr -----
    error: no agent named `codx`
      cause: agents on this machine: claude-code, codex
      fix:   skillful list --missing-in codex
    ");
    assert_snapshot!(machine.see("list --agent codx"), @"
    exit: 2
    ----- stderr -----
    error: no agent named `codx`
      cause: agents on this machine: claude-code, codex
      fix:   skillful list --agent codex
    ");
    let overview = machine.json("--json");
    let misses = |agent: &str| {
        let found = overview["agents"].as_array().unwrap().iter().find(|one| one["agent"] == agent);
        found.unwrap()["misses"].as_u64().unwrap()
    };
    for agent in ["claude-code", "codex"] {
        let list = machine.json(&format!("list --json --missing-in {agent}"));
        assert_eq!(list["missing_in"], agent);
        assert_eq!(list["skills"].as_array().unwrap().len() as u64, misses(agent), "{agent}");
    }
}

#[test]
fn a_source_is_named_by_its_label_or_as_a_lock_names_it() {
    let machine = bare();
    machine.skill("home/.claude/skills/mine", "My own.");
    machine.skill("home/library/pdf", "Read, fill and split PDF files.");
    machine.skill("home/other/tables", "Join tables.");
    let (library, other) = (machine.path("home/library"), machine.path("home/other/tables"));
    machine.run(&format!("source add books {}", library.display()));
    machine.run("source add empty ./nothing-here");
    for folder in [library.join("pdf"), other.clone()] {
        let seen = machine.see(&format!("add {} --agent claude-code --global --yes", folder.display()));
        assert!(seen.starts_with("exit: 0"), "{seen}");
    }
    assert_snapshot!(machine.see("list --source books"), @"
    exit: 0
    ----- stdout -----
    NAME  STATE      LOADED BY  DESCRIPTION
    pdf   available  claude     Read, fill and split PDF files.

    1 of 3 skills: source books
    ");
    assert_snapshot!(machine.see(&format!("list --names --source {}", other.display())), @"
    exit: 0
    ----- stdout -----
    tables
    ");
    assert_snapshot!(machine.see("list --source empty"), @"
    exit: 0
    ----- stdout -----
    0 of 3 skills: source empty
    ");
    assert_snapshot!(machine.see("list --source bookz"), @"
    exit: 2
    ----- stderr -----
    error: no source named `bookz`
      cause: sources of skills here: ~/library/pdf, ~/other/tables, books, empty
      fix:   skillful list --source books
    ");
    assert_eq!(machine.json("list --json --source books")["source"], "books");
}

#[test]
fn a_list_names_the_agents_that_load_a_skill_and_its_json_those_that_read_the_folder() {
    let machine = bare();
    machine.skill("home/.codex/skills/slides", "Make slides.");
    machine.skill("home/.codex/skills/tables", "Join tables.");
    machine.file("home/.codex/config.toml", "[[skills.config]]\nname = \"slides\"\nenabled = false\n");
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME    STATE      LOADED BY  DESCRIPTION
    slides  available  -          Make slides.
    tables  available  codex      Join tables.

    2 skills: 2 available
    ");
    let piped = machine.command(["list"]).env_remove("COLUMNS").output().unwrap();
    let piped = String::from_utf8(piped.stdout).unwrap();
    let loaded: Vec<(&str, &str)> = piped
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|cells| (cells[0], cells[3]))
        .collect();
    assert_eq!(loaded, [("slides", "-"), ("tables", "codex")]);
    let list = machine.json("list --json");
    for skill in list["skills"].as_array().unwrap() {
        assert!(skill["folder_read_by"].as_array().unwrap().contains(&"codex".into()), "{skill}");
    }
}

#[test]
fn skills_below_a_relative_home_of_an_agent_are_listed_and_need_trust() {
    for (variable, agent) in [
        ("CODEX_HOME", "codex"),
        ("CLAUDE_CONFIG_DIR", "claude-code"),
        ("COPILOT_HOME", "github-copilot"),
        ("QWEN_HOME", "qwen-code"),
    ] {
        let machine = bare().variable(variable, "here");
        machine.skill("work/here/skills/moved", "Lies in a home that moved.");
        let list = machine.json("list --json");
        let moved = &list["skills"][0];
        assert_eq!((&moved["name"], &moved["scope"]), (&"moved".into(), &"project".into()), "{variable}");
        assert_eq!(moved["state"], "untrusted", "{variable}");
        assert!(moved["folder_read_by"].as_array().unwrap().contains(&agent.into()), "{variable}: {moved}");
        assert!(machine.see("trust").contains("  moved  "), "{variable}: {}", machine.see("trust"));
        let view = machine.json(&format!("view --agent {agent} --json"));
        assert_eq!(view["seen"][0]["name"], "moved", "{variable}");
    }
}
