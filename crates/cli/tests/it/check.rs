use crate::bare;
use insta::assert_snapshot;

#[test]
fn every_problem_has_a_code_a_place_and_a_fix() {
    let machine = bare();
    machine.file(
        "work/.claude/skills/deploy/SKILL.md",
        "---\nname: Deploy\ndescription: Use when: releasing\nallowed-tools: Bash(git:*\n---\n\nSee [the list](references/list.md).\n",
    );
    assert_snapshot!(machine.see("check"), @"
    exit: 1
    ----- stdout -----
    warning[name-differs-from-folder]: the name `Deploy` differs from the folder's name `deploy`
     --> .claude/skills/deploy/SKILL.md:2:7
      |
    2 | name: Deploy
      |       ^^^^^^
      |
      = fix: use the same name for both; Cursor and Copilot drop the skill otherwise

    warning[name-upper-case]: the name `Deploy` has upper-case letters
     --> .claude/skills/deploy/SKILL.md:2:7
      |
    2 | name: Deploy
      |       ^^^^^^
      |
      = fix: use lower-case letters

    warning[unquoted-colon]: the value of `description` contains a colon and is not quoted
     --> .claude/skills/deploy/SKILL.md:3:14
      |
    3 | description: Use when: releasing
      |              ^^^^^^^^^^^^^^^^^^^
      |
      = fix: put the value in double quotes   --fix can do this

    warning[tool-pattern]: `Bash(git:*` is not a tool name
     --> .claude/skills/deploy/SKILL.md:4:16
      |
    4 | allowed-tools: Bash(git:*
      |                ^^^^^^^^^^
      |
      = fix: write `Name` or `Name(pattern)`; the entry is ignored until then

    warning[file-missing]: `references/list.md` is not in the skill's folder
     --> .claude/skills/deploy/SKILL.md:7:5
      |
    7 | See [the list](references/list.md).
      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = fix: add the file or correct the link; paths are relative to the skill's folder

    CODE                      ERRORS  WARNINGS  NOTES  SKILLS  FIXABLE
    file-missing                   -         1      -       1        -
    name-differs-from-folder       -         1      -       1        -
    name-upper-case                -         1      -       1        -
    tool-pattern                   -         1      -       1        -
    unquoted-colon                 -         1      -       1        1

    1 skill checked in .claude/skills: 5 warnings in 1 skill
    Fix 1 now: skillful check --fix
    ");
}

#[test]
fn clean_skills_exit_with_0() {
    let machine = bare();
    machine.skill("work/skills/good", "Does good. Use when asked.");
    assert_snapshot!(machine.see("check"), @"
    exit: 0
    ----- stdout -----
    1 skill checked in skills, no problems.
    ");
    assert_snapshot!(machine.see("check --profile spec"), @"
    exit: 0
    ----- stdout -----
    1 skill checked in skills, no problems.
    ");
    assert_snapshot!(machine.see("check skills/good/SKILL.md"), @"
    exit: 0
    ----- stdout -----
    1 skill checked in skills, no problems.
    ");
}

#[test]
fn profiles_differ() {
    let machine = bare();
    machine.file("work/skills/x/SKILL.md", "---\nname: x\ndescription: Does x.\nversion: 1.0\n---\nBody\n");
    assert_eq!(machine.run("check").status.code(), Some(0));
    assert_eq!(machine.run("check -p spec").status.code(), Some(1));
    assert_snapshot!(machine.see("check -p spec"), @"
    exit: 1
    ----- stdout -----
    error[non-spec-key]: `version` is not part of the specification
     --> skills/x/SKILL.md:4:1
      |
    4 | version: 1.0
      | ^^^^^^^
      |
      = fix: agents that do not know it ignore it; strict validators refuse the skill

    CODE          ERRORS  WARNINGS  NOTES  SKILLS  FIXABLE
    non-spec-key       1         -      -       1        -

    1 skill checked in skills: 1 error in 1 skill
    ");
    assert_snapshot!(machine.see("check -p nonsense"), @"
    exit: 2
    ----- stderr -----
    error: no profile named `nonsense`
      cause: the profiles are lenient and spec
      fix:   leave --profile out, or name one of these
    ");
}

#[test]
fn check_with_an_agent_says_why_the_agent_refuses() {
    let machine = bare();
    machine.file("work/skills/x/SKILL.md", "\u{feff}---\nname: x\ndescription: Does x.\n---\nBody\n");
    assert_snapshot!(machine.see("check --agent codex"), @"
    exit: 1
    ----- stdout -----
    note[byte-order-mark]: the file starts with a byte order mark
     --> skills/x/SKILL.md:1:1
      |
    1 | <U+FEFF>---
      | ^^^^^^^^
      |
      = fix: save the file as UTF-8 without a byte order mark; gemini-cli, Codex and pi do not see the
             frontmatter   --fix can do this

    error[agent-refuses]: Codex does not load this: Codex sees no frontmatter: there is a byte order
      mark before it
    --> skills/x/SKILL.md
     |
     = fix: save the file as UTF-8 without a byte order mark

    CODE             ERRORS  WARNINGS  NOTES  SKILLS  FIXABLE
    agent-refuses         1         -      -       1        -
    byte-order-mark       -         -      1       1        1

    1 skill checked in skills: 1 error, 1 note in 1 skill
    Fix 1 now: skillful check --fix
    ");
    assert_eq!(machine.run("check --agent opencode").status.code(), Some(0));
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
    assert_snapshot!(machine.see("check skills/good empty"), @"
    exit: 1
    ----- stdout -----
    error[no-skill-file]: no SKILL.md at or below this folder
    --> empty

    CODE           ERRORS  WARNINGS  NOTES  SKILLS  FIXABLE
    no-skill-file       1         -      -       1        -

    2 skills checked in 2 folders: 1 error in 1 skill
    ");
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

#[test]
fn a_path_that_leads_out_of_the_repository_is_checked_like_any_other() {
    let machine = bare();
    std::fs::create_dir_all(machine.path("work/.git")).unwrap();
    machine.skill("home/.agents/skills/pdf", "Merges and splits PDF files. Use when the user has a PDF.");
    let absolute = machine.path("home/.agents/skills").display().to_string();
    let absolute = machine.tell(&machine.command(["check", &absolute]).output().unwrap());
    for path in ["../home/.agents/skills", "./../home/.agents/skills/pdf/SKILL.md"] {
        let seen = machine.see(&format!("check {path}"));
        assert!(!seen.contains("link-outside"), "{path}: {seen}");
        assert_eq!(seen.lines().next(), absolute.lines().next(), "{path}: {seen}");
    }
}

#[test]
fn a_folder_of_command_files_is_checked_as_commands() {
    let machine = bare();
    machine.file("work/.claude/commands/fix-issue.md", "---\ndescription: Fix one issue.\n---\nFix it.\n");
    machine.file("work/.claude/commands/git/squash.md", "---\ndescription: \"Squash.\n---\nSquash.\n");
    machine.file("work/docs/readme.md", "Nothing here is a command.\n");
    let seen = machine.see("check .claude/commands");
    assert!(!seen.contains("name"), "{seen}");
    assert_snapshot!(&seen, @r#"
    exit: 1
    ----- stdout -----
    error[yaml-syntax]: a quoted value is not closed
     --> .claude/commands/git/squash.md:2:14
      |
    2 | description: "Squash.
      |              ^^^^^^^^
      |
      = fix: close the quote, or indent the lines that continue the value   --fix can do this

    CODE         ERRORS  WARNINGS  NOTES  SKILLS  FIXABLE
    yaml-syntax       1         -      -       1        1

    2 skills checked in 2 folders: 1 error in 1 skill
    Fix 1 now: skillful check .claude/commands --fix
    "#);
    assert_eq!(
        machine.see("check .claude"),
        seen.replace("check .claude/commands --fix", "check .claude --fix")
    );
    assert_eq!(machine.run("check .claude/commands/git").status.code(), Some(1));
    assert!(machine.see("check .claude/commands --fix --all --yes").starts_with("exit: 0"));
    assert!(machine.see("check .claude/commands").contains("2 skills checked in 2 folders, no problems"));
    assert!(machine.see("check docs").contains("no SKILL.md at or below this folder"));
}
