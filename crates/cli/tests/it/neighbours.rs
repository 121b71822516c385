//! Beside npm `skills`: its locks are read, kept in step and never made; its defects are not ours.

use crate::{
    bare,
    update::{FILE, HEAD, OLD, commit},
};
use insta::assert_snapshot;
use skillful_testkit::require_tool;

#[test]
fn wishes_of_npm_skills_are_fetched_pinned_and_locked_in_one_plan() {
    require_tool!("git");
    let machine = bare();
    machine.file("upstream/skills/pdf/SKILL.md", format!("{HEAD}{OLD}"));
    machine.skill("upstream/skills/other", "Is not wished for.");
    commit(&machine);
    machine.skill("work/lib/doc", "Read documents.");
    let lock = serde_json::json!({"version": 1, "skills": {
        "pdf": {"source": format!("file://{}", machine.path("upstream").display()), "sourceType": "git",
            "skillPath": "skills/pdf/SKILL.md", "computedHash": "x"},
        "doc": {"source": "./lib/doc", "sourceType": "local", "computedHash": "x"},
        "dead": {"source": "./lib/dead", "sourceType": "local", "computedHash": "x"},
        "note": {"source": "n", "sourceType": "notion", "computedHash": "x"},
    }});
    assert_snapshot!(machine.see("sync --import --yes"), @"
    exit: 1
    ----- stderr -----
    error: npm skills has installed nothing here: `skills-lock.json` does not exist
      fix:   skillful add SOURCE installs without a lock of npm skills
             --global: what npm skills installed for you in every project
    ");
    machine.file("work/skills-lock.json", lock.to_string());
    // What npm installed is there already, and is ours when it is the same.
    machine.file(FILE, format!("{HEAD}{OLD}"));
    assert_snapshot!(machine.see("sync --import --yes"), @"
    exit: 1
    ----- stdout -----
    Plan
      doc  .agents/skills
           can: every tool
    approve pdf as it is in .agents/skills/pdf
      new: uses every tool
    installed 1 skill, approved 1 skill, updated skillful.lock
    Undo: skillful remove doc
    ----- stderr -----
    warning: note: sources of the type `notion` are not known
    warning: dead: `[TEMP]/work/./lib/dead` cannot be read: No such file or directory (os error 2)
    ");
    assert_snapshot!(machine.see("verify"), @"
    exit: 0
    ----- stdout -----
    2 skills: as locked
    ");
    let lock: serde_json::Value = serde_json::from_str(&machine.text("work/skills-lock.json")).unwrap();
    assert_ne!(lock["skills"]["pdf"]["computedHash"], "x");
    assert_eq!(lock["skills"]["note"]["computedHash"], "x", "what is not ours stays");
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
    assert_snapshot!(machine.text("work/skills-lock.json"), @r#"
    {
      "version": 1,
      "skills": {
        "pdf": {
          "source": "./lib/pdf",
          "sourceType": "local",
          "computedHash": "b9078863963831a875087caf06df7a097a7f9ccfdc78c1e7919dda396e741566"
        },
        "zoo": {
          "source": "x/y",
          "sourceType": "github",
          "computedHash": "h"
        }
      }
    }
    "#);
    machine.file("work/lib/pdf/SKILL.md", "---\nname: pdf\ndescription: Read PDF files.\n---\n\nNew.\n");
    machine.run("update --yes");
    let lock: serde_json::Value = serde_json::from_str(&machine.text("work/skills-lock.json")).unwrap();
    // What Node computes: SHA-256 of the path and the bytes.
    let digest =
        skillful_format::digest_bytes(b"SKILL.md---\nname: pdf\ndescription: Read PDF files.\n---\n\nNew.\n");
    assert_eq!(lock["skills"]["pdf"]["computedHash"], digest.to_hex());
    machine.run("remove pdf --yes");
    assert_snapshot!(machine.text("work/skills-lock.json"), @r#"
    {
      "version": 1,
      "skills": {
        "zoo": {
          "source": "x/y",
          "sourceType": "github",
          "computedHash": "h"
        }
      }
    }
    "#);
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
    machine.run("add ./lib --global --agent claude-code --agent codex --yes");
    assert!(
        machine.exists("home/.claude/skills/pdf/SKILL.md")
            && machine.exists("home/.codex/skills/pdf/SKILL.md")
    );
    machine.file("work/lib/pdf/SKILL.md", "---\nname: pdf\ndescription: Read PDF files.\n---\n\nNew.\n");
    machine.run("update --global --yes");
    assert!(machine.text("home/.codex/skills/pdf/SKILL.md").ends_with("New.\n"));
}

#[test]
fn what_npm_skills_installed_is_adopted_as_it_lies_there() {
    let machine = bare();
    for name in ["pdf", "doc"] {
        machine.skill(&format!("work/.agents/skills/{name}"), "Read files.");
    }
    machine.file("work/.agents/skills/pdf/vars.json", "{}");
    std::fs::create_dir_all(machine.path("work/.claude/skills")).unwrap();
    for name in ["pdf", "doc"] {
        let link = machine.path(&format!("work/.claude/skills/{name}"));
        std::os::unix::fs::symlink(format!("../../.agents/skills/{name}"), link).unwrap();
    }
    let entry =
        |source: &str| serde_json::json!({ "source": source, "sourceType": "github", "computedHash": "x" });
    let lock = serde_json::json!({ "version": 1, "skills": {
        "doc": entry("owner/docs"), "gone": entry("owner/gone"), "pdf": entry("owner/repo"),
    } });
    machine.file("work/skills-lock.json", lock.to_string());
    assert_snapshot!(machine.see("add --adopt --yes"), @"
    exit: 1
    ----- stdout -----
    approve doc as it is in .agents/skills/doc
      new: uses every tool
    approve doc as it is in .claude/skills/doc
    approve pdf as it is in .agents/skills/pdf
      new: uses every tool
    approve pdf as it is in .claude/skills/pdf
    approved 2 skills, updated skillful.lock
    ----- stderr -----
    warning: gone: it is not in a folder that an agent reads; `skillful add github:owner/gone` fetches it
    ");
    assert_snapshot!(machine.text("work/skillful.lock"), @r#"
    # Written by `skillful`; meant to be kept with the project. One table per skill.
    version = 1

    [skill.doc]
    source = "github:owner/docs"
    tree = "sha256:19add5ca63460698ece48712abf4ca8d8f5550aff699e806a380f46c37f2eda4"
    capabilities = [
        "uses every tool",
    ]
    copied = [
        ".agents/skills/doc",
    ]
    aliases = [
        ".claude/skills/doc",
    ]

    [skill.pdf]
    source = "github:owner/repo"
    tree = "sha256:bacf86229977c7267575201da12f44a93a13fb500341d6b377fb119cd8a21466"
    capabilities = [
        "uses every tool",
    ]
    copied = [
        ".agents/skills/pdf",
    ]
    aliases = [
        ".claude/skills/pdf",
    ]
    "#);
    assert_snapshot!(machine.see("verify"), @"
    exit: 0
    ----- stdout -----
    2 skills: as locked
    ");
    assert_snapshot!(machine.see("add --adopt --yes"), @"
    exit: 1
    ----- stdout -----
    nothing to do
    ----- stderr -----
    warning: gone: it is not in a folder that an agent reads; `skillful add github:owner/gone` fetches it
    ");
    assert_snapshot!(machine.see("remove doc --yes"), @"
    exit: 0
    ----- stdout -----
    remove doc from .agents/skills/doc
    remove doc from .claude/skills/doc
    removed 1 skill, updated skillful.lock
    ");
    assert!(
        !machine.path("work/.claude/skills/doc").is_symlink() && !machine.exists("work/.agents/skills/doc")
    );
    std::fs::remove_file(machine.path("work/.claude/skills/pdf")).unwrap();
    assert_snapshot!(machine.see("sync --yes"), @"
    exit: 0
    ----- stdout -----
    Plan
    keep pdf in .agents/skills/pdf
      pdf  .claude/skills   as a link to its copy
    installed 1 skill
    Undo: skillful remove pdf
    ");
    assert!(machine.exists("work/.claude/skills/pdf/SKILL.md"));
    assert_snapshot!(machine.see("add --adopt --global --yes"), @"
    exit: 1
    ----- stderr -----
    error: npm skills has installed nothing here: `~/.agents/.skill-lock.json` does not exist
      fix:   skillful add SOURCE installs without a lock of npm skills
             without --global: what npm skills installed for this project
    ");
}
