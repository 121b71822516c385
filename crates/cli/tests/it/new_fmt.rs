use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_new_skill_passes_the_specification() {
    let machine = bare();
    assert_snapshot!(machine.see("new wochen-bericht"), @"");
    assert_snapshot!(machine.text("work/.agents/skills/wochen-bericht/SKILL.md"), @"");
    assert_snapshot!(machine.see("check --profile spec --fail-on note"), @"");
}

#[test]
fn a_bad_name_is_refused_with_a_better_one() {
    let machine = bare();
    assert_snapshot!(machine.see("new MySkill"), @"");
    assert_snapshot!(machine.see("new ../../etc"), @"");
    assert!(!machine.exists("work/.agents"));
}

#[test]
fn an_existing_skill_is_never_overwritten() {
    let machine = bare();
    machine.skill("work/.agents/skills/mine", "Mine.");
    assert_snapshot!(machine.see("new mine"), @"");
    assert!(machine.text("work/.agents/skills/mine/SKILL.md").contains("Mine."));
}

#[test]
fn fmt_writes_the_canonical_header_and_leaves_the_body() {
    let machine = bare();
    machine.file(
        "work/skills/x/SKILL.md",
        "---\n# who may\nallowed_tools: [Read, \"Bash(git:*)\"]\ncontext_fork: true\ndescription: a --- b\nname: x\ncustom: {deep: [1, 2]}\n---\nBody  \n\n- with   blanks\n",
    );
    assert_snapshot!(machine.see("fmt --check"), @"");
    assert_snapshot!(machine.see("fmt"), @"");
    assert_snapshot!(machine.text("work/skills/x/SKILL.md"), @"");
    assert_snapshot!(machine.see("fmt --check"), @"");
}

#[test]
fn fmt_leaves_what_it_cannot_read() {
    let machine = bare();
    let broken = "---\nname: x\nname: y\n---\nBody\n";
    machine.file("work/skills/x/SKILL.md", broken);
    assert_snapshot!(machine.see("fmt"), @"");
    assert_eq!(machine.text("work/skills/x/SKILL.md"), broken);
}
