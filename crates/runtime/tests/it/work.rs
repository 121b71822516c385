//! Commands of bodies, hooks and programs, in the real sandbox of this machine.

use crate::library::{Library, admitted, at};
use serde_json::json;
use skillful_catalog::{Approvals, Catalog, Inputs, access::NotAdmitted, profile::ToolListMode};
use skillful_format::ToolGrant;
use skillful_runtime::{
    Activation, ActivationError, BodyExecution, activate,
    compose::load,
    exec::{self, ExecError, Program},
    hooks::{Event, Happening, Hooks, Live},
    policy::{Aliases, Ground, ManifestRule, PathBase, ToolLists, ToolsInEffect},
    room::{COMMAND_TIME, Grants, Room, Run, Sandbox},
};
use skillful_sandbox::{Job, Limits, Outcome, Require, SandboxError};
use skillful_testkit::{require_tool, skip};
use std::{
    collections::BTreeMap,
    fs,
    sync::Arc,
    time::{Duration, Instant},
};

static SANDBOX: Sandbox = Sandbox::new(Require::Sandbox);

/// Whether commands can be run here. If not, the test is reported as skipped.
fn has_sandbox() -> bool {
    let holds = SANDBOX.report().best().is_some();
    if !holds {
        skip(&format!("no sandbox holds here: {:?}", SANDBOX.report().tiers()));
    }
    holds
}

/// A machine without any sandbox.
#[derive(Debug)]
struct Nowhere;

impl Run for Nowhere {
    fn run(&self, _: &Job) -> Result<Outcome, SandboxError> {
        Err(SandboxError::Unavailable {
            wanted: "any tier".to_owned(),
            reasons: "install bubblewrap".to_owned(),
        })
    }
}

fn ground() -> Ground {
    let place = PathBase { folder: "/work".to_owned(), home: None };
    Ground::new(&BTreeMap::new(), &[], ToolListMode::Restrict, place)
}

fn performed(library: &Library, name: &str, arguments: &str) -> Result<Activation, ActivationError> {
    performed_by(library, name, arguments, Some(&SANDBOX), &ToolsInEffect::default())
}

fn performed_by(
    library: &Library,
    name: &str,
    arguments: &str,
    run: Option<&dyn Run>,
    in_effect: &ToolsInEffect,
) -> Result<Activation, ActivationError> {
    let catalog = library.catalog();
    let (grants, ground) = (Grants::default(), ground());
    let mut engine = library.engine(&catalog);
    engine.work = Some(BodyExecution { grants: &grants, ground: &ground, in_effect, opt_in: false, run });
    activate(&engine, &admitted(&engine, name), arguments)
}

#[test]
fn commands_run_before_a_model_reads_and_their_output_takes_their_place() {
    if !has_sandbox() {
        return;
    }
    let body = "Hi !`echo one` and:\n\n```!\necho $0\nprintf '%s' \"$SKILL_DIRX\"\n```\n\nNot `!`echo two``, not \\$0.";
    let library = Library::new().skill("hello", "", body);
    let found = performed(&library, "hello", "'a; echo !`id`'").unwrap();
    assert_eq!(
        found.instructions, "Hi one and:\n\na; echo !`id`\n\nNot `!`echo two``, not $0.\n",
        "{:?}",
        found.performed
    );
    assert_eq!((found.commands.len(), found.performed.len()), (0, 2));
}

#[test]
fn a_command_sees_its_skill_and_the_project_and_writes_nowhere() {
    if !has_sandbox() {
        return;
    }
    let body = "!`cat ${CLAUDE_SKILL_DIR}/notes.md; cat file.txt; ls ~/.secret 2>/dev/null; env | grep -c LEAKED; true`";
    let library = Library::new()
        .skill("look", "", body)
        .file(".agents/skills/look/notes.md", "my notes\n")
        .file(".secret", "never")
        .file("work/file.txt", "project file\n");
    let found = performed(&library, "look", "").unwrap();
    assert_eq!(found.instructions, "my notes\nproject file\n0\n");
    for target in ["${CLAUDE_SKILL_DIR}/new", "new"] {
        let library = Library::new().skill("write", "", &format!("!`touch {target}`"));
        let stopped = performed(&library, "write", "").unwrap_err().to_string();
        assert!(stopped.contains("failed with code 1"), "{stopped}");
        assert!(!library.folder("write").join("new").exists());
    }
}

