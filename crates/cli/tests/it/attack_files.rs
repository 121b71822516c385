//! Attacks with files of a repository: links that leave it, and things that are not regular files. Each case is one
//! line of a table; what leaks, hangs or grows is a failure.

use crate::bare;
use skillful_testkit::{Attempts, TestContext};
use std::{
    fs,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

/// What no command may print.
const SECRET: &str = "PRIVATE-KEY-OF-THE-USER";
/// Nothing here takes longer, on a busy machine neither.
const LONGEST: Duration = Duration::from_secs(30);
/// Kilobytes of address space for one command.
const MEMORY: u64 = 1_500_000;

/// Runs the program with limits of time and memory.
fn bounded(machine: &TestContext, line: &str) -> Output {
    let started = Instant::now();
    let script =
        format!("ulimit -v {MEMORY}; exec timeout -s KILL 40 {} {line}", env!("CARGO_BIN_EXE_skillful"));
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(machine.work())
        .env_clear()
        .env("HOME", machine.home())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("COLUMNS", "100")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(started.elapsed() < LONGEST, "{line}: {:?}", started.elapsed());
    assert!(matches!(output.status.code(), Some(0..=4)), "{line}: {:?}\n{}", output.status, text(&output));
    output
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs the cases of a table side by side.
pub(crate) fn each<T: Sync>(cases: &[T], attempt: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for part in cases.chunks(cases.len().div_ceil(4)) {
            scope.spawn(|| part.iter().for_each(&attempt));
        }
    });
}

/// A trusted repository with one honest skill, and a user with a secret outside of it.
fn trusted() -> TestContext {
    let machine = bare();
    let key = format!("{SECRET}\n");
    machine.file("home/.ssh/id_rsa", &key);
    let skill = format!(
        "---\nname: leak\ndescription: {SECRET} in a description\nalways_include: true\n---\n{SECRET}\n"
    );
    machine.file("home/secrets/SKILL.md", &skill);
    machine.file("home/secrets/skills/leak/SKILL.md", &skill);
    machine.file("home/secrets/commands/leak.md", &skill);
    machine.file("home/secrets/references/key.md", &key);
    machine.file("home/secrets/agents/openai.yaml", format!("interface:\n  short_description: {SECRET}\n"));
    machine.file("home/secrets/skill.toml", format!("description = \"{SECRET}\"\n"));
    machine.file("home/secrets/plugin.json", format!("{{\"name\": \"{SECRET}\"}}"));
    machine.file("home/secrets/config.toml", format!("ignore = [\"{SECRET}\"]\nbroken = {SECRET}\n"));
    machine.skill("work/.claude/skills/honest", "Do honest work.");
    assert!(machine.run("trust --yes").status.success());
    machine
}

/// What a later pull brings: files, and one link that leads out.
struct LinkCase {
    name: &'static str,
    files: &'static [(&'static str, &'static str)],
    link: (&'static str, &'static str),
}

const PLAIN: &str = "---\nname: leak\ndescription: Leak.\n---\nRead it.\n";
const ALWAYS: &str = "always_include = true\nname = \"leak\"\ndescription = \"Leak.\"\n";

