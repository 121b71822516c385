use crate::bare;
use insta::assert_snapshot;

#[test]
fn a_skill_is_added_locked_verified_and_removed() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.file("work/lib/pdf/scripts/run.sh", "echo\n");
    assert_snapshot!(machine.see("add ./lib --agent claude-code --agent codex --yes"), @"
    exit: 0
    ----- stdout -----
    Plan
      pdf  .claude/skills, .codex/skills
           can: every tool; script scripts/run.sh
    installed 1 skill, updated skillful.lock
    Undo: skillful remove pdf
    ");
    assert!(machine.exists("work/.claude/skills/pdf/SKILL.md"));
    assert_snapshot!(machine.text("work/skillful.lock"), @r#"
    # Written by `skillful`; meant to be kept with the project. One table per skill.
    version = 1

    [skill.pdf]
    source = "./lib"
    folder = "pdf"
    tree = "sha256:93ee0f344dee953fac4de48362438d4d712595256da3b8fc354f6cc721e81eb8"
    capabilities = [
        "brings file scripts/run.sh, sha256:86b0c5a1e2b73b08fd54c727f4458649ed9fe3ad1b6e8ac9460c070113509a1e",
        "uses every tool",
    ]
    copied = [
        ".claude/skills/pdf",
        ".codex/skills/pdf",
    ]
    "#);
    assert_snapshot!(machine.see("add ./lib --agent codex"), @"
    exit: 0
    ----- stdout -----
    keep pdf in .claude/skills, .codex/skills
    nothing to do
    ");
    assert_snapshot!(machine.see("verify"), @"
    exit: 0
    ----- stdout -----
    1 skill: as locked
    ");
    machine.file("work/.claude/skills/pdf/SKILL.md", "mine now");
    assert_snapshot!(machine.see("verify"), @"
    exit: 1
    ----- stdout -----
    .claude/skills/pdf: `SKILL.md` was changed
    1 skill: not all as locked
    changed files: skillful diff, then skillful review; missing files: skillful sync
    ");
    assert_snapshot!(machine.see("remove pdf --yes"), @"
    exit: 1
    ----- stdout -----
    leave .claude/skills/pdf as it is: it was changed since it was installed; `skillful review` approves or rejects the changes
    remove pdf from .codex/skills/pdf
    ----- stderr -----
    error: nothing was changed: 1 step of the plan cannot be done
      fix:   discard your edits with skillful review reject pdf, then skillful remove pdf
    ");
    assert_eq!(machine.text("work/.claude/skills/pdf/SKILL.md"), "mine now");
    std::fs::remove_dir_all(machine.path("work/.claude/skills/pdf")).unwrap();
    assert_snapshot!(machine.see("rm pdf --yes"), @"
    exit: 0
    ----- stdout -----
    forget pdf, which is no longer in .claude/skills/pdf
    remove pdf from .codex/skills/pdf
    removed 1 skill, updated skillful.lock
    ");
    assert!(!machine.exists("work/.codex/skills/pdf"));
}

#[test]
fn nothing_is_installed_before_the_user_agrees() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    assert_snapshot!(machine.see("add ./lib"), @"
    exit: 1
    ----- stdout -----
    Plan
      pdf  .agents/skills
           can: every tool
    ----- stderr -----
    error: confirmation required, but there is no terminal
      cause: the plan is about 1 skill
      fix:   read the plan with --dry-run, then pass --yes
    ");
    assert_snapshot!(machine.see("add ./lib --dry-run --link"), @"
    exit: 0
    ----- stdout -----
    Plan
      pdf  .agents/skills   as a link
           can: every tool
    ----- stderr -----
    warning: links lead into your home folder and do not work on another machine; leave --link out to share this project
    ");
    let plan = machine.json("add ./lib --json");
    assert_eq!((&plan["applied"], &plan["steps"][0]["action"]), (&false.into(), &"create".into()));
    assert!(!machine.exists("work/skillful.lock") && !machine.exists("work/.agents"));
}

#[test]
fn a_source_that_cannot_be_meant_is_refused_with_the_part() {
    let machine = bare();
    assert_snapshot!(machine.see("add owner/repo@v1.2 --yes"), @"
    exit: 2
    ----- stderr -----
    error: the skill `v1.2` cannot be a skill's name; a branch, tag or commit follows `#`, as in `owner/repo#v1.2`
      fix:   see skillful add --help
    ");
    assert_snapshot!(machine.see("add https://u:hunter2@example.org/x.git --yes"), @"
    exit: 2
    ----- stderr -----
    error: the address holds a user name or a password; leave it out, since a source is stored and shown
      fix:   see skillful add --help
    ");
    assert_snapshot!(machine.see("add ./nothing --yes"), @"
    exit: 1
    ----- stderr -----
    error: `./nothing` cannot be read: No such file or directory (os error 2)
    ");
    assert_snapshot!(machine.see("add ./nothing --agent nobody --yes"), @"
    exit: 2
    ----- stderr -----
    error: no agent named `nobody`
      fix:   skillful agents lists them
    ");
    assert_snapshot!(machine.see("remove nothing --yes"), @"
    exit: 1
    ----- stderr -----
    error: `nothing` was not installed by skillful
      fix:   skillful update --check lists the installed skills
    ");
}

#[test]
fn a_user_installs_for_every_project() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    assert_snapshot!(machine.see("add ./lib/pdf --global --link --yes"), @"
    exit: 0
    ----- stdout -----
    Plan
      pdf  ~/.agents/skills   as a link
           can: every tool
    installed 1 skill, updated skillful.lock
    Undo: skillful remove pdf --global
    ");
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME  STATE      LOADED BY  DESCRIPTION
    pdf   available  -          Read PDF files.

    1 skill: 1 available
    ");
    assert_snapshot!(machine.see("verify --global"), @"
    exit: 0
    ----- stdout -----
    1 skill: as locked
    ");
}

#[test]
fn many_that_add_to_one_project_at_once_all_succeed() {
    let machine = bare();
    let names: Vec<String> = (0..8).map(|at| format!("skill-{at}")).collect();
    for name in &names {
        machine.skill(&format!("work/lib/{name}"), "Do it.");
    }
    std::thread::scope(|scope| {
        for name in &names {
            let machine = &machine;
            scope.spawn(move || {
                let done = machine.command(["add", &*format!("./lib/{name}"), "--yes"]).output().unwrap();
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            });
        }
    });
    let lock = machine.text("work/skillful.lock");
    assert!(names.iter().all(|name| lock.contains(&format!("[skill.{name}]"))), "{lock}");
    assert!(machine.run("verify").status.success());
}

#[test]
fn a_json_plan_that_was_not_applied_says_so_and_exits_with_1() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    let seen = machine.run("add ./lib --json");
    assert_eq!(seen.status.code(), Some(1), "{}", machine.tell(&seen));
    assert_eq!(machine.json("add ./lib --json")["applied"], false);
    assert_eq!(machine.json("add ./lib --yes --json")["applied"], true);
    for done in ["add ./lib --json", "sync --frozen --json", "sync --json"] {
        let seen = machine.run(done);
        assert_eq!(seen.status.code(), Some(0), "{done}: {}", machine.tell(&seen));
    }
    let seen = machine.run("remove pdf --json");
    assert_eq!(seen.status.code(), Some(1));
    assert!(machine.exists("work/.agents/skills/pdf"));
}

#[test]
fn a_source_beside_the_project_is_relative_and_one_elsewhere_is_told() {
    let machine = bare();
    machine.skill("other/skills/pdf", "Read PDF files.");
    assert!(machine.see("add ../other/skills --yes").starts_with("exit: 0"));
    assert!(machine.text("work/skillful.lock").contains("source = \"../other/skills\""));
    machine.skill("work/sub/far/doc", "Read documents.");
    machine.file("work/sub/deep/er/.git/HEAD", "");
    let seen = machine.see("-C sub/deep/er add ../../far --yes");
    assert!(seen.contains("is only on this machine"), "{seen}");
    let seen = machine.see("add ../other/skills --link --agent claude-code --yes");
    assert!(seen.contains("do not work on another machine"), "{seen}");
}
