//! Newer versions as a person sees them.

use crate::bare;
use insta::assert_snapshot;
use skillful_testkit::{Terminal, TestContext, require_tool};
use std::{collections::BTreeMap, fs, path::Path, process::Command};

pub(crate) const HEAD: &str = "---\nname: pdf\ndescription: Read PDF files.\n---\n";
pub(crate) const FILE: &str = "work/.agents/skills/pdf/SKILL.md";

/// A commit of everything in a folder; the same files give the same commit.
pub(crate) fn commit(machine: &TestContext) {
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
            .args(["-c", "init.defaultBranch=main"])
            .args(args)
            .current_dir(machine.path("upstream"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "--quiet", "."]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "x"]);
}

/// A project with one skill of a repository, as somebody has it who never changed it.
fn installed(text: &str) -> TestContext {
    let machine = bare();
    machine.file("upstream/pdf/SKILL.md", format!("{HEAD}{text}"));
    commit(&machine);
    let added = machine.see(&format!("add file://{} --yes", machine.path("upstream").display()));
    assert!(added.starts_with("exit: 0"), "{added}");
    machine
}

fn publish(machine: &TestContext, text: &str) {
    machine.file("upstream/pdf/SKILL.md", format!("{HEAD}{text}"));
    commit(machine);
}

fn edit(machine: &TestContext, text: &str) {
    machine.file(FILE, format!("{HEAD}{text}"));
}

fn body(machine: &TestContext) -> String {
    machine.text(FILE).replace(HEAD, "")
}

pub(crate) const OLD: &str = "one\ntwo\nthree\nfour\n";
const NEW: &str = "one\ntwo\nthree\nFOUR\n";

