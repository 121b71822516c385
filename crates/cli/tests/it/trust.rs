use crate::bare;
use insta::assert_snapshot;

#[test]
fn the_question_names_every_skill_and_every_capability() {
    let machine = bare();
    machine.file(
        "work/.claude/skills/ci/SKILL.md",
        "---\nname: ci\ndescription: Run CI.\nallowed-tools: Bash(make:*)\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: ./check.sh\nmcp:\n  command: npx server\n---\nBody\n",
    );
    machine.skill("work/.agents/skills/plain", "Plain text.");
    assert_snapshot!(machine.see("trust"), @"
    exit: 1
    ----- stdout -----
    Trust [TEMP]/work? It has 2 skills.

      ci     3 warnings: hook SKILL.md:6, unpinned-server SKILL.md:11, mcp-server SKILL.md:11
             Bash(make:*); hook PreToolUse: ./check.sh; MCP server npx server
      plain  every tool

    Trusting means: Skillful offers these skills to you and to models. It does not
    change what other agents load by themselves. New or changed skills ask again.

    ----- stderr -----
    error: confirmation required, but there is no terminal; nothing was trusted
      fix:   read the list above, then skillful trust --yes; for one call: --trust-project
    ");
    assert_snapshot!(machine.see("trust --yes"), @"
    exit: 0
    ----- stdout -----
    Trust [TEMP]/work? It has 2 skills.

      ci     3 warnings: hook SKILL.md:6, unpinned-server SKILL.md:11, mcp-server SKILL.md:11
             Bash(make:*); hook PreToolUse: ./check.sh; MCP server npx server
      plain  every tool

    Trusting means: Skillful offers these skills to you and to models. It does not
    change what other agents load by themselves. New or changed skills ask again.

    Trusted 2 skills of [TEMP]/work.
    Undo: skillful untrust
    ");
    assert_snapshot!(machine.see("trust --list"), @"
    exit: 0
    ----- stdout -----
    [TEMP]/work
    ");
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME   STATE      LOADED BY  DESCRIPTION
    ci     available  claude     Run CI.
    plain  available  -          Plain text.

    2 skills: 2 available
    ");
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
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME       STATE      LOADED BY  DESCRIPTION
    more-text  untrusted  -          Also plain.
    plain      untrusted  -          Plain no more.

    2 skills: 2 untrusted

    Why not available
      untrusted    more-text: it was not part of what you trusted in this repository   skillful trust
                   plain: its files changed since you trusted them, and it can do more: uses tool Bash
                   skillful trust
    ");
}

#[test]
fn trust_can_be_taken_back() {
    let machine = bare();
    machine.skill("work/.agents/skills/plain", "Plain text.");
    machine.run("trust --yes");
    assert_snapshot!(machine.see("untrust"), @"
    exit: 0
    ----- stdout -----
    Untrusted [TEMP]/work.
    ");
    assert_snapshot!(machine.see("untrust"), @"
    exit: 1
    ----- stderr -----
    error: `[TEMP]/work` was not trusted
      fix:   skillful trust --list shows the trusted folders
    ");
    assert!(machine.see("list").contains("untrusted"));
}

#[test]
fn headless_is_denied_with_a_reason_unless_allowed() {
    let machine = bare();
    machine.skill("work/.agents/skills/plain", "Plain text.");
    let json = machine.json("list --json");
    assert_eq!(json["skills"][0]["state"], "untrusted");
    assert_eq!(json["skills"][0]["reasons"][0], "you have not trusted this repository");
    let json = machine.json("list --json --trust-project");
    assert_eq!(json["skills"][0]["state"], "available");
    assert!(!machine.exists("home/.config/skillful/trust.toml"), "a flag for one call writes nothing");
}

/// The name of a skill without `name` is that of its folder, which is not among its files.
#[test]
fn a_renamed_folder_does_not_keep_the_approval_of_a_skill_without_a_name() {
    let text = "---\ndescription: Check the prose.\n---\nRead the text aloud.\n";
    let machine = bare();
    machine.file("work/.agents/skills/prose/SKILL.md", text);
    assert!(machine.run("trust --yes").status.success());
    assert!(machine.run("use prose").status.success());
    let skills = machine.work().join(".agents/skills");
    std::fs::rename(skills.join("prose"), skills.join("deploy")).unwrap();
    assert_snapshot!(machine.see("list"), @"
    exit: 0
    ----- stdout -----
    NAME    STATE      LOADED BY  DESCRIPTION
    deploy  untrusted  -          Check the prose.

    1 skill: 1 untrusted

    Why not available
      untrusted    deploy: it was not part of what you trusted in this repository   skillful trust
    ");
    assert!(!machine.run("use deploy").status.success(), "the user approved `prose`");
    // The user answers about the new name; the old one stays approved.
    assert!(machine.run("trust --yes").status.success());
    assert!(machine.run("use deploy").status.success());
    std::fs::rename(skills.join("deploy"), skills.join("prose")).unwrap();
    assert!(machine.run("use prose").status.success());
    // Another folder with the same files is another skill.
    machine.file("work/.agents/skills/review/SKILL.md", text);
    assert!(!machine.run("use review").status.success());
    // A name in the file is part of what was approved, whatever the folder is called.
    machine.file("work/.agents/skills/named/SKILL.md", "---\nname: named\ndescription: Named.\n---\nText.\n");
    assert!(machine.run("trust --yes").status.success());
    std::fs::rename(skills.join("named"), skills.join("other")).unwrap();
    assert!(machine.run("use named").status.success());
}

/// The name of a plugin stands before that of its skills and is not among their files.
#[test]
fn a_renamed_plugin_does_not_keep_the_approval_of_its_skills_and_takes_no_word_of_a_scope() {
    let machine = bare();
    let manifest = |name: &str| format!("{{\"name\": \"{name}\"}}");
    machine.skill("work/skills/deploy", "Deploy what is in this repository.");
    machine.skill("home/.agents/skills/deploy", "Deploy with care.");
    machine.file("work/.claude-plugin/plugin.json", manifest("team"));
    assert!(machine.run("trust --yes").status.success());
    assert!(machine.see("use team:deploy").contains("exit: 0"), "{}", machine.see("list"));
    // A rule of the user about its name counts for the skill, whatever its plugin is called later.
    assert!(machine.run("disable team:deploy").status.success());
    for name in ["official", "codex", "claude-code"] {
        machine.file("work/.claude-plugin/plugin.json", manifest(name));
        let used = machine.see(&format!("use {name}:deploy"));
        assert!(!used.contains("exit: 0"), "the user approved `team:deploy`: {used}");
        let json = machine.json(&format!("show {name}:deploy --json"));
        assert_eq!(json["state"], "untrusted", "{json}");
    }
    // The words of scopes mean skills of the scope, also where a plugin or a folder has such a name.
    for name in ["user", "project", "managed", "system", "plugin", "custom", "extra", "integration"] {
        machine.file("work/.claude-plugin/plugin.json", manifest(name));
        assert!(machine.run("trust --yes").status.success());
        let user = machine.json("show user:deploy --json");
        assert_eq!(user["description"], "Deploy with care.", "{name}: {user}");
        assert!(machine.run(&format!("use {name}-plugin:deploy")).status.success(), "{name}");
    }
    machine.skill("work/user/.agents/skills/deploy", "Deploy what is in this folder.");
    assert!(machine.run("trust --yes").status.success());
    let user = machine.json("show user:deploy --json --touch user/x");
    assert_eq!(user["description"], "Deploy with care.", "{user}");
    machine.file("work/.claude-plugin/plugin.json", manifest("team"));
    assert!(machine.see("list").contains("disabled"), "{}", machine.see("list"));
}

/// A lock that names another folder renames a skill as well.
#[test]
fn an_installed_skill_without_a_name_is_approved_under_the_name_of_its_folder() {
    let machine = bare();
    machine.file("source/prose/SKILL.md", "---\ndescription: Check the prose.\n---\nRead the text aloud.\n");
    let source = machine.path("source/prose");
    assert!(machine.run(&format!("add {} --yes", source.display())).status.success());
    assert!(machine.run("use prose").status.success(), "{}", machine.see("use prose"));
    let skills = machine.work().join(".agents/skills");
    std::fs::rename(skills.join("prose"), skills.join("deploy")).unwrap();
    let lock = machine.work().join("skillful.lock");
    let text = std::fs::read_to_string(&lock).unwrap();
    std::fs::write(&lock, text.replace("skills/prose", "skills/deploy")).unwrap();
    assert!(!machine.run("use deploy").status.success(), "{}", machine.see("list"));
}