#[test]
fn a_command_that_is_not_allowed_stops_the_activation_and_runs_nothing() {
    for (header, body, why) in [
        ("allowed-tools: Read", "!`git status`", "the active skill allows only Read"),
        ("allowed-tools: Bash(git:*)", "!`git status; id`", "`id` is not allowed"),
        ("allowed-tools: Bash(git:*)", "!`git log $(id)`", "it cannot be shown to be allowed"),
        ("disallowed-tools: Bash(id)", "!`id`", "forbidden"),
        ("", "!`eval $0`", "could become code"),
    ] {
        let library = Library::new().skill("x", header, body);
        let stopped = performed_by(&library, "x", "a", Some(&Nowhere), &ToolsInEffect::default())
            .unwrap_err()
            .to_string();
        assert!(stopped.contains(why) && stopped.contains("the skill `x`"), "{stopped}");
    }
    let library = Library::new().skill("x", "", "!`id`");
    let grant = |text: &str| ToolGrant::parse(text).unwrap();
    let lists = ToolLists { allowed: None, disallowed: vec![grant("Bash")], ..ToolLists::default() };
    let banned = ToolsInEffect { lists, rule: ManifestRule::OptIn };
    let stopped = performed_by(&library, "x", "", Some(&Nowhere), &banned).unwrap_err().to_string();
    assert!(stopped.contains("forbidden"), "what the person forbids counts: {stopped}");
}

#[test]
fn frontmatter_never_widens_what_the_user_allows_and_the_difference_is_reported() {
    if !has_sandbox() {
        return;
    }
    let library = Library::new().skill("x", "allowed-tools: Read Bash(echo:*)", "!`echo hi`");
    let allowed = Some(vec![ToolGrant::parse("Read").unwrap()]);
    for rule in [ManifestRule::Strict, ManifestRule::TrustedSource, ManifestRule::OptIn] {
        let in_effect =
            ToolsInEffect { lists: ToolLists { allowed: allowed.clone(), ..ToolLists::default() }, rule };
        let stopped = performed_by(&library, "x", "", Some(&SANDBOX), &in_effect).unwrap_err().to_string();
        assert!(stopped.contains("the active skill allows only Read"), "{rule:?}: {stopped}");
    }
    let found = performed(&library, "x", "").unwrap();
    assert_eq!(
        found.difference.unwrap().to_string(),
        "now every tool is allowed; the skill leaves only Read, Bash(echo:*)"
    );
}

#[test]
fn a_command_that_was_not_there_when_the_skill_was_loaded_is_not_run() {
    let library = Library::new().skill("x", "", "!`echo one`");
    let catalog = library.catalog();
    let (grants, ground, in_effect) = (Grants::default(), ground(), ToolsInEffect::default());
    let mut engine = library.engine(&catalog);
    engine.work = Some(BodyExecution {
        grants: &grants,
        ground: &ground,
        in_effect: &in_effect,
        opt_in: false,
        run: Some(&Nowhere),
    });
    let proof = admitted(&engine, "x");
    fs::write(library.folder("x").join("SKILL.md"), "---\nname: x\n---\n!`echo one` !`echo two`\n").unwrap();
    let stopped = activate(&engine, &proof, "").unwrap_err().to_string();
    assert!(stopped.contains("`echo two`") && stopped.contains("when the skill was loaded"), "{stopped}");
}

#[test]
fn an_argument_is_judged_as_the_word_it_becomes() {
    if !has_sandbox() {
        return;
    }
    let library = Library::new().skill("x", "allowed-tools: Bash(echo:*)", "!`echo $ARGUMENTS`");
    assert_eq!(performed(&library, "x", "'a; id' *").unwrap().instructions, "a; id *\n");
}

