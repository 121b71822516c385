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
    assert_snapshot!(machine.see("show review"), @"");
    assert_snapshot!(machine.see("show review --body"), @"");
    let json = machine.json("show review --json");
    assert_eq!(json["manifest"]["extra"][0][0], "mood");
    assert_eq!(json["for_person"]["status"], "unavailable");
    assert_eq!(json["files"][0], "scripts/run.sh");
}

#[test]
fn an_invalid_skill_shows_its_line_and_its_fix() {
    let machine = bare();
    machine.file("home/.agents/skills/twice/SKILL.md", "---\nname: twice\ndescription: One.\ndescription: Two.\n---\nBody\n");
    assert_snapshot!(machine.see("show twice"), @"");
}

#[test]
fn a_near_miss_is_suggested() {
    let machine = bare();
    machine.skill("home/.agents/skills/deploy", "Deploy.");
    assert_snapshot!(machine.see("show deplyo"), @"");
    assert_snapshot!(machine.see("show xyz"), @"");
    assert_snapshot!(machine.see("show xyz --json"), @"");
}

#[test]
fn a_shadowed_skill_is_reached_by_scope_host_and_path() {
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
