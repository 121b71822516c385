use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_new_skill_passes_the_specification() {
    let machine = bare();
    assert_snapshot!(machine.see("new wochen-bericht"), @"
    exit: 0
    ----- stdout -----
    created .agents/skills/wochen-bericht/SKILL.md
    next: edit it, then skillful check .agents/skills/wochen-bericht/SKILL.md
    the description is a placeholder: say in it what the skill does and when to use it
    ");
    assert_snapshot!(machine.text("work/.agents/skills/wochen-bericht/SKILL.md"), @"
    ---
    name: wochen-bericht
    description: Does one thing well for wochen bericht. Use when the user asks for it by name, or for the outcome it produces.
    ---

    # Wochen Bericht

    Say in one sentence what the reader will have when this is done.

    ## Steps

    1. Look at what is there before changing anything.
    2. Do the work, one verifiable step at a time.
    3. Check the result and say how it was checked.

    ## Limits

    - Name what this skill must not do, and what to do instead.

    Keep this file short. Put long tables and examples into `references/`, programs into `scripts/`.
    ");
    // Until the author says what it does, a check says so.
    let checked = machine.see("check --profile spec --fail-on note");
    assert!(checked.starts_with("exit: 1") && checked.contains("description-placeholder"), "{checked}");
    let described = "Counts stock. Use when the user asks what is there.";
    machine.command(["new", "fertig", "--description", described]).output().unwrap();
    assert_snapshot!(machine.see("check .agents/skills/fertig --profile spec --fail-on note"), @"
    exit: 0
    ----- stdout -----
    1 skill checked in .agents/skills, no problems.
    ");
}

#[test]
fn a_new_skill_for_an_agent_lies_where_that_agent_reads_it() {
    let machine = bare();
    machine.run("new one --agent claude-code");
    assert!(machine.exists("work/.claude/skills/one/SKILL.md"));
    assert!(machine.json("list --agent claude-code --json")["skills"].to_string().contains("\"one\""));
    machine.run("new two --agent codex");
    assert!(machine.exists("work/.agents/skills/two/SKILL.md"), "the shared folder, when the agent reads it");
    machine.run("new three --agent claude-code --user");
    assert!(machine.exists("home/.claude/skills/three/SKILL.md"));
}

#[test]
fn a_bad_name_is_refused_with_a_better_one() {
    let machine = bare();
    assert_snapshot!(machine.see("new MySkill"), @"
    exit: 2
    ----- stderr -----
    error: `MySkill` cannot be the name of a skill: use lower-case letters, digits and hyphens
      fix:   skillful new myskill
    ");
    assert_snapshot!(machine.see("new ../../etc"), @"
    exit: 2
    ----- stderr -----
    error: `../../etc` cannot be the name of a skill: use lower-case letters, digits and hyphens
      fix:   skillful new etc
    ");
    assert!(!machine.exists("work/.agents"));
}

#[test]
fn an_agent_may_ask_more_of_a_new_skill() {
    let machine = bare();
    let long = "a".repeat(51);
    assert_snapshot!(machine.see(&format!("new {long} --agent golemcore")), @"
    exit: 2
    ----- stderr -----
    error: golemcore-bot accepts a name of at most 50 characters; this one has 51
      fix:   choose a shorter name
    ");
    let words = "w".repeat(201);
    assert_snapshot!(machine.see(&format!("new fine --agent golemcore -d {words}")), @"
    exit: 2
    ----- stderr -----
    error: golemcore-bot accepts a description of at most 200 characters; this one has 201
      fix:   choose a shorter description
    ");
    for name in ["MySkill", "-- -bad", "my_skill"] {
        assert!(machine.see(&format!("new --agent golemcore {name}")).starts_with("exit: 2"), "{name}");
    }
    assert_snapshot!(machine.see("new x --agent nobody"), @"
    exit: 2
    ----- stderr -----
    error: no agent named `nobody`
      fix:   skillful agents lists all agents
    ");
    assert!(!machine.exists("work/.agents"));
    assert!(machine.see(&format!("new {} --agent golemcore", &long[1..])).starts_with("exit: 0"));
    assert!(machine.see(&format!("new {long}")).starts_with("exit: 0"));
}

#[test]
fn an_existing_skill_is_never_overwritten() {
    let machine = bare();
    machine.skill("work/.agents/skills/mine", "Mine.");
    assert_snapshot!(machine.see("new mine"), @"
    exit: 1
    ----- stderr -----
    error: `.agents/skills/mine` already exists
      fix:   choose another name, or another folder with --to
    ");
    assert!(machine.text("work/.agents/skills/mine/SKILL.md").contains("Mine."));
}

#[test]
fn fmt_writes_the_canonical_header_and_leaves_the_body() {
    let machine = bare();
    machine.file(
        "work/skills/x/SKILL.md",
        "---\n# who may\nallowed_tools: [Read, \"Bash(git:*)\"]\ncontext_fork: true\ndescription: a --- b\nname: x\ncustom: {deep: [1, 2]}\n---\nBody  \n\n- with   blanks\n",
    );
    assert_snapshot!(machine.see("fmt --check"), @"
    exit: 1
    ----- stdout -----
    would change skills/x/SKILL.md
    1 of 1 file would change
    ");
    assert_snapshot!(machine.see("fmt"), @"
    exit: 0
    ----- stdout -----
    changed skills/x/SKILL.md
    1 of 1 file changed
    ");
    assert_snapshot!(machine.text("work/skills/x/SKILL.md"), @r#"
    ---
    name: x
    description: "a --\x2D b"
    # who may
    allowed-tools: Read Bash(git:*)
    context: fork
    custom:
      deep:
        - 1
        - 2
    ---
    Body  

    - with   blanks
    "#);
    assert_snapshot!(machine.see("fmt --check"), @"
    exit: 0
    ----- stdout -----
    0 of 1 file would change
    ");
}

#[test]
fn fmt_leaves_what_it_cannot_read() {
    let machine = bare();
    let broken = "---\nname: x\nname: y\n---\nBody\n";
    machine.file("work/skills/x/SKILL.md", broken);
    assert_snapshot!(machine.see("fmt"), @"
    exit: 1
    ----- stdout -----
    0 of 1 file changed
    ----- stderr -----
    skipped skills/x/SKILL.md: its frontmatter cannot be read; `skillful check` reports why
    ");
    assert_eq!(machine.text("work/skills/x/SKILL.md"), broken);
}