#[test]
fn without_a_sandbox_a_command_is_refused_and_never_run() {
    let library = Library::new().skill("x", "", "!`id`");
    let stopped =
        performed_by(&library, "x", "", Some(&Nowhere), &ToolsInEffect::default()).unwrap_err().to_string();
    assert!(stopped.contains("refused: no usable sandbox"), "{stopped}");
    let off = performed_by(&library, "x", "", None, &ToolsInEffect::default()).unwrap_err().to_string();
    assert!(off.contains("`run.commands` is off"), "{off}");
}

#[test]
fn a_command_that_fails_stops_the_activation_with_its_words_and_no_match_is_an_answer() {
    if !has_sandbox() {
        return;
    }
    let library = Library::new().skill("x", "", "!`echo broken >&2; exit 3`");
    let stopped = performed(&library, "x", "").unwrap_err().to_string();
    assert!(stopped.contains("failed with code 3: broken"), "{stopped}");
    let library = Library::new().skill("x", "", "Found: !`grep nothing /etc/passwd`");
    assert_eq!(performed(&library, "x", "").unwrap().instructions, "Found: \n");
}

/// The sandbox, which waits for less time than a command has.
#[derive(Debug)]
struct Hasty;

impl Run for Hasty {
    fn run(&self, job: &Job) -> Result<Outcome, SandboxError> {
        assert_eq!(job.limits.time, Some(COMMAND_TIME), "a command has no other limit");
        let limits = Limits { time: Some(Duration::from_millis(300)), ..job.limits };
        SANDBOX.run(&Job { limits, ..job.clone() })
    }
}

#[test]
fn a_command_that_takes_longer_than_its_limit_is_ended_and_stops_the_activation() {
    if !has_sandbox() {
        return;
    }
    let library = Library::new().skill("x", "", "Before. !`sleep 600`");
    let start = Instant::now();
    let stopped =
        performed_by(&library, "x", "", Some(&Hasty), &ToolsInEffect::default()).unwrap_err().to_string();
    assert!(stopped.contains("`sleep 600`") && stopped.contains("took too long and was ended"), "{stopped}");
    assert!(start.elapsed() < Duration::from_mins(1), "the command was waited for: {:?}", start.elapsed());
}

#[test]
fn long_output_is_cut_and_reported() {
    if !has_sandbox() {
        return;
    }
    let library = Library::new().skill("x", "", "!`seq 100000`");
    let found = performed(&library, "x", "").unwrap();
    assert!(found.performed[0].cut);
    assert!(found.instructions.ends_with("(the rest of the output is not shown)\n"));
    assert!(found.instructions.len() < 40_000);
}

/// What a user has approved who installed the skill of a folder.
fn approved(folder: &std::path::Path) -> Approvals {
    let (tree, _) = skillful_catalog::disk::read_folder(folder, &skillful_format::Limits::default()).unwrap();
    Approvals::new([folder.to_path_buf()], [tree.digest()])
}

#[test]
fn an_installed_skill_that_changed_is_not_activated_whatever_changed() {
    let library = Library::new().skill("x", "", "Text.").file(".agents/skills/x/scripts/a.sh", "echo a\n");
    let approvals = Arc::new(approved(&library.folder("x")));
    let catalog = library.with_inputs(|inputs| Catalog::build(Inputs { approvals: &approvals, ..inputs }));
    let engine = library.engine(&catalog);
    let proof = admitted(&engine, "x");
    assert!(activate(&engine, &proof, "").is_ok());
    let script = library.folder("x").join("scripts/a.sh");
    let bytes = fs::read(&script).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&script, flipped).unwrap();
        let refused = activate(&engine, &proof, "").unwrap_err();
        assert!(matches!(refused, ActivationError::NotAdmitted(NotAdmitted::NotApproved(_))), "{refused}");
    }
    fs::write(&script, bytes).unwrap();
    assert!(activate(&engine, &proof, "").is_ok());
    fs::write(library.folder("x").join("new.md"), "more").unwrap();
    assert!(activate(&engine, &proof, "").is_err(), "a new file is a change");
}

