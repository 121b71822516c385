use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_skill_in_full() {
    let machine = bare();
    machine.file(
        "home/.agents/skills/review/SKILL.md",
        "---\nname: review\ndescription: Review a change.\nallowed-tools: Read Bash(git diff:*)\nrequires:\n  env: [REVIEW_TOKEN]\nmood: calm\n---\n\n# Review\n\nLook at it.\n",
    );
    machine.file("home/.agents/skills/review/scripts/run.sh", "echo\n");
    assert_snapshot!(machine.see("show review"), @"
    exit: 0
    ----- stdout -----
    review   unavailable   user
    Review a change.

    File           ~/.agents/skills/review/SKILL.md, 2 files, 159 bytes
    Files          scripts/run.sh
    Source         not installed by Skillful
    State          unavailable: the variable `REVIEW_TOKEN` is not set
                   fix: export REVIEW_TOKEN=…
    Callable by    you and models, once available

    Agents
      no agent found on this machine

    Capabilities
      tools        Bash(git diff:*), Read    SKILL.md:4
      script       scripts/run.sh            when a model runs it
      variable     REVIEW_TOKEN              reads it  SKILL.md:6
      declares no  network, secrets, hooks, MCP servers
    Needs          variable REVIEW_TOKEN: NOT SET
    Findings       0 blocking, 0 warnings
    Body           3 lines, about 6 tokens
    Diagnostics    1 note

    note[unknown-key]: no agent profile has the key `mood`
     --> ~/.agents/skills/review/SKILL.md:7:1
      |
    7 | mood: calm
      | ^^^^
      |
      = fix: check the spelling, or move it into `metadata`; the key is kept
    ");
    assert_snapshot!(machine.see("show review --body"), @"
    exit: 0
    ----- stdout -----
    # Review

    Look at it.
    ");
    let json = machine.json("show review --json");
    assert_eq!(json["manifest"]["extra"][0][0], "mood");
    assert_eq!(json["state"], "unavailable");
    assert_eq!(json["files"][0], "scripts/run.sh");
}

#[test]
fn an_invalid_skill_shows_its_line_and_its_fix() {
    let machine = bare();
    machine.file(
        "home/.agents/skills/twice/SKILL.md",
        "---\nname: twice\ndescription: One.\ndescription: Two.\n---\nBody\n",
    );
    assert_snapshot!(machine.see("show twice"), @"
    exit: 0
    ----- stdout -----
    twice   invalid   user

    File           ~/.agents/skills/twice/SKILL.md, 1 file, 61 bytes
    Source         not installed by Skillful
    State          invalid: line 4: the key `description` appears a second time here
                   fix: skillful check ~/.agents/skills/twice/SKILL.md
    Callable by    no caller, until its file can be read

    Agents
      no agent found on this machine

    Capabilities
      tools        every tool                no allowed-tools in the frontmatter
      declares no  network, secrets, hooks, MCP servers
    Needs          nothing else
    Findings       0 blocking, 1 warning    skillful audit twice
    Body           1 line, about 2 tokens
    Diagnostics    1 error

    error[yaml-duplicate-key]: the key `description` appears a second time here
     --> ~/.agents/skills/twice/SKILL.md:4:1
      |
    4 | description: Two.
      | ^^^^^^^^^^^
      |
      = fix: keep one of the two; agents disagree about which one they use
    ");
}

#[test]
fn a_near_miss_is_suggested() {
    let machine = bare();
    machine.skill("home/.agents/skills/deploy", "Deploy.");
    assert_snapshot!(machine.see("show deplyo"), @"
    exit: 1
    ----- stderr -----
    error: no skill named `deplyo`
      cause: 1 skill in 1 folder was searched
      fix:   skillful show deploy
    ");
    assert_snapshot!(machine.see("show xyz"), @"
    exit: 1
    ----- stderr -----
    error: no skill named `xyz`
      cause: 1 skill in 1 folder was searched
      fix:   skillful list
    ");
    assert_snapshot!(machine.see("show xyz --json"), @r#"
    exit: 1
    ----- stderr -----
    {"schema":1,"error":{"message":"no skill named `xyz`","items":[],"cause":"1 skill in 1 folder was searched","fixes":["skillful list"]}}
    "#);
}

#[test]
fn a_shadowed_skill_is_reached_by_scope_agent_and_path() {
    let machine = bare();
    machine.skill("work/.claude/skills/deploy", "Of the project.");
    machine.skill("home/.agents/skills/deploy", "Of the person.");
    let description = |line: &str| machine.json(line)["description"].as_str().unwrap().to_owned();
    assert_eq!(description("show deploy --json --trust-project"), "Of the project.");
    assert_eq!(description("show user:deploy --json --trust-project"), "Of the person.");
    assert_eq!(description("show codex:deploy --json --trust-project"), "Of the person.");
    assert_eq!(description("show claude-code:deploy --json --trust-project"), "Of the project.");
    assert_eq!(description("show ../home/.agents/skills/deploy --json --trust-project"), "Of the person.");
}
