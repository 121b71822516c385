//! Attacks on what writes into a repository, and on names that other programs read: shells that complete, settings of
//! other agents. Each case is one line of a table.

use crate::{attack_files::each, bare};
use skillful_testkit::{Attempts, TestContext};
use std::{
    fs,
    os::unix::fs::symlink,
    process::{Command, Stdio},
};

const KEPT: &str = "# the user's own file\n";

/// A trusted repository with one skill whose file can be repaired and formatted, and a user's file outside of it.
fn prepared() -> TestContext {
    let machine = bare();
    machine.file("home/.bashrc", KEPT);
    fs::create_dir_all(machine.path("home/outside")).unwrap();
    machine.file("work/.agents/skills/d/SKILL.md", "---\ndescription: Use: it\nname: d\n---\n\n\nText.\n");
    fs::create_dir_all(machine.work().join(".git")).unwrap();
    assert!(machine.run("trust --yes").status.success());
    machine
}

/// What a repository prepared is no way out of it, whatever is written there.
#[test]
fn nothing_that_is_written_into_a_repository_leaves_it() {
    type Trap = fn(&TestContext);
    // A name for each process that may come next.
    let staged: Trap = |machine| {
        let folder = machine.work().join(".agents/skills/d");
        let own = std::process::id();
        for id in own..own + 5_000 {
            symlink(machine.path("home/.bashrc"), folder.join(format!(".SKILL.md.skillful-{id}"))).unwrap();
        }
    };
    let settings: Trap = |machine| {
        fs::create_dir_all(machine.work().join(".skillful")).unwrap();
        symlink(machine.path("home/.bashrc"), machine.work().join(".skillful/.config.toml.new")).unwrap();
    };
    let settings_away: Trap =
        |machine| symlink(machine.path("home/outside"), machine.work().join(".skillful")).unwrap();
    let settings_file: Trap = |machine| {
        fs::create_dir_all(machine.work().join(".skillful")).unwrap();
        symlink(machine.path("home/.bashrc"), machine.work().join(".skillful/config.toml")).unwrap();
    };
    let skills_away: Trap = |machine| {
        fs::rename(machine.work().join(".agents"), machine.work().join("old")).unwrap();
        fs::create_dir_all(machine.work().join(".agents")).unwrap();
        symlink(machine.path("home/outside"), machine.work().join(".agents/skills")).unwrap();
    };
    let agents_away: Trap = |machine| {
        fs::rename(machine.work().join(".agents"), machine.work().join("old")).unwrap();
        symlink(machine.path("home/outside"), machine.work().join(".agents")).unwrap();
    };
    let output: Trap = |machine| {
        for name in ["d.md", "d.zip", "d.skill"] {
            symlink(machine.path("home/.bashrc"), machine.work().join(name)).unwrap();
        }
    };
    let skill_file: Trap = |machine| {
        let file = machine.work().join(".agents/skills/d/SKILL.md");
        fs::rename(&file, machine.path("home/outside/SKILL.md")).unwrap();
        symlink(machine.path("home/outside/SKILL.md"), file).unwrap();
    };
    let other_agents: Trap = |machine| {
        for name in [".codex", ".claude", ".opencode", ".gemini"] {
            symlink(machine.path("home/outside"), machine.work().join(name)).unwrap();
        }
    };
    let site_away: Trap = |machine| {
        machine.skill("work/lib/good", "Reads it. Use when asked.");
        symlink(machine.path("home/outside"), machine.work().join("site")).unwrap();
        symlink(machine.path("home/outside"), machine.work().join("man")).unwrap();
    };
    let page: Trap = |machine| {
        fs::create_dir_all(machine.work().join("man")).unwrap();
        symlink(machine.path("home/.bashrc"), machine.work().join("man/skillful-add.1")).unwrap();
    };
    let cases: [(&str, Trap, &str); 21] = [
        ("a registry into a folder outside", site_away, "publish lib/good --to site --version 1.0.0"),
        ("a registry below a folder outside", site_away, "publish lib/good --to site/new --version 1.0.0"),
        ("manual pages into a folder outside", site_away, "completions --man man"),
        ("a manual page over a link", page, "completions --man man"),
        ("fmt with a link for each name", staged, "fmt ."),
        ("repairs with a link for each name", staged, "check --fix --yes ."),
        ("all repairs with a link for each name", staged, "check --fix --all --yes ."),
        ("a rule with a link in the new file's place", settings, "disable d --project"),
        ("a rule into a folder outside", settings_away, "disable d --project"),
        ("a rule into a file outside", settings_file, "disable d --project"),
        ("a new skill into a folder outside", skills_away, "new fresh"),
        ("a new skill into a folder above that is outside", agents_away, "new fresh"),
        ("a starter skill into a folder outside", skills_away, "starter install csv-summary --yes"),
        ("a starter skill below a folder outside", agents_away, "starter install csv-summary --yes"),
        ("an export over a link", output, "export d --force"),
        ("an export over a link that is named", output, "export d -o d.zip --force"),
        ("an export without a yes", output, "export d"),
        ("fmt of a file outside", skill_file, "fmt ."),
        ("repairs of a file outside", skill_file, "check --fix --yes ."),
        ("links for an agent", other_agents, "view --agent codex --fix --yes"),
        ("copies for an agent", other_agents, "view --agent claude-code --fix --copy --yes"),
    ];
    each(&cases, |(name, trap, line)| {
        let machine = prepared();
        trap(&machine);
        let before = fs::read_to_string(machine.path("home/outside/SKILL.md")).ok();
        let seen = machine.see(line);
        assert_eq!(fs::read_to_string(machine.path("home/.bashrc")).unwrap(), KEPT, "{name}: {seen}");
        let after = fs::read_to_string(machine.path("home/outside/SKILL.md")).ok();
        assert_eq!(before, after, "{name}: {seen}");
        let others = fs::read_dir(machine.path("home/outside")).unwrap().filter_map(Result::ok);
        let others: Vec<_> =
            others.map(|entry| entry.file_name()).filter(|name| name != "SKILL.md").collect();
        assert!(others.is_empty(), "{name}: {others:?}\n{seen}");
    });
    let honest = [
        "fmt .",
        "disable d --project",
        "new fresh",
        "export d",
        "check --fix --all --yes .",
        "publish lib/good --to site --version 1.0.0",
        "completions --man man",
    ];
    for line in honest {
        let machine = prepared();
        machine.skill("work/lib/good", "Reads it. Use when asked.");
        assert!(machine.see(line).contains("exit: 0"), "{line}: {}", machine.see(line));
    }
    Attempts::of("nothing_that_is_written_into_a_repository_leaves_it")
        .refused(cases.len())
        .honest(honest.len())
        .report();
}

