use crate::bare;
use insta::assert_snapshot;

#[test]
fn the_question_names_every_skill_and_every_power() {
    let machine = bare();
    machine.file(
        "work/.claude/skills/ci/SKILL.md",
        "---\nname: ci\ndescription: Run CI.\nallowed-tools: Bash(make:*)\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: ./check.sh\nmcp:\n  command: npx server\n---\nBody\n",
    );
    machine.skill("work/.agents/skills/plain", "Plain text.");
    assert_snapshot!(machine.see("trust"), @"");
    assert_snapshot!(machine.see("trust --yes"), @"");
    assert_snapshot!(machine.see("trust --list"), @"");
    assert_snapshot!(machine.see("list"), @"");
}

#[test]
fn a_skill_that_asks_for_more_needs_a_new_answer() {
    let machine = bare();
    machine.skill("work/.agents/skills/plain", "Plain text.");
    machine.run("trust --yes");
    machine.skill("work/.agents/skills/more-text", "Also plain.");
    machine.file(
        "work/.agents/skills/plain/SKILL.md",
        "---\nname: plain\ndescription: Plain no more.\nallowed-tools: Bash\n---\nBody\n",
    );
    assert_snapshot!(machine.see("list"), @"");
}

#[test]
fn trust_can_be_taken_back() {
    let machine = bare();
    machine.skill("work/.agents/skills/plain", "Plain text.");
    machine.run("trust --yes");
    assert_snapshot!(machine.see("untrust"), @"");
    assert_snapshot!(machine.see("untrust"), @"");
    assert!(machine.see("list").contains("untrusted"));
}

#[test]
fn headless_is_denied_with_a_reason_unless_allowed() {
    let machine = bare();
    machine.skill("work/.agents/skills/plain", "Plain text.");
    let json = machine.json("list --json");
    assert_eq!(json["skills"][0]["for_model"]["reasons"][0], "its repository is not trusted");
    let json = machine.json("list --json --trust-project");
    assert_eq!(json["skills"][0]["for_model"]["status"], "available");
    assert!(!machine.exists("home/.config/skillful/trust.toml"), "a flag for one call writes nothing");
}
