//! Newer versions as a person sees them.

use crate::bare;
use insta::assert_snapshot;
use skillful_testkit::{Terminal, TestContext};
use std::{collections::BTreeMap, fs, path::Path, process::Command};

const HEAD: &str = "---\nname: pdf\ndescription: Read PDF files.\n---\n";
const FILE: &str = "work/.agents/skills/pdf/SKILL.md";

/// A commit of everything in a folder; the same files give the same commit.
fn commit(machine: &TestContext) {
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

const OLD: &str = "one\ntwo\nthree\nfour\n";
const NEW: &str = "one\ntwo\nthree\nFOUR\u{202e}\n";

#[test]
fn an_update_shows_what_changed_and_keeps_what_you_changed() {
    let machine = installed(OLD);
    edit(&machine, "mine\ntwo\nthree\nfour\n");
    machine.file("work/.agents/skills/pdf/vars.json", "{}");
    publish(&machine, NEW);
    assert_snapshot!(machine.see("update --dry-run"), @"");
    assert_eq!(body(&machine), "mine\ntwo\nthree\nfour\n");
    assert_snapshot!(machine.see("update"), @"");
    assert_snapshot!(machine.see("update --yes"), @"");
    assert_eq!(body(&machine), "mine\ntwo\nthree\nFOUR\u{202e}\n");
    assert_eq!(machine.text("work/.agents/skills/pdf/vars.json"), "{}");
    assert_snapshot!(machine.see("verify"), @"");
    assert_snapshot!(machine.see("update --yes"), @"");
    assert_snapshot!(machine.see("diff"), @"");
}

/// Elsewhere looking for updates installs them.
#[test]
fn outdated_changes_nothing_on_the_disk() {
    let machine = installed(OLD);
    let before = everything(&machine.path(""));
    assert_snapshot!(machine.see("outdated"), @"");
    publish(&machine, NEW);
    edit(&machine, "mine\n");
    let before_outdated = everything(&machine.path(""));
    assert_snapshot!(machine.see("outdated"), @"");
    let found = machine.json("outdated --json");
    assert_eq!(
        (&found["skills"][0]["state"], &found["skills"][0]["edited"]),
        (&"update".into(), &true.into())
    );
    assert_eq!(everything(&machine.path("")), before_outdated);
    assert_ne!(before, before_outdated);
    fs::rename(machine.path("upstream"), machine.path("elsewhere")).unwrap();
    assert!(machine.see("outdated").starts_with("exit: 3"));
    // Where nothing was ever installed nothing is made either.
    let other = bare();
    other.file("work/skillful.lock", machine.text("work/skillful.lock"));
    let before = everything(&other.path(""));
    let _unreachable = other.see("outdated");
    assert_eq!(everything(&other.path("")), before);
}

/// Every file with its bytes and its time.
fn everything(folder: &Path) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
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
    let machine = installed(OLD);
    edit(&machine, "one\ntwo\nthree\nmine\n");
    publish(&machine, NEW);
    assert_snapshot!(machine.see("update --yes"), @"");
    assert_eq!(body(&machine), "one\ntwo\nthree\nmine\n");
    let lock = machine.text("work/skillful.lock");
    let plan = machine.json("update --yes --json");
    assert_eq!((&plan["done"], &plan["skills"][0]["conflict"]), (&false.into(), &true.into()));
    assert_eq!(machine.text("work/skillful.lock"), lock);
    assert_snapshot!(machine.see("update --yes --keep theirs"), @"");
    assert_eq!(body(&machine), NEW);
    let saved =
        fs::read_dir(machine.path("home/.local/share/skillful/backups")).unwrap().next().unwrap().unwrap();
    assert!(fs::read_to_string(saved.path().join("SKILL.md")).unwrap().ends_with("mine\n"));
    edit(&machine, "one\ntwo\nthree\nmine\n");
    publish(&machine, "one\ntwo\nthree\nfive\n");
    assert_snapshot!(machine.see("update --yes --keep mine"), @"");
    assert_eq!(body(&machine), "one\ntwo\nthree\nmine\n");
    assert_snapshot!(machine.see("verify"), @"");
}

#[test]
fn a_person_is_asked_about_each_thing_that_no_general_yes_covers() {
    let machine = installed(OLD);
    edit(&machine, "one\ntwo\nthree\nmine\n");
    machine.file(
        "upstream/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Read PDF files.\nallowed-tools: Bash(rm *)\n---\none\ntwo\nthree\ntheirs\n",
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
    let (code, shown) = answer(&[("agree to this for pdf? [y/N]", "n\r")]);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("new: uses tool Bash(rm *)") && shown.contains("pdf stays as it is"), "{shown}");
    let (code, shown) = answer(&[("agree to this", "y\r"), ("[m/t/S]", "s\r")]);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("-mine\n  +theirs"), "{shown}");
    assert_eq!(body(&machine), "one\ntwo\nthree\nmine\n");
    let (code, shown) = answer(&[("agree to this", "y\r"), ("[m/t/S]", "m\r"), ("do this?", "y\r")]);
    assert_eq!(code, Some(0), "{shown}");
    let text = machine.text(FILE);
    assert!(text.ends_with("three\nmine\n") && text.contains("allowed-tools"), "{text}");
}

#[test]
fn a_skill_that_may_do_more_is_named_or_stays() {
    let machine = installed(OLD);
    machine.file(
        "upstream/pdf/SKILL.md",
        format!("{}\n{OLD}", HEAD.replace("\n---\n", "\nallowed-tools: Bash(rm *)\n---")),
    );
    commit(&machine);
    assert_snapshot!(machine.see("update --yes"), @"");
    assert_eq!(body(&machine), OLD);
    assert_snapshot!(machine.see("update --yes --agree pdf"), @"");
    assert_snapshot!(machine.see("update --agree nothing"), @"");
}