fn room(library: &Library, catalog: &Catalog, name: &str) -> Room {
    let engine = library.engine(catalog);
    let skill = catalog.admitted(&admitted(&engine, name)).unwrap();
    Room::of(&engine, &skill, &Grants::default(), &BTreeMap::new()).unwrap()
}

fn happens(event: Event, tool: Option<&str>) -> Happening {
    Happening {
        event,
        tool: tool.map(str::to_owned),
        input: json!({ "command": "rm -rf /" }),
        more: serde_json::Map::new(),
    }
}

#[test]
fn hooks_live_as_long_as_their_skill_and_once_ends_after_the_first_success() {
    if !has_sandbox() {
        return;
    }
    let header = r#"hooks:
  PreToolUse:
    - matcher: "Bash|Edit"
      hooks:
        - type: command
          command: "grep -q 'rm -rf' && { echo 'no removing' >&2; exit 2; }; exit 0"
    - matcher: Read
      hooks:
        - {type: command, command: "cat scripts/answer.json", once: true}
  PostToolUse:
    - hooks:
        - {type: command, command: "exit 7", once: true}"#;
    let answer = r#"{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"path": "b"}, "additionalContext": "mind the gap"}}"#;
    let library = Library::new().skill("guard", header, "x").file("work/scripts/answer.json", answer);
    let catalog = library.catalog();
    let (hooks, wrong) = Hooks::of(&catalog.entries[at(&catalog, "guard")].loaded.manifest);
    assert_eq!((hooks.0.len(), wrong.len()), (3, 0));
    let aliases = Aliases::of(&BTreeMap::new(), &[]);
    let mut live = Live::default();
    live.arm("guard", hooks, &Ok(room(&library, &catalog, "guard")), &|_| false);
    let fired = live.fire(&happens(Event::PreToolUse, Some("run_command")), &aliases, &SANDBOX);
    assert_eq!(fired.blocked.as_deref(), Some("no removing"), "by our name of the tool too: {fired:?}");
    let fired = live.fire(&happens(Event::PreToolUse, Some("Read")), &aliases, &SANDBOX);
    assert_eq!((fired.blocked, fired.input), (None, Some(json!({ "path": "b" }))));
    assert_eq!(fired.context, ["mind the gap"]);
    assert!(fired.diagnostics[0].message.contains("cannot allow"), "a hook never widens");
    assert_eq!(live.len(), 2, "once is over");
    let fired = live.fire(&happens(Event::PostToolUse, Some("Read")), &aliases, &SANDBOX);
    assert_eq!(
        (fired.blocked, fired.diagnostics.len(), live.len()),
        (None, 1, 2),
        "a failure is not a success"
    );
    let fired = live.fire(&happens(Event::PreToolUse, Some("Bash")), &aliases, &Nowhere);
    assert!(fired.blocked.unwrap().contains("could not judge"), "a guard that cannot run blocks");
    live.keep_only("another");
    assert!(live.is_empty());
}

#[test]
fn a_hook_gets_what_happened_by_its_input_and_nothing_in_its_text() {
    if !has_sandbox() {
        return;
    }
    let header = "hooks:\n  UserPromptSubmit:\n    - hooks: [{command: \"echo got; cat\"}]";
    let library = Library::new().skill("echo", header, "x");
    let catalog = library.catalog();
    let mut live = Live::default();
    let (hooks, _) = Hooks::of(&catalog.entries[at(&catalog, "echo")].loaded.manifest);
    live.arm("echo", hooks, &Ok(room(&library, &catalog, "echo")), &|_| false);
    let mut happening = happens(Event::UserPromptSubmit, None);
    happening.more.insert("prompt".to_owned(), json!("$(id) `id`"));
    let aliases = Aliases::of(&BTreeMap::new(), &[]);
    let fired = live.fire(&happening, &aliases, &SANDBOX);
    assert_eq!(fired.blocked, None, "{fired:?}");
    let told = fired.context[0].strip_prefix("got\n").unwrap();
    let told: serde_json::Value = serde_json::from_str(told).unwrap();
    assert_eq!(told["prompt"], "$(id) `id`");
    assert_eq!(
        (told["hook_event_name"].as_str(), told["skill"].as_str()),
        (Some("UserPromptSubmit"), Some("echo"))
    );
}

