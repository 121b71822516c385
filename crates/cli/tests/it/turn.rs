use crate::bare;
use insta::assert_snapshot;

#[test]
fn explain_prints_every_skill_with_its_rules_and_istotas_line() {
    let machine = bare();
    let skill = |name: &str, header: &str| {
        let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}---\nBody\n");
        machine.file(&format!("home/.agents/skills/{name}/SKILL.md"), text);
    };
    skill("files", "always_include: true\ncompanion_skills: [safety, gone]\n");
    skill("safety", "");
    skill("whisper", "file_types: [wav]\n");
    skill("notes", "");
    skill("root", "admin_only: true\nsource_types: [talk]\n");
    skill("hidden", "disable-model-invocation: true\n");
    let line = ["explain", "use $hidden on this, $gone", "--attach", "memo.WAV", "--source-type", "talk"];
    let seen = machine.tell(&machine.command(line).output().unwrap());
    // The entries of the menu name files, whose paths are longer on some machines.
    let (before, after) = seen.split_once("; used ").unwrap();
    let seen = format!("{before}; used [SIZE]{}", after.trim_start_matches(|c: char| c.is_ascii_digit()));
    assert_snapshot!(seen, @"
    exit: 0
    ----- stdout -----
    SELECTED (4)
      hidden        mention
      files         always_include
      safety        companion    of files
      whisper       file_type    wav
      gone          not found    no skill has this name
      gone          missing      companion of files: no such skill exists
    IN THE MENU (1)
      notes         below 1 %
    NOT OFFERED (1)
      root          unavailable  it is for administrators (source_type=talk)
                                 fix: skillful doctor root

    Order: mentions, rules, session, companions, menu.
    Budget: 16,000 characters; used [SIZE]; no description shortened.
    ");
    let seen = machine.tell(&machine.command(line.iter().chain(&["--all"])).output().unwrap());
    let log = "count=4: hidden(mention), files(always_include), safety(companion of files), whisper(file_type=wav)\n\
               eager=4 menu=1\n";
    assert!(seen.ends_with(log), "{seen}");
    let unknown = machine.command(["explain", "use $note or $nothing, not $PATH, $5 or a@b.c"]);
    let seen = machine.tell(&{ unknown }.output().unwrap());
    assert!(
        seen.contains("note          not found    no skill has this name; did you mean notes?\n"),
        "{seen}"
    );
    assert!(seen.contains("nothing       not found    no skill has this name\n"), "{seen}");
    assert_eq!(seen.matches("not found").count(), 2, "{seen}");
    let json = machine.json("explain $notes --json");
    assert_eq!(
        (&json["selected"][0]["name"], &json["mentions"][0]["form"]),
        (&"notes".into(), &"dollar".into())
    );
    assert_eq!(
        (json["mentions"][0]["start"].as_u64(), json["mentions"][0]["end"].as_u64()),
        (Some(0), Some(6))
    );
}

#[test]
fn menu_prints_the_menu_of_an_agent_and_its_size() {
    let machine = bare();
    for name in ["alpha", "beta", "gamma"] {
        let words = format!("{name} does one thing. Use it when somebody asks for {name}.");
        machine.skill(&format!("home/.claude/skills/{name}"), &words);
    }
    machine.skill("home/.agents/skills/only-codex", "For Codex.");
    assert_snapshot!(machine.see("prompt --agent codex"), @"
    exit: 0
    ----- stdout -----
    <skills_instructions>
    ## Skills

    - only-codex: For Codex. (file: [TEMP]/home/.agents/skills/only-codex/SKILL.md)
    </skills_instructions>
    ");
    assert_snapshot!(machine.see("prompt --agent claude-code"), @"
    exit: 0
    ----- stdout -----
    Skills that can be invoked:

    - alpha: alpha does one thing. Use it when somebody asks for alpha.
    - beta: beta does one thing. Use it when somebody asks for beta.
    - gamma: gamma does one thing. Use it when somebody asks for gamma.
    ");
    assert_snapshot!(machine.see("prompt --agent claude-code --budget 150"), @"
    exit: 0
    ----- stdout -----
    Skills that can be invoked:

    - alpha: alpha does one thing. Use it when somebody asks for alpha.
    - beta: beta does one thing. Use it when somebody asks for beta.
    - gamma
    ");
    assert_snapshot!(machine.see("prompt --agent claude-code --budget 150 --report"), @"
    exit: 0
    ----- stdout -----
    3 skills, 141 of 150 characters

    SKILL  SHORTENED
    gamma  only its name is listed
    ");
    assert_snapshot!(machine.see("prompt --agent claude-code --window 200000 --report"), @"
    exit: 0
    ----- stdout -----
    3 skills, 51 of 2000 tokens (estimated as a quarter of the bytes), none shortened, none left out
    ");
    assert_eq!(machine.run("prompt").stdout, machine.run("prompt").stdout, "the same bytes every time");
    // The variable of Claude Code comes before the window, and the option before the variable. No other agent reads it.
    for (value, line, expected) in [
        ("150", "--agent claude-code", "3 skills, 141 of 150 characters"),
        ("150", "--agent claude-code --window 200000", "3 skills, 141 of 150 characters"),
        ("150", "--agent claude-code --budget 9000", "of 9000 characters, none shortened"),
        ("0", "--agent claude-code", "of 8000 characters, none shortened"),
        ("many", "--agent claude-code", "of 8000 characters, none shortened"),
        ("150", "--agent codex", "of 8000 characters, none shortened"),
    ] {
        let mut command = machine.command(["prompt", "--report"]);
        let output =
            command.args(line.split(' ')).env("SLASH_COMMAND_TOOL_CHAR_BUDGET", value).output().unwrap();
        let seen = machine.tell(&output);
        assert!(seen.contains(expected), "{value} {line}: {seen}");
    }
    let machine = machine.variable("SLASH_COMMAND_TOOL_CHAR_BUDGET", "150");
    assert_eq!(machine.json("view --agent claude-code --json")["menu"]["limit"], 150);
}

#[test]
fn with_no_skill_there_is_no_section() {
    assert_snapshot!(bare().see("prompt"), @"exit: 0");
}
