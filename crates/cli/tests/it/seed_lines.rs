//! Small contracts of the seed systems that a trial found broken, through the program.

use crate::{
    assistant::{connected, read, skill},
    assistant_terminal::at_terminal,
    bare, has_sandbox,
};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, write_program};

fn ask(machine: &TestContext, words: &[&str]) -> String {
    let mut all = vec!["ask"];
    all.extend(words);
    let output = machine.command(all).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    machine.tell(&output)
}

/// The messages of the last request.
fn last(server: &ModelServer) -> String {
    read(&server.asked().last().unwrap().body["messages"])
}

#[test]
fn composing_a_turn_leaves_its_session_as_it_was() {
    let server = ModelServer::new([ModelAnswer::says("Hello.")]);
    let machine = connected(&server);
    skill(&machine, "greet", "", "Greet them well.");
    ask(&machine, &["--session", "s", "hello"]);
    skill(&machine, "late", "", "Came later.");
    let shown = ask(&machine, &["--session", "s", "--compose", "$greet them"]);
    assert!(shown.contains("greet"), "{shown}");
    ask(&machine, &["--session", "other", "--compose", "$greet them"]);
    assert!(!machine.see("sessions").contains("other"), "{}", machine.see("sessions"));
    // The skill that was only shown does not stay, and the news is still to come.
    let seen = ask(&machine, &["--session", "s", "and now?"]);
    assert!(!seen.contains("greet (sticky)"), "{seen}");
    assert!(last(&server).contains("Added: late"), "{}", last(&server));
}

#[test]
fn a_turn_that_fails_keeps_no_skill_and_leaves_the_news_for_the_next_one() {
    let server = ModelServer::new([
        ModelAnswer::says("Hello."),
        ModelAnswer::error(401, "no such key"),
        ModelAnswer::says("Here I am."),
    ]);
    let machine = connected(&server);
    skill(&machine, "greet", "", "Greet them well.");
    ask(&machine, &["--session", "s", "hello"]);
    skill(&machine, "late", "", "Came later.");
    let failed = machine.command(["ask", "--session", "s", "$greet them"]).output().unwrap();
    assert_eq!(failed.status.code(), Some(1), "{}", machine.tell(&failed));
    assert!(last(&server).contains("Added: late"), "{}", last(&server));
    // What models were shown is kept by user, so that a turn of another session has the news again, and only once.
    ask(&machine, &["--session", "other", "and now?"]);
    assert!(last(&server).contains("Added: late"), "{}", last(&server));
    ask(&machine, &["--session", "third", "and now?"]);
    assert!(!last(&server).contains("skills_news"), "{}", last(&server));
    let seen = ask(&machine, &["--session", "s", "go on"]);
    assert!(!seen.contains("greet (sticky)"), "{seen}");
}

#[test]
fn calling_a_skill_that_models_do_not_see_is_not_news() {
    let server = ModelServer::new([ModelAnswer::says("Hello.")]);
    let machine = connected(&server);
    skill(&machine, "mine", "disable-model-invocation: true\n", "For the user alone.");
    skill(&machine, "noisy", "exclude_skills: [greet]\n", "Loud.");
    skill(&machine, "greet", "", "Greet them well.");
    for message in ["hello", "$mine now", "$noisy too", "and again"] {
        ask(&machine, &["--session", "s", message]);
    }
    assert!(last(&server).contains("For the user alone."), "{}", last(&server));
    assert!(!last(&server).contains("skills_news"), "{}", last(&server));
}