#[test]
fn an_update_shows_what_changed_and_keeps_what_you_changed() {
    require_tool!("git");
    let machine = installed(OLD);
    edit(&machine, "mine\ntwo\nthree\nfour\n");
    machine.file("work/.agents/skills/pdf/vars.json", "{}");
    publish(&machine, NEW);
    assert_snapshot!(machine.see("update --dry-run"), @"
    exit: 0
    ----- stdout -----
    pdf  bd36626ffcc5 -> f4bbdf0b58f7   1 file changed, your edit in SKILL.md kept
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +FOUR
    merge pdf with your edits in .agents/skills/pdf
    ");
    assert_eq!(body(&machine), "mine\ntwo\nthree\nfour\n");
    assert_snapshot!(machine.see("update"), @"
    exit: 1
    ----- stdout -----
    pdf  bd36626ffcc5 -> f4bbdf0b58f7   1 file changed, your edit in SKILL.md kept
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +FOUR
    ----- stderr -----
    error: confirmation required, but there is no terminal
      fix:   read the plan with --dry-run, then pass --yes
    ");
    assert_snapshot!(machine.see("update --yes"), @"
    exit: 0
    ----- stdout -----
    pdf  bd36626ffcc5 -> f4bbdf0b58f7   1 file changed, your edit in SKILL.md kept
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +FOUR
    Updated 1 skill. Updated skillful.lock.
    Your edits in .agents/skills/pdf are not approved: skillful review approve pdf
    ");
    assert_eq!(body(&machine), "mine\ntwo\nthree\nFOUR\n");
    assert_eq!(machine.text("work/.agents/skills/pdf/vars.json"), "{}");
    assert_snapshot!(machine.see("verify"), @"
    exit: 1
    ----- stdout -----
    .agents/skills/pdf: `SKILL.md` was changed
    1 skill: not all as locked
    changed files: skillful diff, then skillful review; missing files: skillful sync
    ");
    assert_snapshot!(machine.see("update --yes"), @"
    exit: 0
    ----- stdout -----
    1 skill is current
    nothing to update
    ");
    assert_snapshot!(machine.see("diff"), @"
    exit: 1
    ----- stdout -----
    .agents/skills/pdf:
    SKILL.md
      @@ -2,7 +2,7 @@
       name: pdf
       description: Read PDF files.
       ---
      -one
      +mine
       two
       three
       FOUR
    ");
}

/// Elsewhere looking for updates installs them.
#[test]
fn outdated_changes_nothing_on_the_disk() {
    require_tool!("git");
    let machine = installed(OLD);
    let before = everything(&machine.path(""));
    assert_snapshot!(machine.see("update --check"), @"
    exit: 0
    ----- stdout -----
    NAME  LOCKED        NEWEST        STATE
    pdf   bd36626ffcc5  bd36626ffcc5  current
    ");
    publish(&machine, NEW);
    edit(&machine, "mine\n");
    let before_outdated = everything(&machine.path(""));
    assert_snapshot!(machine.see("update --check"), @"
    exit: 1
    ----- stdout -----
    NAME  LOCKED        NEWEST        STATE
    pdf   bd36626ffcc5  f4bbdf0b58f7  update, edited
    ");
    let found = machine.json("update --check --json");
    assert_eq!(
        (&found["skills"][0]["state"], &found["skills"][0]["edited"]),
        (&"update".into(), &true.into())
    );
    assert_eq!(everything(&machine.path("")), before_outdated);
    assert_ne!(before, before_outdated);
    fs::rename(machine.path("upstream"), machine.path("elsewhere")).unwrap();
    assert!(machine.see("update --check").starts_with("exit: 3"));
    // Where nothing was ever installed nothing is made either.
    let other = bare();
    other.file("work/skillful.lock", machine.text("work/skillful.lock"));
    let before = everything(&other.path(""));
    let _unreachable = other.see("update --check");
    assert_eq!(everything(&other.path("")), before);
}

/// Every file with its bytes and its time, without caches, which may be deleted at any time.
fn everything(folder: &Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.file_name() != ".cache") {
        let (path, meta) = (entry.path(), entry.path().symlink_metadata().unwrap());
        let bytes = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        if meta.is_dir() {
            found.extend(everything(&path));
        }
        found.insert(path.display().to_string(), (bytes, meta.modified().unwrap()));
    }
    found
}

#[test]
fn a_conflict_is_never_answered_by_a_general_yes() {
    require_tool!("git");
    let machine = installed(OLD);
    edit(&machine, "one\ntwo\nthree\nmine\n");
    publish(&machine, NEW);
    assert_snapshot!(machine.see("update --yes"), @"
    exit: 1
    ----- stdout -----
    pdf  bd36626ffcc5 -> f4bbdf0b58f7   CONFLICT: you and the source changed SKILL.md
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +FOUR
    nothing was changed
    ----- stderr -----
    warning: pdf is not updated: .agents/skills/pdf: `SKILL.md`: you and the new version changed the same lines
      fix:   skillful diff pdf --upstream, then skillful update pdf --keep mine|theirs --yes
    ");
    assert_eq!(body(&machine), "one\ntwo\nthree\nmine\n");
    let lock = machine.text("work/skillful.lock");
    let plan = machine.json("update --yes --json");
    assert_eq!((&plan["applied"], &plan["skills"][0]["conflict"]), (&false.into(), &true.into()));
    assert_eq!(machine.text("work/skillful.lock"), lock);
    assert_snapshot!(machine.see("update --yes --keep theirs"), @"
    exit: 0
    ----- stdout -----
    pdf  bd36626ffcc5 -> f4bbdf0b58f7   1 file changed
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +FOUR
    Updated 1 skill. Updated skillful.lock.
    Your version is saved in ~/.local/share/skillful/backups/pdf-8567db331befe579
    ");
    assert_eq!(body(&machine), NEW);
    let saved =
        fs::read_dir(machine.path("home/.local/share/skillful/backups")).unwrap().next().unwrap().unwrap();
    assert!(fs::read_to_string(saved.path().join("SKILL.md")).unwrap().ends_with("mine\n"));
    edit(&machine, "one\ntwo\nthree\nmine\n");
    publish(&machine, "one\ntwo\nthree\nfive\n");
    assert_snapshot!(machine.see("update --yes --keep mine"), @"
    exit: 0
    ----- stdout -----
    pdf  f4bbdf0b58f7 -> 461084c2e1ca   1 file changed
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -FOUR
      +five
    Updated 1 skill. Updated skillful.lock.
    ");
    assert_eq!(body(&machine), "one\ntwo\nthree\nmine\n");
    assert_snapshot!(machine.see("verify"), @"
    exit: 1
    ----- stdout -----
    .agents/skills/pdf: `SKILL.md` was changed
    1 skill: not all as locked
    changed files: skillful diff, then skillful review; missing files: skillful sync
    ");
}

#[test]
fn the_user_is_asked_about_everything_that_yes_does_not_cover() {
    require_tool!("git");
    let machine = installed(OLD);
    edit(&machine, "one\ntwo\nthree\nmine\n");
    machine.file(
        "upstream/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Read PDF files.\nmcp: {command: serve}\n---\none\ntwo\nthree\ntheirs\n",
    );
    commit(&machine);
    let answer = |keys: &[(&str, &str)]| {
        let mut terminal = Terminal::start(machine.command(["update", "--color", "never"]));
        for (question, key) in keys {
            terminal.wait_for(question);
            terminal.press(key);
        }
        terminal.end()
    };
    let (code, shown) = answer(&[("approve", "n\r")]);
    assert_eq!(code, Some(1), "{shown}");
    assert!(
        shown.contains("new: starts MCP server serve") && shown.contains("pdf is not updated"),
        "{shown}"
    );
    let (code, shown) = answer(&[("approve", "y\r"), ("[m/t/S]", "s\r")]);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("-mine\n  +theirs"), "{shown}");
    assert_eq!(body(&machine), "one\ntwo\nthree\nmine\n");
    let (code, shown) = answer(&[("approve", "y\r"), ("[m/t/S]", "m\r"), ("Update pdf now?", "y\r")]);
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(body(&machine), "one\ntwo\nthree\nmine\n", "the file that both changed is mine");
    assert!(
        machine.text("work/skillful.lock").contains("starts MCP server serve"),
        "and is measured by theirs"
    );
}

#[test]
fn a_skill_that_may_do_more_is_named_or_stays() {
    require_tool!("git");
    let machine = installed(OLD);
    machine.file(
        "upstream/pdf/SKILL.md",
        format!("{}\n{OLD}", HEAD.replace("\n---\n", "\nmcp: {command: serve}\n---")),
    );
    commit(&machine);
    assert_snapshot!(machine.see("update --yes"), @"
    exit: 1
    ----- stdout -----
    pdf  bd36626ffcc5 -> 3faa22ebb0a8   NEEDS REVIEW: can do more than you approved
         + starts MCP server serve
    SKILL.md
      @@ -1,6 +1,7 @@
       ---
       name: pdf
       description: Read PDF files.
      +mcp: {command: serve}
       ---
       one
       two
    nothing was changed
    ----- stderr -----
    warning: pdf is not updated: it asks for more capabilities than were approved: starts MCP server serve
      fix:   skillful diff pdf --upstream, then skillful update pdf --approve pdf --yes
    ");
    assert_eq!(body(&machine), OLD);
    assert_snapshot!(machine.see("update --yes --approve pdf"), @"
    exit: 0
    ----- stdout -----
    pdf  bd36626ffcc5 -> 3faa22ebb0a8   1 file changed
         + starts MCP server serve
    SKILL.md
      @@ -1,6 +1,7 @@
       ---
       name: pdf
       description: Read PDF files.
      +mcp: {command: serve}
       ---
       one
       two
    Updated 1 skill. Updated skillful.lock.
    ");
    assert_snapshot!(machine.see("update --approve nothing"), @"
    exit: 1
    ----- stderr -----
    error: `nothing` was not installed by skillful
      fix:   skillful update --check lists the installed skills
    ");
}

#[test]
fn what_cannot_be_seen_in_a_new_version_is_shown_and_waits() {
    require_tool!("git");
    let machine = installed(OLD);
    publish(&machine, "one\ntwo\nthree\nFOUR\u{202e}\n");
    assert_snapshot!(machine.see("update --yes"), @"
    exit: 1
    ----- stdout -----
    pdf  bd36626ffcc5 -> d1df5e0041a4   NEEDS REVIEW: new findings
         block bidi-control SKILL.md:8
           files. --- one two three FOUR<U+202E>
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +FOUR<U+202E>
    nothing was changed
    ----- stderr -----
    warning: pdf is not updated: the audit reports blocking findings
      fix:   skillful diff pdf --upstream, then skillful update pdf --approve pdf --yes
    ");
    assert_eq!(body(&machine), OLD);
}

#[test]
fn an_unreachable_source_is_reported_and_stops_no_other() {
    require_tool!("git");
    let machine = installed(OLD);
    machine.skill("work/lib/doc", "Read documents.");
    machine.skill("work/lib/gone", "Goes.");
    machine.run("add ./lib --yes");
    machine.file("work/lib/doc/SKILL.md", "---\nname: doc\ndescription: Read documents.\n---\n\nDo more.\n");
    fs::remove_dir_all(machine.path("work/lib/gone")).unwrap();
    fs::rename(machine.path("upstream"), machine.path("elsewhere")).unwrap();
    let seen = machine.see("update --check");
    assert!(seen.contains("pdf   ") && seen.contains("unreachable"), "{seen}");
    let seen = machine.see("update --yes");
    assert!(seen.starts_with("exit: 1") && seen.contains("Updated 1 skill."), "{seen}");
    assert!(seen.contains("the source no longer has it"), "{seen}");
    assert!(machine.text("work/.agents/skills/doc/SKILL.md").ends_with("Do more.\n"));
    assert_eq!(body(&machine), OLD);
}

#[test]
fn differences_are_those_of_yours_or_of_the_source() {
    require_tool!("git");
    let machine = installed(OLD);
    assert_snapshot!(machine.see("diff"), @"
    exit: 0
    ----- stdout -----
    no differences
    ");
    edit(&machine, "one\ntwo\nthree\nfour\u{1b}[31m\n");
    machine.file("work/.agents/skills/pdf/data.bin", [0, 1, 2]);
    publish(&machine, "one\ntwo\nthree\nFOUR\u{202e}\n");
    assert_snapshot!(machine.see("diff pdf"), @"
    exit: 1
    ----- stdout -----
    .agents/skills/pdf:
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +four<U+001B>[31m
    data.bin (new), 0 bytes before, 3 after
    ");
    assert_snapshot!(machine.see("diff --upstream"), @"
    exit: 1
    ----- stdout -----
    pdf:
    SKILL.md
      @@ -5,4 +5,4 @@
       one
       two
       three
      -four
      +FOUR<U+202E>
    ");
    let found = machine.json("diff --json");
    assert_eq!(found["differences"][0]["files"][1]["path"], "data.bin");
    // Without the store the commit is asked.
    fs::remove_dir_all(machine.path("home/.local/share/skillful/contents")).unwrap();
    assert!(machine.see("diff").contains("<U+001B>"));
    assert_snapshot!(machine.see("diff nothing"), @"
    exit: 1
    ----- stderr -----
    error: `nothing` was not installed by skillful
      fix:   skillful update --check lists the installed skills
    ");
}

#[test]
fn the_store_is_cleaned_of_what_no_lock_names() {
    require_tool!("git");
    let machine = installed(OLD);
    publish(&machine, NEW);
    machine.run("update --yes");
    assert_snapshot!(machine.see("clean --dry-run"), @"
    exit: 0
    ----- stdout -----
    remove 1 version that no lock names, 66 bytes
    1 lock was read
    ");
    assert_snapshot!(machine.see("clean"), @"
    exit: 1
    ----- stdout -----
    remove 1 version that no lock names, 66 bytes
    1 lock was read
    ----- stderr -----
    error: confirmation required, but there is no terminal; nothing was removed
      fix:   read the plan with --dry-run, then pass --yes
    ");
    assert_snapshot!(machine.see("clean --yes"), @"
    exit: 0
    ----- stdout -----
    remove 1 version that no lock names, 66 bytes
    1 lock was read
    removed
    ");
    assert_snapshot!(machine.see("clean"), @"
    exit: 0
    ----- stdout -----
    every version in the content store is named by a lock
    1 lock was read
    ");
    assert_snapshot!(machine.see("verify"), @"
    exit: 0
    ----- stdout -----
    1 skill: as locked
    ");
}
