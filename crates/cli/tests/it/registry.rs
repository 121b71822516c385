use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_skill_is_added_locked_verified_and_removed() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.file("work/lib/pdf/scripts/run.sh", "echo\n");
    assert_snapshot!(machine.see("add ./lib --agent claude-code --agent codex --yes"), @"");
    assert!(machine.exists("work/.claude/skills/pdf/SKILL.md"));
    assert_snapshot!(machine.text("work/skillful.lock"), @"");
    assert_snapshot!(machine.see("add ./lib --agent codex"), @"");
    assert_snapshot!(machine.see("verify"), @"");
    machine.file("work/.claude/skills/pdf/SKILL.md", "mine now");
    assert_snapshot!(machine.see("verify"), @"");
    assert_snapshot!(machine.see("remove pdf --yes"), @"");
    assert_eq!(machine.text("work/.claude/skills/pdf/SKILL.md"), "mine now");
    std::fs::remove_dir_all(machine.path("work/.claude/skills/pdf")).unwrap();
    assert_snapshot!(machine.see("rm pdf --yes"), @"");
    assert!(!machine.exists("work/.codex/skills/pdf"));
}

#[test]
fn nothing_is_installed_before_somebody_agrees() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    assert_snapshot!(machine.see("add ./lib"), @"");
    assert_snapshot!(machine.see("add ./lib --dry-run --link"), @"");
    let plan = machine.json("add ./lib --json");
    assert_eq!((&plan["done"], &plan["steps"][0]["action"]), (&false.into(), &"create".into()));
    assert!(!machine.exists("work/skillful.lock") && !machine.exists("work/.agents"));
}

#[test]
fn a_source_that_cannot_be_meant_is_refused_with_the_part() {
    let machine = bare();
    assert_snapshot!(machine.see("add owner/repo@v1.2 --yes"), @"");
    assert_snapshot!(machine.see("add https://u:hunter2@example.org/x.git --yes"), @"");
    assert_snapshot!(machine.see("add ./nothing --yes"), @"");
    assert_snapshot!(machine.see("add ./nothing --agent nobody --yes"), @"");
    assert_snapshot!(machine.see("remove nothing --yes"), @"");
}

#[test]
fn sync_reproduces_what_the_lock_names_or_says_what_it_cannot() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.skill("work/lib/doc", "Read documents.");
    machine.run("add ./lib --yes");
    std::fs::remove_dir_all(machine.path("work/.agents")).unwrap();
    assert_snapshot!(machine.see("sync --frozen --yes"), @"");
    // Another machine: neither the files nor the store, and one source has changed.
    std::fs::remove_dir_all(machine.path("work/.agents")).unwrap();
    std::fs::rename(machine.path("home/.local/share/skillful"), machine.path("work/gone")).unwrap();
    machine.file("work/lib/pdf/SKILL.md", "---\nname: pdf\ndescription: Other.\n---\nOther.\n");
    assert_snapshot!(machine.see("sync --frozen --yes"), @"");
    assert!(!machine.exists("work/.agents"));
    assert_snapshot!(machine.see("sync --yes"), @"");
    assert!(machine.exists("work/.agents/skills/doc/SKILL.md"));
}

#[test]
fn a_skill_that_is_held_back_is_used_only_after_its_release() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.run("add ./lib --yes");
    std::fs::remove_dir_all(machine.path("work/.agents")).unwrap();
    let lock = machine.text("work/skillful.lock").replace("\ncopied", "\nquarantined = true\ncopied");
    machine.file("work/skillful.lock", lock);
    assert_snapshot!(machine.see("sync --frozen --yes"), @"");
    assert_snapshot!(machine.see("verify"), @"");
    assert!(!machine.exists("work/.agents"));
    assert_snapshot!(machine.see("release pdf --yes"), @"");
    assert!(machine.exists("work/.agents/skills/pdf/SKILL.md"));
}

#[test]
fn a_person_installs_for_every_project() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    assert_snapshot!(machine.see("add ./lib/pdf --global --link --yes"), @"");
    assert_snapshot!(machine.see("list"), @"");
    assert_snapshot!(machine.see("verify --global"), @"");
}