#[test]
fn a_typed_value_is_not_news_in_this_session_or_the_next() {
    let server = ModelServer::new([ModelAnswer::says("Sent.")]);
    let machine = connected(&server);
    skill(&machine, "mail", "requires:\n  env: [MAIL_TOKEN]\n", "Send it.");
    skill(&machine, "greet", "", "Greet them well.");
    ask(&machine, &["--session", "s", "hello"]);
    let mut terminal = at_terminal(&machine, &["ask", "--session", "s", "$mail the report"]);
    terminal.wait_for("mail needs MAIL_TOKEN (not shown): ");
    terminal.press("hunter2\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(last(&server).contains("Send it."), "{}", last(&server));
    ask(&machine, &["--session", "s", "and now?"]);
    assert!(!last(&server).contains("skills_news"), "{}", last(&server));
}

#[test]
fn a_skill_that_stays_selected_keeps_the_arguments_of_its_call() {
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    skill(&machine, "deploy", "", "Deploy $0, all: $ARGUMENTS.");
    // For a model of the user, whose next message has the whole text again.
    ask(&machine, &["--raw", "--session", "r", "/deploy staging at noon"]);
    for message in ["and now?", "and then?", "/unknown", "and at last?"] {
        let shown = ask(&machine, &["--raw", "--session", "r", message]);
        assert!(shown.contains("Deploy staging, all: staging at noon."), "{shown}");
    }
    // In our own session: a changed text comes with the arguments of the newest call.
    ask(&machine, &["--session", "s", "/deploy staging at noon"]);
    ask(&machine, &["--session", "s", "/deploy production later"]);
    ask(&machine, &["--session", "s", "thank you"]);
    assert!(last(&server).contains("The skill `deploy` is loaded above. Its instructions still hold."));
    assert!(!last(&server).contains("Follow it again"), "{}", last(&server));
    skill(&machine, "deploy", "", "Carefully deploy $0, all: $ARGUMENTS.");
    ask(&machine, &["--session", "s", "and now?"]);
    assert!(
        last(&server).contains("Carefully deploy production, all: production later."),
        "{}",
        last(&server)
    );
    // Named again without a slash it has no arguments.
    let shown = ask(&machine, &["--raw", "--session", "r", "use $deploy"]);
    assert!(shown.contains("Carefully deploy $0, all: ."), "{shown}");
}

/// A long session, for a model of the user: the call lies further back than the turns that the router looks at.
#[test]
fn a_skill_that_stays_selected_for_many_turns_keeps_its_arguments() {
    let machine = bare();
    skill(&machine, "deploy", "", "Deploy $ARGUMENTS.");
    ask(&machine, &["--raw", "--session", "r", "/deploy staging"]);
    for turn in 0..25 {
        let shown = ask(&machine, &["--raw", "--session", "r", "and now?"]);
        assert!(shown.contains("Deploy staging."), "turn {turn}: {shown}");
    }
}

#[test]
fn a_recording_that_cannot_be_transcribed_is_reported_beside_the_answer() {
    let server = ModelServer::new([ModelAnswer::says("Hello.")]);
    let machine = connected(&server);
    machine.file(
        "home/.config/skillful/config.toml",
        "system = false\ntranscribe = [\"sh\", \"-c\", \"echo no model >&2; exit 3\", \"transcribe\"]\n",
    );
    machine.file("work/memo.wav", "RIFF");
    let seen = ask(&machine, &["--attach", "memo.wav", "listen"]);
    assert!(seen.contains("note: memo.wav was not transcribed: "), "{seen}");
    let output = machine.command(["ask", "--json", "--attach", "memo.wav", "listen"]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["notes"].to_string().contains("memo.wav was not transcribed"), "{answer}");
}

#[test]
fn a_model_learns_that_the_server_of_a_skill_did_not_start_and_not_what_it_wrote() {
    if !has_sandbox() {
        return;
    }
    let header = "mcp:\n  command: sh -c \"echo password is hunter2 >&2; exit 3\"\n";
    for by_user in [true, false] {
        let server = ModelServer::new([
            ModelAnswer::calls([("use_skill", json!({ "name": "tables" }))]),
            ModelAnswer::says("Without it, then."),
        ]);
        let machine = connected(&server);
        skill(&machine, "tables", header, "Use the server.");
        let message = if by_user { "$tables please" } else { "please" };
        let seen = ask(&machine, &[message]);
        assert!(seen.contains("mcp-start-failed"), "{seen}");
        let text = last(&server);
        assert!(text.contains("An MCP server of the skill `tables` could not be started"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn run_gives_a_skill_its_arguments_as_the_shell_separated_them() {
    let server = ModelServer::new([ModelAnswer::says("Done.")]);
    let machine = connected(&server);
    skill(&machine, "deploy", "", "First [$0], second [$1], third [$2].");
    let line = ["run", "deploy", "to staging", "it's late", "now"];
    let output = machine.command(line).output().unwrap();
    assert!(output.status.success(), "{}", machine.tell(&output));
    assert!(
        last(&server).contains("First [to staging], second [it's late], third [now]."),
        "{}",
        last(&server)
    );
}

#[test]
fn without_a_terminal_a_missing_variable_of_a_sidecar_is_reported() {
    let server = ModelServer::new([
        ModelAnswer::says("Sunny."),
        ModelAnswer::calls([("use_skill", json!({ "name": "weather" }))]),
        ModelAnswer::says("Sunny."),
    ]);
    let machine = connected(&server);
    skill(&machine, "weather", "", "Look outside.");
    let sidecar = "dependencies:\n  tools:\n    - {type: env_var, value: WEATHER_KEY, description: Key of the service}\n";
    machine.file("home/.agents/skills/weather/agents/openai.yaml", sidecar);
    let expected = "`weather` depends on the variable `WEATHER_KEY` (Key of the service), which has no value";
    for message in ["$weather now", "how is it outside?"] {
        let seen = ask(&machine, &[message]);
        assert!(seen.contains(expected), "{message}: {seen}");
    }
    let machine = machine.variable("WEATHER_KEY", "tok-0123456789");
    let seen = ask(&machine, &["$weather now"]);
    assert!(!seen.contains("has no value"), "{seen}");
}

#[test]
fn an_answer_that_a_hook_continues_is_told_apart_from_the_next_one() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([ModelAnswer::says("First part."), ModelAnswer::says("Second part.")]);
    let machine = connected(&server);
    let hooks = "hooks:\n  Stop:\n    - hooks:\n        - {type: command, command: scripts/stop.sh}\n";
    skill(&machine, "careful", hooks, "Be careful.");
    let program = "#!/bin/sh\ngrep -q 'First part' || exit 0\necho 'run the tests first' >&2\nexit 2\n";
    write_program(&machine.path("home/.agents/skills/careful/scripts/stop.sh"), program);
    let output = machine.command(["ask", "$careful now"]).output().unwrap();
    insta::assert_snapshot!(machine.tell(&output), @"
    exit: 0
    ----- stdout -----
    First part.

    Second part.
    ----- stderr -----
    › careful (mention)
    › goes on: run the tests first
    ");
}