/// A shell puts a completion into the user's command line.
#[test]
fn no_name_of_a_repository_is_more_than_a_word_in_a_shell() {
    let names = [
        "--trust-project",
        "-C",
        "$(touch pwned)",
        "`touch pwned`",
        "a;touch pwned",
        "a b",
        "a\\ttouch",
        "a\\ntouch pwned",
        "a'b",
        "a\\\"b",
        "a|b",
        "a&b",
        "~root",
        "*",
        "a>b",
        "a\\e[31mb",
        "a\\u202eb",
        "!!",
        "#a",
        "{a,b}",
    ];
    let machine = bare();
    for (at, name) in names.iter().enumerate() {
        let text = format!("---\nname: \"{name}\"\ndescription: Text.\n---\nText.\n");
        machine.file(&format!("work/.agents/skills/s{at}/SKILL.md"), &text);
    }
    machine.skill("work/.agents/skills/honest", "Text.");
    for shell in ["bash", "zsh", "fish"] {
        for line in [["show", ""], ["use", ""], ["show", "--"], ["disable", "-"]] {
            let output = Command::new(env!("CARGO_BIN_EXE_skillful"))
                .args(["--", "skillful"])
                .args(line)
                .current_dir(machine.work())
                .env_clear()
                .env("HOME", machine.home())
                .env("PATH", "/usr/bin:/bin")
                .env("SKILLFUL_COMPLETE", shell)
                .env("_CLAP_COMPLETE_INDEX", "2")
                .env("_CLAP_IFS", "\n")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout);
            let words = text.lines().map(|line| line.split(['\t', ':']).next().unwrap_or_default());
            for word in words.filter(|word| !word.starts_with('-')) {
                assert!(
                    word.chars().all(|c| c.is_alphanumeric() || "._@+-".contains(c)),
                    "{shell} {line:?}: {word:?}"
                );
            }
            assert!(!text.lines().any(|line| line == "--trust-project" && shell != "bash"), "{text}");
            assert_eq!(text.contains("honest"), line[1].is_empty(), "{shell} {line:?}: {text}");
        }
    }
    Attempts::of("no_name_of_a_repository_is_more_than_a_word_in_a_shell")
        .refused(names.len())
        .honest(1)
        .report();
}

/// OpenCode reads the names of its rules as patterns.
#[test]
fn a_name_that_an_agent_reads_as_a_pattern_switches_no_other_skill() {
    let machine = bare();
    fs::create_dir_all(machine.path("home/.config/opencode")).unwrap();
    let rules = "{\"permission\": {\"skill\": {\"*\": \"deny\"}}}\n";
    machine.file("home/.config/opencode/opencode.json", rules);
    let names = ["*", "a*", "?"];
    for (at, name) in names.iter().enumerate() {
        let text = format!("---\nname: \"{name}\"\ndescription: Text.\n---\nText.\n");
        machine.file(&format!("home/.agents/skills/s{at}/SKILL.md"), &text);
    }
    for name in names {
        for verb in ["enable", "disable"] {
            let output = machine.command([verb, name, "--agent", "opencode"]).output().unwrap();
            assert!(!output.status.success(), "{verb} {name}");
        }
    }
    let now = fs::read_to_string(machine.path("home/.config/opencode/opencode.json")).unwrap();
    assert_eq!(now, rules);
    Attempts::of("a_name_that_an_agent_reads_as_a_pattern_switches_no_other_skill").refused(6).report();
}