#[test]
fn programs_run_by_name_with_words_and_report_the_result() {
    require_tool!("python3");
    if !has_sandbox() {
        return;
    }
    let library = Library::new()
        .skill("tool", "cli: true", "x")
        .file(".agents/skills/tool/scripts/say.sh", "#!/bin/sh\nprintf '%s|' \"$@\"; cat; exit 3\n")
        .file(".agents/skills/tool/scripts/tool.py", "import os; print(sorted(os.environ)[:0], 'py')\n")
        .file("outside.sh", "id\n");
    std::os::unix::fs::symlink(
        library.path().join("outside.sh"),
        library.folder("tool").join("scripts/link.sh"),
    )
    .unwrap();
    let catalog = library.catalog();
    let skill = catalog.admitted(&admitted(&library.engine(&catalog), "tool")).unwrap();
    let room = room(&library, &catalog, "tool");
    let none = BTreeMap::new();
    let run = |name: Option<&str>, arguments: &[String]| {
        let program = exec::find(&skill, name)?;
        let call = exec::Call {
            skill: &skill,
            program: &program,
            arguments,
            stdin: b"in",
            environment: &none,
            has_secrets: false,
            time: Duration::from_secs(20),
        };
        exec::run(&call, &room, &SANDBOX)
    };
    let said = run(Some("say"), &["a b".to_owned(), "$(id)".to_owned()]).unwrap();
    assert_eq!((said.exit_code, said.stdout.as_str(), said.status), (3, "a b|$(id)|in", "error"));
    assert_eq!(run(None, &[]).unwrap().stdout, "[] py\n", "a skill with `cli` is a program itself");
    for name in ["../../outside.sh", "/bin/id", "link.sh", "gone", ".hidden"] {
        assert!(run(Some(name), &[]).is_err(), "{name}");
    }
}

#[test]
fn a_proof_of_an_older_catalog_activates_loads_and_runs_nothing() {
    let library =
        Library::new().skill("tool", "", "x").file(".agents/skills/tool/scripts/say.sh", "echo said\n");
    let (older, catalog) = (library.catalog(), library.catalog());
    let proof = admitted(&library.engine(&older), "tool");
    let engine = library.engine(&catalog);
    assert!(matches!(
        activate(&engine, &proof, ""),
        Err(ActivationError::NotAdmitted(NotAdmitted::Outdated))
    ));
    assert!(matches!(load(&engine, &proof, ""), Err(ActivationError::NotAdmitted(NotAdmitted::Outdated))));
    assert!(matches!(catalog.admitted(&proof), Err(NotAdmitted::Outdated)));
}

#[test]
fn a_proof_for_one_skill_runs_no_program_of_another() {
    let library = Library::new()
        .skill("open", "", "x")
        .skill("closed", "admin_only: true", "x")
        .file(".agents/skills/closed/scripts/say.sh", "echo said\n");
    let catalog = library.catalog();
    let skill = catalog.admitted(&admitted(&library.engine(&catalog), "open")).unwrap();
    let path = library.folder("closed").join("scripts/say.sh");
    let program = Program { name: "say".to_owned(), path, interpreter: vec!["sh".to_owned()] };
    let call = exec::Call {
        skill: &skill,
        program: &program,
        arguments: &[],
        stdin: b"",
        environment: &BTreeMap::new(),
        has_secrets: false,
        time: Duration::from_secs(20),
    };
    let refused = exec::run(&call, &room(&library, &catalog, "open"), &Nowhere);
    assert!(matches!(refused, Err(ExecError::OtherSkill { .. })), "{refused:?}");
}
