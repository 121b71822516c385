//! Sessions: what is kept of an interrupted answer and of sub-agents, processes that take turns, the first turn.

use crate::{
    assistant::{connected, read, skill},
    has_sandbox,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, has_tool, wait_until, write_program};
use std::{
    process::{Command, Stdio},
    sync::Arc,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

#[test]
fn what_the_user_saw_of_an_interrupted_answer_is_kept() {
    let text = "The first half of a long answer, ".repeat(20);
    let server =
        ModelServer::new([ModelAnswer::says(text).stalled_after(3000), ModelAnswer::says("Going on.")]);
    let machine = connected(&server);
    let mut command = machine.command(["ask", "--session", "s", "Tell me everything."]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the model is asked", || server.asked().len() == 1);
    std::thread::sleep(Duration::from_millis(800));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "{}", machine.tell(&output));
    machine.command(["ask", "--session", "s", "Go on."]).output().unwrap();
    let asked = &server.asked()[1].body;
    let messages = asked["messages"].as_array().unwrap();
    assert_eq!(messages[1]["role"], "assistant", "{asked}");
    assert!(messages[1]["content"].to_string().contains("The first half of a long answer"), "{asked}");
    assert!(read(asked).contains("The user interrupted this answer"), "{asked}");
}

#[test]
fn two_processes_on_one_session_take_turns() {
    let busy = Arc::new(AtomicUsize::new(0));
    let server = ModelServer::with({
        let busy = Arc::clone(&busy);
        move |_| {
            let together = busy.fetch_add(1, Ordering::SeqCst) + 1;
            std::thread::sleep(Duration::from_millis(600));
            busy.fetch_sub(1, Ordering::SeqCst);
            ModelAnswer::says(if together == 1 { "alone" } else { "together" })
        }
    });
    let machine = connected(&server);
    machine.command(["ask", "--session", "s", "zero"]).output().unwrap();
    let begin = |message: &str| {
        let mut command = machine.command(["ask", "--session", "s", message]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children = [begin("first"), begin("second")];
    let outputs = children.map(|child| child.wait_with_output().unwrap());
    for output in &outputs {
        let seen = machine.tell(output);
        assert!(output.status.success() && seen.contains("alone"), "{seen}");
    }
    let waited = outputs.iter().filter(|output| {
        String::from_utf8_lossy(&output.stderr).contains("another process has a turn of this session")
    });
    assert_eq!(waited.count(), 1);
    // The one that waited has read what the other one added.
    let last = server.asked().last().unwrap().body.clone();
    assert_eq!(last["messages"].as_array().unwrap().len(), 5, "{last}");
    let text = read(&last);
    assert!(text.contains("zero") && text.contains("first") && text.contains("second"), "{text}");
}

#[test]
fn a_sub_agent_is_a_session_of_its_own() {
    let server = ModelServer::with(|asked| {
        let is_child = asked.body["system"].to_string().contains("You are a sub-agent");
        match (is_child, asked.body["messages"].as_array().unwrap().len()) {
            (true, _) => ModelAnswer::says("found three"),
            (false, 1) => ModelAnswer::calls([("use_skill", json!({ "name": "look" }))]),
            _ => ModelAnswer::says("there are three"),
        }
    });
    let machine = connected(&server);
    skill(&machine, "look", "context: fork\n", "Look around.");
    machine.command(["ask", "--session", "s", "how many"]).output().unwrap();
    let list = machine.json("sessions list --json");
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "{list}");
    let shown = machine.json("sessions show s --json");
    let child = shown["sub_agents"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(shown["sub_agents"][0]["title"], "sub-agent look");
    assert!(machine.see("sessions show s").contains(&format!("skillful sessions show {child}")));
    let own = machine.json(&format!("sessions show {child} --json"));
    assert_eq!(own["session"]["parent"], "s");
    let journal = own["journal"].to_string();
    assert!(journal.contains("Look around.") && journal.contains("found three"), "{journal}");
    assert!(!shown["journal"].to_string().contains("Look around."));
    machine.run("sessions rm s");
    let gone = machine.see(&format!("sessions show {child}"));
    assert!(gone.starts_with("exit: 1"), "{gone}");
}

/// A skill that stays selected was not called again: its arguments hold, its commands do not run, and a sub-agent that
/// has answered does not start again. A changed text is given again.
#[test]
fn a_skill_that_only_stays_selected_is_not_called_again() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    machine.file("work/COUNT", "1\n");
    skill(&machine, "deploy", "allowed-tools: Bash(cat *)\n", "Deploy to $ARGUMENTS, run !`cat COUNT`.");
    skill(&machine, "survey", "context: fork\n", "Survey $ARGUMENTS.");
    let ask = |message: &str| {
        let output = machine.command(["ask", "--session", "s", message]).output().unwrap();
        assert!(output.status.success(), "{}", machine.tell(&output));
        read(&server.asked().last().unwrap().body)
    };
    assert!(ask("/deploy staging").contains("Deploy to staging, run 1."));
    machine.file("work/COUNT", "2\n");
    let text = ask("and then?");
    assert!(!text.contains("Deploy to ,") && !text.contains("run 2."), "{text}");
    assert!(text.contains("The skill `deploy` is loaded above."), "{text}");
    assert!(ask("/deploy production").contains("Deploy to production, run 2."));
    skill(&machine, "deploy", "allowed-tools: Bash(cat *)\n", "Now deploy to $ARGUMENTS.");
    assert!(ask("go on").contains("Now deploy to"));
    ask("/survey modules");
    let before = server.asked().len();
    ask("and the rest?");
    assert_eq!(server.asked().len(), before + 1, "the sub-agent started again");
}

/// The next message is not limited to the tools of a skill that only stays selected, and does not begin its pipeline again.
#[test]
fn lists_and_pipelines_end_with_the_turn_of_the_call() {
    let server = ModelServer::with(|asked| {
        let text = asked.body["messages"].to_string();
        if text.contains("now repair it") && !text.contains("tool_result") {
            return ModelAnswer::calls([("write_file", json!({ "path": "a.txt", "content": "a\n" }))]);
        }
        ModelAnswer::says("Done.")
    });
    let machine = connected(&server);
    skill(&machine, "look", "allowed-tools: Read\n", "Only look.");
    skill(&machine, "gather", "next_skill: write-spec\n", "Gather.");
    skill(&machine, "write-spec", "", "Write it.");
    machine.run("ask --session s /look closely");
    machine.run("ask --session s now repair it");
    assert!(machine.exists("work/a.txt"), "{}", read(&server.asked().last().unwrap().body));
    machine.run("ask --session t /gather everything");
    let before = server.asked().len();
    machine.run("ask --session t thanks");
    assert_eq!(server.asked().len(), before + 1, "the pipeline began again");
}

/// A guard of a skill holds while the skill stays, also in the next process.
#[test]
fn a_guard_holds_while_its_skill_stays_selected() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::with(|asked| {
        let text = asked.body["messages"].to_string();
        if text.contains("now write") && !text.contains("tool_result") {
            return ModelAnswer::calls([("write_file", json!({ "path": "a.txt", "content": "a\n" }))]);
        }
        ModelAnswer::says("Done.")
    });
    let machine = connected(&server);
    let hooks = "hooks:\n  PreToolUse:\n    - matcher: \"write_file\"\n      hooks:\n        - \
                 {type: command, command: scripts/guard.sh}\n";
    skill(&machine, "careful", hooks, "Be careful.");
    let guard = "#!/bin/sh\necho 'not this file' >&2\nexit 2\n";
    write_program(&machine.path("home/.agents/skills/careful/scripts/guard.sh"), guard);
    machine.run("ask --session s /careful please");
    machine.run("ask --session s now write");
    let last = read(&server.asked().last().unwrap().body);
    assert!(last.contains("not this file") && !machine.exists("work/a.txt"), "{last}");
}

fn git(machine: &TestContext, words: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(words)
        .current_dir(machine.path("work"))
        .env("HOME", machine.path("home"))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn the_first_turn_describes_the_repository_once() {
    if !has_sandbox() || !has_tool("git") {
        return;
    }
    let server = ModelServer::new([ModelAnswer::says("Hello.")]);
    let machine = connected(&server);
    machine.file("work/a.txt", "a\n");
    git(&machine, &["init", "--quiet", "--initial-branch=trunk"]);
    git(&machine, &["add", "."]);
    git(&machine, &["commit", "--quiet", "-m", "Begin the work"]);
    // What a repository names is not run.
    git(&machine, &["config", "core.fsmonitor", "touch ran; false"]);
    machine.file("work/b.txt", "b\n");
    for message in ["Hello.", "And again."] {
        machine.command(["ask", "--session", "s", message]).output().unwrap();
    }
    let asked = server.asked();
    let text = read(&asked[1].body);
    assert!(text.contains("## trunk") && text.contains("?? b.txt"), "{text}");
    assert!(text.contains("Begin the work"), "{text}");
    assert_eq!(text.matches("Begin the work").count(), 1, "{text}");
    assert!(!machine.exists("work/ran"));
    let none = machine.command(["ask", "-C", "..", "Hello."]).output().unwrap();
    assert!(none.status.code().is_some());
}

/// As Codex counts: a script of a skill that a command runs, and instructions that a command or a tool reads.
#[test]
fn what_uses_a_skill_without_loading_it_counts_once_in_a_turn() {
    if !has_sandbox() {
        return;
    }
    let at = ".agents/skills";
    let run = |command: String| ("run_command", json!({ "command": command }));
    let server = ModelServer::new([
        ModelAnswer::calls([
            run(format!("cat {at}/read/SKILL.md")),
            ("read_file", json!({ "path": format!("{at}/read/SKILL.md") })),
            run(format!("cd {at}/ran && sh scripts/x.sh --all | head -1")),
            ("run_skill_program", json!({ "skill": "program" })),
            ("read_skill_file", json!({ "name": "file", "path": "notes.md" })),
            run(format!("cat {at}/off/SKILL.md; sh -c 'echo {at}/idle/scripts/x.sh'; ls {at}/idle/SKILL.md")),
        ]),
        ModelAnswer::says("Done."),
    ]);
    let machine = connected(&server);
    machine.file("work/.git/HEAD", "ref: refs/heads/main\n");
    for name in ["read", "ran", "program", "file", "off", "idle"] {
        machine.skill(&format!("work/{at}/{name}"), "Does it.");
        write_program(&machine.path(&format!("work/{at}/{name}/scripts/x.sh")), "#!/bin/sh\necho x\n");
    }
    machine.file(&format!("work/{at}/file/notes.md"), "Notes.\n");
    machine.file(
        "home/.config/skillful/config.toml",
        "system = false\n[[skill]]\nname = \"off\"\nenabled = false\n",
    );
    let seen = machine.see("--trust-project ask --mode autonomous look");
    assert!(seen.contains("Done."), "{seen}");
    let store = skillful_database::Database::open(&machine.path("home/.local/share/skillful")).unwrap();
    let uses = store.skill_uses().unwrap().into_iter().map(|one| format!("{} {}", one.name, one.count));
    assert_eq!(uses.collect::<Vec<_>>(), ["file 1", "program 1", "ran 1", "read 1"], "{seen}");
}
