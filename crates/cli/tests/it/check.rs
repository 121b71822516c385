use crate::bare;
use insta::assert_snapshot;

#[test]
fn every_problem_has_a_code_a_place_and_a_fix() {
    let machine = bare();
    machine.file(
        "work/.claude/skills/deploy/SKILL.md",
        "---\nname: Deploy\ndescription: Use when: releasing\nallowed-tools: Bash(git:*\n---\n\nSee [the list](references/list.md).\n",
    );
    assert_snapshot!(machine.see("check"), @"");
}

#[test]
fn clean_skills_exit_with_0() {
    let machine = bare();
    machine.skill("work/skills/good", "Does good. Use when asked.");
    assert_snapshot!(machine.see("check"), @"");
    assert_snapshot!(machine.see("check --profile spec"), @"");
    assert_snapshot!(machine.see("check skills/good/SKILL.md"), @"");
}

#[test]
fn profiles_differ() {
    let machine = bare();
    machine.file("work/skills/x/SKILL.md", "---\nname: x\ndescription: Does x.\nversion: 1.0\n---\nBody\n");
    assert_eq!(machine.run("check").status.code(), Some(0));
    assert_eq!(machine.run("check -p spec").status.code(), Some(1));
    assert_snapshot!(machine.see("check -p spec"), @"");
    assert_snapshot!(machine.see("check -p nonsense"), @"");
}

#[test]
fn a_profile_of_a_host_says_why_the_host_would_refuse() {
    let machine = bare();
    machine.file("work/skills/x/SKILL.md", "\u{feff}---\nname: x\ndescription: Does x.\n---\nBody\n");
    assert_snapshot!(machine.see("check -p codex"), @"");
    assert_eq!(machine.run("check -p opencode").status.code(), Some(0));
}

#[test]
fn exit_codes_follow_fail_on() {
    let machine = bare();
    machine.file("work/skills/other/SKILL.md", "---\nname: x\ndescription: Does x.\n---\nBody\n");
    assert_eq!(machine.run("check").status.code(), Some(1));
    assert_eq!(machine.run("check --fail-on error").status.code(), Some(0));
    assert_eq!(machine.run("check no/such/place").status.code(), Some(2));
    assert_eq!(machine.run("check --no-such-flag").status.code(), Some(2));
}

#[test]
fn one_folder_without_a_skill_does_not_hide_the_others() {
    let machine = bare();
    machine.skill("work/skills/good", "Does good.");
    machine.file("work/empty/readme.txt", "");
    assert_snapshot!(machine.see("check skills/good empty"), @"");
}

#[test]
fn json_and_sarif_are_machine_readable() {
    let machine = bare();
    machine.file("work/skills/x/SKILL.md", "---\nname: y\ndescription: Does x.\n---\nBody\n");
    let json = machine.json("check --json");
    assert_eq!(json["summary"]["warnings"], 1);
    let finding = &json["skills"][0]["diagnostics"][0];
    assert_eq!(finding["code"], "name-differs-from-folder");
    assert_eq!((finding["line"].as_u64(), finding["column"].as_u64()), (Some(2), Some(7)));
    let sarif = machine.json("check --format sarif");
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "name-differs-from-folder");
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "skills/x/SKILL.md");
}