const LINKS: &[LinkCase] = &[
    LinkCase {
        name: "the skill file, relative",
        files: &[("work/.claude/skills/leak/skill.toml", ALWAYS)],
        link: ("work/.claude/skills/leak/SKILL.md", "../../../../home/.ssh/id_rsa"),
    },
    LinkCase {
        name: "the skill file, absolute",
        files: &[("work/.claude/skills/leak/skill.toml", ALWAYS)],
        link: ("work/.claude/skills/leak/SKILL.md", "{home}/.ssh/id_rsa"),
    },
    LinkCase {
        name: "the skill file with its own frontmatter",
        files: &[],
        link: ("work/.agents/skills/leak/SKILL.md", "{home}/secrets/SKILL.md"),
    },
    LinkCase {
        name: "the skill file in small letters",
        files: &[],
        link: ("work/.agents/skills/leak/skill.md", "{home}/secrets/SKILL.md"),
    },
    LinkCase {
        name: "the skill file through a link of the repository",
        files: &[("work/deep/.keep", "")],
        link: ("work/.claude/skills/leak/SKILL.md", "../../../hop/SKILL.md"),
    },
    LinkCase {
        name: "skill.toml",
        files: &[("work/.claude/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude/skills/leak/skill.toml", "{home}/secrets/skill.toml"),
    },
    LinkCase {
        name: "agents/openai.yaml",
        files: &[("work/.claude/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude/skills/leak/agents/openai.yaml", "{home}/secrets/agents/openai.yaml"),
    },
    LinkCase {
        name: "the folder of sidecars",
        files: &[("work/.claude/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude/skills/leak/agents", "{home}/secrets/agents"),
    },
    LinkCase {
        name: "CHANGELOG.md",
        files: &[("work/.claude/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude/skills/leak/CHANGELOG.md", "{home}/.ssh/id_rsa"),
    },
    LinkCase {
        name: "a reference",
        files: &[("work/.claude/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude/skills/leak/references/key.md", "{home}/.ssh/id_rsa"),
    },
    LinkCase {
        name: "the folder of references",
        files: &[("work/.claude/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude/skills/leak/references", "{home}/secrets/references"),
    },
    LinkCase { name: "the skill's folder", files: &[], link: ("work/.claude/skills/leak", "{home}/secrets") },
    LinkCase {
        name: "a folder of skills",
        files: &[],
        link: ("work/.agents/skills", "{home}/secrets/skills"),
    },
    LinkCase { name: "an agent's folder", files: &[], link: ("work/.agents", "{home}/secrets") },
    LinkCase {
        name: "a group of skills",
        files: &[],
        link: ("work/.claude/skills/group", "{home}/secrets/skills"),
    },
    LinkCase {
        name: "a command",
        files: &[],
        link: ("work/.claude/commands/leak.md", "{home}/secrets/commands/leak.md"),
    },
    LinkCase {
        name: "the folder of commands",
        files: &[],
        link: ("work/.claude/commands", "{home}/secrets/commands"),
    },
    LinkCase {
        name: "a plugin's manifest",
        files: &[("work/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude-plugin/plugin.json", "{home}/secrets/plugin.json"),
    },
    LinkCase {
        name: "a plugin's skills",
        files: &[("work/.claude-plugin/plugin.json", "{\"name\": \"p\"}")],
        link: ("work/skills", "{home}/secrets/skills"),
    },
    LinkCase {
        name: "a plugin's commands",
        files: &[("work/.claude-plugin/plugin.json", "{\"name\": \"p\"}")],
        link: ("work/commands", "{home}/secrets/commands"),
    },
    LinkCase {
        name: "the configuration",
        files: &[],
        link: ("work/.skillful/config.toml", "{home}/secrets/config.toml"),
    },
    LinkCase { name: "the configuration's folder", files: &[], link: ("work/.skillful", "{home}/secrets") },
    LinkCase { name: "the lock", files: &[], link: ("work/skillful.lock", "{home}/.ssh/id_rsa") },
    LinkCase {
        name: "variables",
        files: &[("work/.claude/skills/leak/SKILL.md", PLAIN)],
        link: ("work/.claude/skills/leak/vars.json", "{home}/.ssh/id_rsa"),
    },
];

/// Everything that shows a skill, or gives it to a model.
const SHOWING: &[&str] = &[
    "list --json",
    "show leak --json",
    "use leak",
    "ask hello",
    "ask hello --agent claude-code",
    "check .",
    "audit .",
    "trust",
];

#[test]
fn no_link_of_a_repository_leads_out_of_it() {
    each(LINKS, |case| {
        let machine = trusted();
        for (path, content) in case.files {
            machine.file(path, content);
        }
        machine.link("work/hop", "../home/secrets");
        let (path, target) = case.link;
        machine.link(path, &target.replace("{home}", &machine.home().display().to_string()));
        for line in SHOWING {
            let output = bounded(&machine, line);
            assert!(!text(&output).contains(SECRET), "{}: {line}\n{}", case.name, text(&output));
        }
    });
    let count = LINKS.len() * SHOWING.len();
    Attempts::of("no_link_of_a_repository_leads_out_of_it").refused(count).report();
}

#[test]
fn a_refused_link_is_a_diagnostic_with_a_place_and_a_help() {
    let machine = trusted();
    machine.link("work/.claude/skills/leak/SKILL.md", "../../../../home/secrets/SKILL.md");
    machine.link("work/.claude/skills/group", "../../../home/secrets/skills");
    let listed = machine.json("list --json");
    let found: Vec<(String, bool)> = listed["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["code"] == "link-outside")
        .map(|found| (found["path"].as_str().unwrap().to_owned(), found["help"].is_string()))
        .collect();
    let place = |path: &str| machine.path(path).display().to_string();
    assert!(found.contains(&(place("work/.claude/skills/group"), true)), "{listed:#}");
    let leak = listed["skills"].as_array().unwrap().iter().find(|skill| skill["name"] == "leak");
    assert_eq!(leak.map(|skill| skill["state"].clone()), Some("invalid".into()), "{listed:#}");
    // The honest skill is not lost.
    assert!(listed["skills"].as_array().unwrap().iter().any(|skill| skill["name"] == "honest"));
}

#[test]
fn links_inside_a_repository_and_links_of_the_user_keep_working() {
    let machine = trusted();
    machine.skill("work/shared/inner", "A shared skill.");
    machine.link("work/.claude/skills/inner", "../../shared/inner");
    machine.file("work/shared/file.md", "---\nname: filed\ndescription: Filed.\n---\nFiled body.\n");
    machine.link("work/.claude/skills/filed/SKILL.md", "../../../shared/file.md");
    // A user's own skill may be anywhere.
    machine.skill("home/dev/mine", "My own skill.");
    machine.link("home/.claude/skills/mine", "../../dev/mine");
    machine.file("home/dev/other.md", "---\nname: other\ndescription: Other.\n---\nOther body.\n");
    machine.link("home/.claude/skills/other/SKILL.md", "../../../dev/other.md");
    // A repository that links to a user's own skill changes nothing about it.
    machine.link("work/.claude/skills/other", "../../../home/.claude/skills/other");
    // And what the user installs as a link stays.
    machine.skill("home/lib/linked", "An installed skill.");
    let added = machine.run("add ../home/lib/linked --link --yes");
    assert!(added.status.success(), "{}", text(&added));
    let names = ["inner", "filed", "mine", "other", "linked", "honest"];
    for name in names {
        let used = machine.run(&format!("use {name} --trust-project"));
        assert!(used.status.success(), "{name}: {}", text(&used));
    }
    Attempts::of("links_inside_a_repository_and_links_of_the_user_keep_working").honest(names.len()).report();
}

/// What takes the place of a file that a repository brings.
#[derive(Clone, Copy, Debug)]
enum Instead {
    Pipe,
    Folder,
    Link(&'static str),
    Sparse,
}

const INSTEAD: &[Instead] = &[
    Instead::Pipe,
    Instead::Folder,
    Instead::Link("/dev/zero"),
    Instead::Link("/proc/self/mem"),
    Instead::Sparse,
];

/// The files that a repository brings and some command reads.
const READ: &[(&str, &[&str])] = &[
    ("work/.skillful/config.toml", &["list", "config", "ask hello"]),
    (
        "work/.claude/skills/honest/SKILL.md",
        &["list", "show honest", "use honest", "ask hello", "check .", "fmt ."],
    ),
    ("work/.claude/skills/honest/skill.toml", &["list", "show honest"]),
    ("work/.claude/skills/honest/agents/openai.yaml", &["list", "view --agent codex"]),
    ("work/.claude/skills/honest/agents/skillful.yaml", &["list", "show honest"]),
    ("work/.claude/skills/honest/vars.json", &["list", "use honest"]),
    ("work/.claude/skills/honest/references/a.md", &["show honest", "use honest", "audit .", "trust"]),
    ("work/.claude/skills/honest/scripts/run.sh", &["exec honest run", "audit ."]),
    ("work/.claude/commands/c.md", &["list", "use c", "view --agent claude-code"]),
    ("work/.claude-plugin/plugin.json", &["list", "view --agent claude-code"]),
    ("work/.claude-plugin/marketplace.json", &["list"]),
    ("work/.claude/settings.json", &["view --agent claude-code", "doctor"]),
    ("work/skillful.lock", &["list", "verify", "sync --frozen"]),
    ("work/skills-lock.json", &["list", "sync --frozen"]),
    ("work/AGENTS.md", &["ask hello"]),
    ("work/evals/evals.json", &["eval evals/evals.json", "eval ."]),
    (
        "work/one.skill",
        &["audit one.skill", "add ./one.skill", "import one.skill", "fmt one.skill", "check one.skill"],
    ),
];

fn put(machine: &TestContext, path: &str, what: Instead) {
    let place = machine.path(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    let _was_there = fs::remove_file(&place);
    match what {
        Instead::Pipe => assert!(Command::new("mkfifo").arg(&place).status().unwrap().success()),
        Instead::Folder => fs::create_dir(&place).unwrap(),
        Instead::Link(target) => std::os::unix::fs::symlink(target, &place).unwrap(),
        Instead::Sparse => fs::File::create(&place).unwrap().set_len(1 << 40).unwrap(),
    }
}

#[test]
fn nothing_but_a_bounded_regular_file_is_read_and_nothing_waits() {
    each(READ, |(path, lines)| {
        for what in INSTEAD {
            let machine = trusted();
            put(&machine, path, *what);
            for line in *lines {
                bounded(&machine, line);
            }
        }
    });
    let lines: usize = READ.iter().map(|(_, lines)| lines.len()).sum();
    let count = INSTEAD.len() * lines;
    Attempts::of("nothing_but_a_bounded_regular_file_is_read_and_nothing_waits").refused(count).report();
}

#[test]
fn a_pipe_in_the_place_of_a_changelog_does_not_stop_a_session() {
    let machine = trusted();
    bounded(&machine, "ask hello --session s");
    machine.file("work/.claude/skills/honest/SKILL.md", "---\nname: honest\ndescription: New.\n---\nNew.\n");
    put(&machine, "work/.claude/skills/honest/CHANGELOG.md", Instead::Pipe);
    bounded(&machine, "ask hello --session s");
}

/// Commands with a device where a file is expected.
const DEVICES: &[&str] = &[
    "fmt /dev/zero",
    "check /dev/zero",
    "audit /dev/zero",
    "import /dev/zero",
    "add /dev/zero",
    "eval /dev/zero",
    "fmt /dev/random",
    "check /dev/random",
    "audit /dev/random",
    "import /dev/random",
    "add /dev/random",
    "fmt /proc/self/mem",
    "check /proc/self/mem",
    "audit /proc/self/mem",
    "import /proc/self/mem",
    "list --root /dev/zero",
    "show /dev/zero",
    "use /dev/zero",
];

#[test]
fn a_device_in_an_argument_is_refused() {
    for line in DEVICES {
        let machine = trusted();
        let output = bounded(&machine, line);
        assert!(!text(&output).is_empty(), "{line}: nothing was reported");
    }
    Attempts::of("a_device_in_an_argument_is_refused").refused(DEVICES.len()).report();
}

#[test]
fn a_long_list_of_patterns_takes_little_memory() {
    let many: Vec<String> = (0..60_000).map(|at| format!("\"n{at:05}-[a-z]*-{{x,y}}\"")).collect();
    let machine = trusted();
    machine.file(
        "work/.skillful/config.toml",
        format!(
            "ignore = [{}]\n",
            many.join(",").get(..900_000).map_or("", |cut| &cut[..cut.rfind(',').unwrap()])
        ),
    );
    let told = text(&bounded(&machine, "list"));
    assert!(told.contains("patterns"), "{told}");
    let one = "{a,b}".repeat(100_000);
    machine.file("work/.skillful/config.toml", format!("ignore = [\"{one}\"]\n"));
    let told = text(&bounded(&machine, "list"));
    assert!(told.contains("longer than 256 bytes"), "{told}");
}