#[test]
fn a_dead_source_is_told_and_stops_no_other() {
    let machine = installed(OLD);
    machine.skill("work/lib/doc", "Read documents.");
    machine.skill("work/lib/gone", "Goes.");
    machine.run("add ./lib --yes");
    machine.file("work/lib/doc/SKILL.md", "---\nname: doc\ndescription: Read documents.\n---\n\nDo more.\n");
    fs::remove_dir_all(machine.path("work/lib/gone")).unwrap();
    fs::rename(machine.path("upstream"), machine.path("elsewhere")).unwrap();
    let seen = machine.see("outdated").replace("file:// ", "file://");
    assert!(seen.contains("pdf   ") && seen.contains("unreachable"), "{seen}");
    let seen = machine.see("update --yes");
    assert!(seen.starts_with("exit: 1") && seen.contains("replace doc in .agents/skills/doc"), "{seen}");
    assert!(seen.contains("gone: the source no longer has it"), "{seen}");
    assert!(machine.text("work/.agents/skills/doc/SKILL.md").ends_with("Do more.\n"));
    assert_eq!(body(&machine), OLD);
}

#[test]
fn differences_are_those_of_yours_or_of_the_source() {
    let machine = installed(OLD);
    assert_snapshot!(machine.see("diff"), @"");
    edit(&machine, "one\ntwo\nthree\nfour\u{1b}[31m\n");
    machine.file("work/.agents/skills/pdf/data.bin", [0, 1, 2]);
    publish(&machine, NEW);
    assert_snapshot!(machine.see("diff pdf"), @"");
    assert_snapshot!(machine.see("diff --upstream"), @"");
    let found = machine.json("diff --json");
    assert_eq!(found["differences"][0]["files"][1]["path"], "data.bin");
    // Without the store the commit is asked.
    fs::remove_dir_all(machine.path("home/.local/share/skillful/contents")).unwrap();
    assert!(machine.see("diff").contains("<U+001B>"));
    assert_snapshot!(machine.see("diff nothing"), @"");
}

#[test]
fn the_store_is_cleaned_of_what_no_lock_names() {
    let machine = installed(OLD);
    publish(&machine, NEW);
    machine.run("update --yes");
    assert_snapshot!(machine.see("clean --dry-run"), @"");
    assert_snapshot!(machine.see("clean"), @"");
    assert_snapshot!(machine.see("clean --yes"), @"");
    assert_snapshot!(machine.see("clean"), @"");
    assert_snapshot!(machine.see("verify"), @"");
}

#[test]
fn a_lock_of_npm_skills_is_kept_in_step_and_never_made() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.run("add ./lib --yes");
    assert!(!machine.exists("work/skills-lock.json"));
    machine.run("remove pdf --yes");
    machine.file("work/skills-lock.json", "{\n  \"version\": 1,\n  \"skills\": {\n    \"zoo\": {\n      \"source\": \"x/y\",\n      \"sourceType\": \"github\",\n      \"computedHash\": \"h\"\n    }\n  }\n}\n");
    machine.run("add ./lib --yes");
    assert_snapshot!(machine.text("work/skills-lock.json"), @"");
    machine.file("work/lib/pdf/SKILL.md", "---\nname: pdf\ndescription: Read PDF files.\n---\n\nNew.\n");
    machine.run("update --yes");
    let lock: serde_json::Value = serde_json::from_str(&machine.text("work/skills-lock.json")).unwrap();
    // What Node computes: SHA-256 of the path and the bytes.
    let digest =
        skillful_format::digest_bytes(b"SKILL.md---\nname: pdf\ndescription: Read PDF files.\n---\n\nNew.\n");
    assert_eq!(lock["skills"]["pdf"]["computedHash"], digest.to_hex());
    machine.run("remove pdf --yes");
    assert_snapshot!(machine.text("work/skills-lock.json"), @"");
    machine.file("work/skills-lock.json", "not mine");
    let seen = machine.see("add ./lib --yes");
    assert!(seen.starts_with("exit: 0") && seen.contains("skills-lock.json` was left as it is"), "{seen}");
}

/// Elsewhere a name that is no ASCII becomes `unnamed-skill`, and the last of two wins.
#[test]
fn names_of_every_script_have_folders_of_their_own() {
    let machine = bare();
    for (folder, name) in [("a", "技能"), ("b", "навык")] {
        machine.file(
            &format!("work/lib/{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: d\n---\n{name}\n"),
        );
    }
    machine.run("add ./lib --yes");
    assert!(machine.text("work/.agents/skills/技能/SKILL.md").ends_with("技能\n"));
    assert!(machine.text("work/.agents/skills/навык/SKILL.md").ends_with("навык\n"));
}

/// Elsewhere what is installed for a person lands in one folder, whatever the agent reads.
#[test]
fn what_is_for_a_person_lands_where_their_agent_reads() {
    let machine = bare();
    machine.skill("work/lib/pdf", "Read PDF files.");
    machine.run("add ./lib --global --agent claude-code --agent cursor --yes");
    assert!(
        machine.exists("home/.claude/skills/pdf/SKILL.md")
            && machine.exists("home/.cursor/skills/pdf/SKILL.md")
    );
    machine.file("work/lib/pdf/SKILL.md", "---\nname: pdf\ndescription: Read PDF files.\n---\n\nNew.\n");
    machine.run("update --global --yes");
    assert!(machine.text("home/.cursor/skills/pdf/SKILL.md").ends_with("New.\n"));
}
