//! Attacks with files that the user did not approve, beside or in the place of approved ones: what was judged is what
//! runs, and nothing else is read or loaded.

use crate::{bare, has_sandbox, mcp::Piped, secret::piped};
use serde_json::json;
use skillful_testkit::{Attempts, TestContext, require_tool};
use std::{
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

const SKILL: &str = "work/.claude/skills/loc";
const BODY: &str = "---\nname: loc\ndescription: Counts lines.\nallowed-tools: Bash(sh *)\nvars:\n  WHO: {default: guest}\n---\n\nHello {{WHO}}. !`sh ${CLAUDE_SKILL_DIR}/scripts/count.sh`\n";
/// Loads a package, when there is one.
const NODE: &str = "let word = 'honest';\ntry { word = require('dep'); } catch {}\nconsole.log(word);\n";
/// What an unapproved file says when it is read or run.
const PLANTED: &str = "PLANTED";

/// A repository with a skill that its user approved.
fn approved() -> TestContext {
    let machine = bare();
    machine.file(&format!("{SKILL}/SKILL.md"), BODY);
    machine.file(&format!("{SKILL}/scripts/count.sh"), "echo honest\n");
    machine.file(&format!("{SKILL}/scripts/lib/helper.py"), "WORD = 'honest'\n");
    let python = "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\nfrom helper import WORD\nprint(WORD)\n";
    machine.file(&format!("{SKILL}/scripts/plain.py"), python);
    machine.file(&format!("{SKILL}/scripts/isolated.py"), format!("#!/usr/bin/env -S python3 -E\n{python}"));
    machine.file(&format!("{SKILL}/scripts/emptied.py"), format!("#!/usr/bin/env -S -i python3\n{python}"));
    machine.file(&format!("{SKILL}/scripts/load.js"), NODE);
    let done = machine.run("trust --yes");
    assert!(done.status.success(), "{}", machine.tell(&done));
    machine
}

fn said(machine: &TestContext, line: &str) -> String {
    let output = machine.run(line);
    assert!(output.status.success(), "{line}: {}", machine.tell(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Folders and files of tools, which are never read with a skill.
const NOISE: [&str; 9] = [
    "__pycache__/e.sh",
    "node_modules/e.sh",
    ".git/e.sh",
    ".DS_Store",
    "deep/__pycache__/e.sh",
    "deep/er/node_modules/e.sh",
    "node_modules/.bin/e.sh",
    "scripts/__pycache__/e.sh",
    "lib/__pycache__/e.sh",
];

#[test]
fn a_file_in_a_folder_of_a_tool_is_not_a_program_of_a_skill() {
    for user in [false, true] {
        let machine = if user { bare() } else { approved() };
        let folder = if user { "home/.agents/skills/loc" } else { SKILL };
        if user {
            machine.skill(folder, "Counts lines.");
        }
        for path in NOISE {
            machine.file(&format!("{folder}/scripts/{path}"), format!("echo {PLANTED}\n"));
        }
        for path in NOISE {
            for line in [format!("exec loc {path}"), format!("exec loc scripts/{path}")] {
                let output = machine.run(&line);
                let told = machine.tell(&output);
                assert!(!output.status.success() && !told.contains(PLANTED), "{line}: {told}");
            }
        }
    }
    // As a user's own skill and as one of a repository, each path in two spellings.
    let count = 2 * 2 * NOISE.len();
    Attempts::of("a_file_in_a_folder_of_a_tool_is_not_a_program_of_a_skill").refused(count).report();
}

/// A compiled module in the cache of Python, which is taken for the source beside it.
fn plant_compiled(machine: &TestContext) {
    let evil = machine.file("evil.py", format!("WORD = '{PLANTED}'\n"));
    let cache = machine.path(&format!("{SKILL}/scripts/lib/__pycache__"));
    let program = "import py_compile, sys, os\nmode = py_compile.PycInvalidationMode.UNCHECKED_HASH\nname = 'helper.' + sys.implementation.cache_tag + '.pyc'\npy_compile.compile(sys.argv[1], cfile=os.path.join(sys.argv[2], name), invalidation_mode=mode)\n";
    let done = Command::new("python3").args(["-c", program]).arg(evil).arg(cache).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_compiled_file_of_python_is_not_loaded_with_any_option() {
    require_tool!("python3");
    if !has_sandbox() {
        return;
    }
    let machine = approved();
    plant_compiled(&machine);
    for program in ["plain.py", "isolated.py", "emptied.py"] {
        assert_eq!(said(&machine, &format!("exec loc {program}")), "honest\n", "{program}");
    }
}

#[test]
fn packages_between_the_project_and_the_skill_are_not_loaded() {
    require_tool!("node");
    if !has_sandbox() {
        return;
    }
    for folder in ["work/.claude/skills", "work/.claude"] {
        let machine = approved();
        assert_eq!(said(&machine, "exec loc load.js"), "honest\n");
        machine
            .file(&format!("{folder}/node_modules/dep/index.js"), format!("module.exports = '{PLANTED}';\n"));
        assert_eq!(said(&machine, "exec loc load.js"), "honest\n", "{folder}");
    }
}

#[test]
fn values_beside_a_skill_of_a_repository_say_nothing_to_a_model_and_its_programs() {
    if !has_sandbox() {
        return;
    }
    let machine = approved();
    machine.file(&format!("{SKILL}/vars.json"), format!("{{\"WHO\": \"{PLANTED}\"}}"));
    machine.file("work/.claude/skills/vars.json", format!("{{\"WHO\": \"{PLANTED}\"}}"));
    for line in ["use loc", "use loc --json", "exec loc count.sh", "show loc --variables", "ask count --json"]
    {
        let output = machine.run(line);
        let told = machine.tell(&output);
        assert!(!told.contains(PLANTED), "{line}: {told}");
    }
    assert!(said(&machine, "use loc").contains("Hello guest. honest"));
}

/// Calls of each command while a file changes.
const ROUNDS: usize = 6;

/// Puts one text and another into a file, again and again, until it is stopped.
fn swap(file: &Path, other: &Path, (honest, evil): (&str, &str), stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        for text in [evil, honest] {
            fs::write(other, text).unwrap();
            fs::rename(other, file).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn a_file_that_is_swapped_while_a_skill_is_used_is_refused_or_its_approved_text_is_used() {
    if !has_sandbox() {
        return;
    }
    let machine = approved();
    let evil_body =
        BODY.replace("Hello", PLANTED).replace("sh ${CLAUDE", &format!("echo {PLANTED}; sh ${{CLAUDE"));
    let evil_script = format!("echo {PLANTED}\n");
    let files = [("SKILL.md", BODY, evil_body.as_str()), ("scripts/count.sh", "echo honest\n", &evil_script)];
    for (path, honest, evil) in files {
        let (file, stop) = (machine.path(&format!("{SKILL}/{path}")), AtomicBool::new(false));
        std::thread::scope(|scope| {
            // The temporary file lies outside, so that the skill has only the two states.
            let other = machine.path("other");
            let (file, stop) = (&file, &stop);
            scope.spawn(move || swap(file, &other, (honest, evil), stop));
            for _ in 0..ROUNDS {
                for line in ["use loc", "exec loc count.sh", "use skill://loc/scripts/count.sh"] {
                    let output = machine.run(line);
                    // A refusal may name what the files want now.
                    let planted = String::from_utf8_lossy(&output.stdout).contains(PLANTED);
                    if planted {
                        stop.store(true, Ordering::Relaxed);
                    }
                    assert!(!planted, "{line} with {path}: {}", machine.tell(&output));
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        fs::write(&file, honest).unwrap();
    }
}

#[test]
fn a_running_server_reads_no_file_that_changed() {
    let machine = approved();
    let mut server = Piped::start(&machine, &[]);
    let read = |server: &mut Piped| {
        let file = json!({ "name": "loc", "path": "scripts/count.sh" });
        [
            server.ask("tools/call", &json!({ "name": "read_skill_file", "arguments": file })).to_string(),
            server.ask("resources/read", &json!({ "uri": "skill://loc/scripts/count.sh" })).to_string(),
            server.ask("skills/list", &json!({})).to_string(),
        ]
    };
    assert!(read(&mut server)[0].contains("echo honest"));
    machine.file(&format!("{SKILL}/scripts/count.sh"), format!("echo {PLANTED}\n"));
    for answer in read(&mut server) {
        assert!(!answer.contains(PLANTED), "{answer}");
    }
}

/// Commands that name a file of the skill by a relative path, and the same file in the project.
#[test]
fn a_file_of_the_project_does_not_take_the_place_of_one_of_the_skill() {
    if !has_sandbox() {
        return;
    }
    let commands = [
        "scripts/x.sh",
        "./scripts/x.sh",
        "sh scripts/x.sh",
        "sh \"scripts/x.sh\"",
        "true; sh 'scripts/x.sh'",
        "sh scripts//x.sh",
        "true \\' ; sh scripts/x.sh; true \\'",
        "sh <scripts/x.sh",
        "sh \"scripts\"/x.sh",
        "sh scr'ipts/x.'sh",
        "sh scripts/*.sh",
        "cd scripts && ./x.sh",
        "sh -c 'cd scripts && sh x.sh'",
    ];
    for command in commands {
        let machine = bare();
        let folder = "work/.claude/skills/rel";
        let head = "name: rel\ndescription: Runs.\nallowed-tools: Bash(scripts/x.sh:*) Bash(./scripts/x.sh:*) Bash(sh:*) Bash(true:*) Bash(cd:*) Bash(./x.sh:*)";
        machine.file(&format!("{folder}/SKILL.md"), format!("---\n{head}\n---\nIt says !`{command}`\n"));
        skillful_testkit::write_program(
            &machine.path(&format!("{folder}/scripts/x.sh")),
            "#!/bin/sh\necho honest\n",
        );
        assert!(machine.run("trust --yes").status.success());
        skillful_testkit::write_program(
            &machine.path("work/scripts/x.sh"),
            &format!("#!/bin/sh\necho {PLANTED}\n"),
        );
        let told = machine.see("use rel");
        // A spelling that the grant does not let through runs nothing.
        let is_closed = told.contains("It says honest") || told.contains("is not allowed");
        assert!(!told.contains(PLANTED) && is_closed, "{command}: {told}");
    }
    let test = "a_file_of_the_project_does_not_take_the_place_of_one_of_the_skill";
    Attempts::of(test).refused(commands.len()).report();
}

#[test]
fn a_program_with_a_secret_loads_no_package_of_the_project() {
    require_tool!("node");
    if !has_sandbox() {
        return;
    }
    let machine = bare();
    let folder = "work/.claude/skills/mail";
    machine.file(
        &format!("{folder}/SKILL.md"),
        "---\nname: mail\ndescription: Sends.\nenv:\n  - {var: MAIL_TOKEN, from: secret, service: mail, key: token}\n---\nSend.\n",
    );
    machine.file(&format!("{folder}/scripts/load.js"), NODE);
    assert!(machine.run("trust --yes").status.success());
    let set = piped(&machine, "secret set mail token --skill mail", "a-value-of-this-test");
    assert!(set.starts_with("exit: 0"), "{set}");
    machine.file("work/node_modules/dep/index.js", format!("module.exports = '{PLANTED}';\n"));
    assert_eq!(said(&machine, "exec mail load.js"), "honest\n");
}
