use crate::{bare, machine};
use insta::assert_snapshot;

#[test]
fn every_value_says_where_it_comes_from() {
    let machine = machine();
    machine.file(
        "home/.config/skillful/config.toml",
        "ignore = [\"*-draft\"]\n\n[scan]\ndepth = 3\n\n[sources]\ncodex = false\n",
    );
    machine.file("work/.skillful/config.toml", "ignore = [\"secret-*\"]\n");
    assert_snapshot!(machine.see("config"), @r#"
    exit: 0
    ----- stdout -----
    KEY                       VALUE         FROM
    admin                     false         default
    approve_locked            false         default
    assistant.mode            auto-safe     default
    assistant.network         false         default
    assistant.private_web     false         default
    assistant.steps           60            default
    assistant.strict_targets  false         default
    cache                     true          default
    capabilities              []            default
    custom                    []            default
    features                  []            default
    ignore                    ["*-draft"]   ~/.config/skillful/config.toml
    ignore (repository)       ["secret-*"]  .skillful/config.toml
    include                   []            default
    integrations              []            default
    managed                   []            default
    names                     {}            default
    overrides                 []            default
    plugins                   []            default
    required                  []            default
    router.decide             false         default
    run.ask_tools             []            default
    run.commands              true          default
    run.forbidden_tools       []            default
    run.manifests             strict        default
    run.network               []            default
    run.readable              []            default
    run.writable              []            default
    scan.depth                3             ~/.config/skillful/config.toml
    scan.folders              250000        default
    sources.codex             false         ~/.config/skillful/config.toml
    system                    true          default
    team.usage                false         default
    transcribe                []            default
    ui.mouse                  true          default

    configuration  ~/.config/skillful/config.toml
    own agents     ~/.config/skillful/agents
    trust          ~/.config/skillful/trust.toml
    data           ~/.local/share/skillful
    cache          ~/.cache/skillful
    "#);
}

#[test]
fn a_repository_can_disable_and_never_enable() {
    let machine = bare();
    machine.skill("work/.agents/skills/one", "One.");
    machine.skill("home/.agents/skills/two", "Two.");
    machine.skill("home/.agents/skills/mine", "Mine.");
    machine.run("disable two");
    machine.file(
        "work/.skillful/config.toml",
        "custom = [\"/tmp\"]\n[[skill]]\nname = \"one\"\nenabled = false\n[[skill]]\nname = \"mine\"\nenabled = false\n\
         [[skill]]\nname = \"two\"\nenabled = true\n",
    );
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME  STATE      LOADED BY  DESCRIPTION
    mine  available  -          Mine.
    one   disabled   -          One.
    two   disabled   -          Two.

    3 skills: 1 available, 2 disabled

    Why not available
      disabled     one: disabled by the repository   skillful enable --project one
                   two: disabled by you   skillful enable two
    ----- stderr -----
    warning[config-invalid]: .skillful/config.toml: a repository can only set `ignore` and disable skills; the rest has no effect
    warning[config-invalid]: .skillful/config.toml: a repository can disable skills and never enable them
    ");
}

#[test]
fn disable_and_enable_keep_the_file_as_it_was_written() {
    let machine = bare();
    machine.file("home/.config/skillful/config.toml", "# mine\nsystem = false # no thanks\n");
    machine.skill("home/.agents/skills/one", "One.");
    assert_snapshot!(machine.see("disable one"), @"
    exit: 0
    ----- stdout -----
    disabled one in ~/.config/skillful/config.toml
    ");
    assert_snapshot!(machine.text("home/.config/skillful/config.toml"), @r#"
    # mine
    system = false # no thanks

    [[skill]]
    name = "one"
    enabled = false
    "#);
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME  STATE     LOADED BY  DESCRIPTION
    one   disabled  -          One.

    1 skill: 1 disabled

    Why not available
      disabled     one: disabled by you   skillful enable one
    ");
    assert_snapshot!(machine.see("enable one"), @"
    exit: 0
    ----- stdout -----
    enabled one in ~/.config/skillful/config.toml
    ");
    assert_eq!(machine.text("home/.config/skillful/config.toml"), "# mine\nsystem = false # no thanks\n");
    assert_snapshot!(machine.see("enable --project one"), @"
    exit: 2
    ----- stderr -----
    error: `one` is not a skill of this repository, whose rules reach only its own
      fix:   skillful enable one
    ");
}

#[test]
fn a_name_of_several_skills_is_disabled_and_enabled_by_a_word_that_means_one() {
    let machine = bare();
    machine.skill("work/.agents/skills/deploy", "Project deploy.");
    machine.skill("home/.agents/skills/deploy", "User deploy.");
    assert_snapshot!(machine.see("disable deploy --trust-project"), @"
    exit: 1
    ----- stderr -----
    error: `deploy` is the name of 2 skills
      fix:   skillful disable project:deploy
             skillful disable user:deploy
             skillful disable --all deploy   every skill of that name
    ");
    assert_snapshot!(machine.see("disable user:deploy --trust-project"), @"
    exit: 0
    ----- stdout -----
    disabled deploy at ~/.agents/skills/deploy/SKILL.md in ~/.config/skillful/config.toml
    ");
    let states = |machine: &skillful_testkit::TestContext| {
        let found = machine.json("list --json --trust-project");
        let state = |skill: &serde_json::Value| format!("{} {}", skill["scope"], skill["state"]);
        found["skills"].as_array().unwrap().iter().map(state).collect::<Vec<_>>()
    };
    assert_eq!(states(&machine), ["\"project\" \"available\"", "\"user\" \"disabled\""]);
    // The next of the name takes the place of a disabled one.
    machine.run("enable user:deploy --trust-project");
    machine.run("disable project:deploy --trust-project");
    assert_eq!(states(&machine), ["\"user\" \"available\"", "\"project\" \"disabled\""]);
    machine.run("enable project:deploy --trust-project");
    machine.run("disable user:deploy --trust-project");
    assert_snapshot!(machine.see("enable user:deploy --trust-project"), @"
    exit: 0
    ----- stdout -----
    enabled deploy at ~/.agents/skills/deploy/SKILL.md in ~/.config/skillful/config.toml
    ");
    assert!(!states(&machine).iter().any(|one| one.contains("disabled")), "{:?}", states(&machine));
    // Every skill of the name, so that no other takes its place.
    assert!(machine.see("disable --all deploy --trust-project").starts_with("exit: 0"));
    assert!(states(&machine).iter().all(|one| one.contains("disabled")), "{:?}", states(&machine));
    assert!(machine.see("enable --all deploy --trust-project").starts_with("exit: 0"));
    assert!(!states(&machine).iter().any(|one| one.contains("disabled")), "{:?}", states(&machine));
}

#[test]
fn enabling_says_what_still_disables_a_skill() {
    let machine = bare();
    machine.skill("work/.agents/skills/one", "First.");
    machine.skill("home/.agents/skills/mine", "Mine.");
    machine.file("work/.git/HEAD", "");
    assert!(machine.see("disable --project one").starts_with("exit: 0"));
    assert_snapshot!(machine.see("disable --project mine"), @"
    exit: 2
    ----- stderr -----
    error: `mine` is not a skill of this repository, whose rules reach only its own
      fix:   skillful disable mine
    ");
    assert_snapshot!(machine.see("enable one"), @"
    exit: 1
    ----- stderr -----
    warning: one stays disabled: a rule of this repository
      fix:   skillful enable --project one
    ");
    assert_snapshot!(machine.see("enable --project one"), @"
    exit: 1
    ----- stdout -----
    enabled one in .skillful/config.toml
    ----- stderr -----
    warning: one cannot be used: untrusted: you have not trusted this repository
      fix:   skillful trust
    ");
    assert_eq!(machine.text("work/.skillful/config.toml"), "");
    assert_eq!(machine.json("show one --json --trust-project")["state"], "available");
    assert_snapshot!(machine.see("enable --project one"), @"
    exit: 2
    ----- stderr -----
    error: this repository has no rule that disables `one`
      cause: `.skillful/config.toml` can disable skills and never enable them
      fix:   skillful enable one
    ");
    // A rule about the name stays in the way of a word that means one place.
    machine.run("disable --project one");
    assert_snapshot!(machine.see("enable --project project:one"), @"
    exit: 2
    ----- stderr -----
    error: a rule of this repository disables every skill named `one`
      cause: `.skillful/config.toml` can disable skills and never enable them
      fix:   skillful enable --project one
    ");
    assert_eq!(machine.json("show one --json --trust-project")["state"], "disabled");
}

#[test]
fn a_broken_configuration_is_told_and_stops_nothing() {
    let machine = machine();
    machine.file("home/.config/skillful/config.toml", "system = maybe\n");
    machine.skill("home/.agents/skills/one", "One.");
    assert_snapshot!(machine.see("list --names"), @"
    exit: 0
    ----- stdout -----
    code-review
    commit-message
    csv-summary
    incident-writeup
    meeting-notes
    one
    release-notes
    research-brief
    skill-creator
    skill-installer
    weekly-report
    ----- stderr -----
    warning[config-invalid]: ~/.config/skillful/config.toml:1:10: `system` cannot be read: string values must be quoted, expected literal string; it has no effect
    ");
}

#[test]
fn skillful_home_moves_everything() {
    let machine = bare();
    let home = machine.path("elsewhere").display().to_string();
    let machine = machine.variable("SKILLFUL_HOME", &home);
    machine.file("elsewhere/skills/own/SKILL.md", "---\nname: own\ndescription: Own.\n---\nBody\n");
    assert_snapshot!(machine.see("list --names"), @"
    exit: 0
    ----- stdout -----
    code-review
    commit-message
    csv-summary
    incident-writeup
    meeting-notes
    own
    release-notes
    research-brief
    skill-creator
    skill-installer
    weekly-report
    ");
    assert!(machine.exists("elsewhere/cache") && machine.exists("elsewhere/data"));
    assert!(!machine.exists("home/.cache"));
}

#[test]
fn an_agent_is_added_by_a_file() {
    let machine = bare();
    machine.file(
        "home/.config/skillful/agents/mine.toml",
        "id = \"mine\"\ntitle = \"Mine\"\nevidence = \"folders\"\n[[root]]\nscope = \"user\"\npath = \"~/.mine/skills\"\n",
    );
    machine.file("home/.config/skillful/agents/bad.toml", "id = \"bad\"\nwhat = 1\n");
    machine.skill("home/.mine/skills/one", "One.");
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME  STATE      LOADED BY  DESCRIPTION
    one   available  mine       One.

    1 skill: 1 available
    ----- stderr -----
    error[agent-file-invalid]: ~/.config/skillful/agents/bad.toml:2:1: unknown field `what`, expected one of `id`, `title`, `aliases`, `evidence`, `product`, `guarded`, `root`, `scan`, `limits`, `frontmatter`, `name`, `description`, `collision`, `trust`, `trust_source`, `project`, `config`, `plugins`, `commands`, `sidecar`, `list`, `tools`, `tool_list`, `arguments`, `menu`, `create`, `fields`, `built_in`, `mcp`, `skill_switch`, `mention`, `program`
    ");
}

#[test]
fn a_skill_in_a_place_that_is_skipped_is_enabled_by_its_folder() {
    let machine = bare();
    machine.file(
        "home/.agents/skills/.hidden/SKILL.md",
        "---\nname: hidden\ndescription: In a hidden folder.\n---\nBody\n",
    );
    let state = || machine.json("list --json")["skills"].clone();
    let of_hidden =
        || state().as_array().unwrap().iter().find(|s| s["name"] == "hidden").map(|s| s["state"].clone());
    assert_ne!(of_hidden(), Some("available".into()));
    assert!(machine.see("enable ../home/.agents/skills/.hidden").starts_with("exit: 0"));
    assert_eq!(of_hidden(), Some("available".into()), "{}", machine.see("list"));
    assert!(machine.see("use hidden").starts_with("exit: 0"));
    assert!(machine.see("disable ../home/.agents/skills/.hidden").starts_with("exit: 0"));
    assert_ne!(of_hidden(), Some("available".into()));
}
