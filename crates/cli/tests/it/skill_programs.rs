//! Programs of skills in the assistant: they get their secrets and values, and the model gets neither.

use crate::{
    assistant::{connected, read, skill},
    assistant_terminal::{at_terminal, without_colours},
    has_sandbox,
    secret::piped,
};
use insta::assert_snapshot;
use serde_json::{Value, json};
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, write_program};

const VALUE: &str = "tok-0123456789-abcdef";

/// A model that makes these calls, one in each answer, and then ends.
fn calling(calls: impl IntoIterator<Item = (&'static str, Value)>) -> ModelServer {
    let calls = calls.into_iter().map(|call| ModelAnswer::calls([call]));
    ModelServer::new(calls.chain([ModelAnswer::says("Done.")]))
}

/// A user with a skill, its program, and a secret that the skill may not have yet.
fn machine(server: &ModelServer, more: &str) -> TestContext {
    let machine = connected(server);
    let env = "env:\n  - {var: MAIL_TOKEN, from: secret, service: mail, key: token}\n";
    skill(&machine, "mail", &format!("{more}{env}"), "Send it.");
    let text = "#!/bin/sh\necho \"${#MAIL_TOKEN} letters: $MAIL_TOKEN $1\"\ncat\n";
    write_program(&machine.path("home/.agents/skills/mail/scripts/send"), text);
    piped(&machine, "secret set mail token", VALUE);
    machine
}

fn allow(machine: &TestContext) {
    machine.run("secret allow mail token --skill mail");
}

/// The result of the last call that the model read.
fn result(server: &ModelServer) -> String {
    let asked = server.asked();
    let last = asked.last().unwrap().body["messages"].as_array().unwrap().last().unwrap().clone();
    let content = &last["content"][0]["content"];
    content.as_str().map_or_else(|| content[0]["text"].as_str().unwrap().to_owned(), str::to_owned)
}

/// The model was told nothing of a value.
fn is_kept_from_the_model(server: &ModelServer, value: &str) {
    for asked in server.asked() {
        assert!(!read(&asked.body).contains(value), "{}", asked.body);
    }
}

#[test]
fn a_program_gets_its_secret_and_the_model_reads_redacted_output() {
    if !has_sandbox() {
        return;
    }
    let call = json!({ "skill": "mail", "program": "send", "arguments": ["$HOME; id"], "stdin": "dear\n" });
    let server = calling([("run_skill_program", call)]);
    let machine = machine(&server, "");
    allow(&machine);
    assert_snapshot!(machine.see("ask send the mail"), @"
    exit: 0
    ----- stdout -----
    Done.
    ----- stderr -----
    • run the program mail send '$HOME; id'
      │ skillful exec mail send '$HOME; id'
      └ 21 letters: [redacted] $HOME; id
        dear
    ");
    assert_snapshot!(result(&server), @"
    21 letters: [redacted] $HOME; id
    dear
    (exit code 0)
    ");
    is_kept_from_the_model(&server, VALUE);
}

#[test]
fn a_secret_that_the_skill_may_not_have_is_a_question_or_a_refusal_with_the_fix() {
    if !has_sandbox() {
        return;
    }
    let call = || ("run_skill_program", json!({ "skill": "mail", "program": "send" }));
    let server = calling([call()]);
    let alone = machine(&server, "");
    alone.run("ask send the mail");
    assert_snapshot!(result(&server), @"you have not allowed `mail` the secret mail token; the user can run: skillful secret allow mail token --skill mail");
    let server = calling([call(), call()]);
    let machine = machine(&server, "");
    let mut terminal = at_terminal(&machine, &["ask", "send the mail"]);
    terminal.wait_for("[s] stop");
    terminal.press("y");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    let shown = without_colours(&shown);
    assert_eq!(shown.matches("? secret: mail gets mail token for its programs").count(), 1, "{shown}");
    assert!(result(&server).contains("21 letters: [redacted]"), "{}", result(&server));
    is_kept_from_the_model(&server, VALUE);
    // A yes counts for the session; the next one asks again.
    assert!(machine.see("secret list").contains("mail (not allowed)"));
}

#[test]
fn a_program_that_changed_since_the_answer_gets_no_secret() {
    let server = calling([("run_skill_program", json!({ "skill": "mail", "program": "send" }))]);
    let machine = machine(&server, "");
    allow(&machine);
    write_program(&machine.path("home/.agents/skills/mail/scripts/send"), "#!/bin/sh\nenv\n");
    machine.run("ask send the mail");
    let said = result(&server);
    assert!(said.starts_with("`mail` changed since you allowed it the secret mail token"), "{said}");
}

#[test]
fn the_lists_of_tools_are_about_programs_as_about_commands() {
    if !has_sandbox() {
        return;
    }
    let call = || ("run_skill_program", json!({ "skill": "mail", "program": "send" }));
    let ran = |more: &str, config: &str| {
        let server = calling([("use_skill", json!({ "name": "mail" })), call()]);
        let machine = machine(&server, more);
        machine.file("home/.config/skillful/config.toml", format!("system = false\n{config}"));
        allow(&machine);
        machine.run("ask send the mail");
        result(&server).lines().next().unwrap_or_default().to_owned()
    };
    assert_snapshot!(ran("", ""), @"21 letters: [redacted]");
    assert_snapshot!(ran("allowed-tools: Read\n", ""), @"Not run: `run_command` is not allowed: the active skill allows only Read");
    assert_snapshot!(ran("allowed-tools: Bash(skillful exec mail *)\n", ""), @"21 letters: [redacted]");
    assert_snapshot!(ran("allowed-tools: Bash(skillful exec other *)\n", ""), @"Not run: `skillful exec mail send` is not allowed: the active skill allows only Bash(skillful exec other *)");
    assert_snapshot!(ran("allowed-tools: run_skill_program(mail)\n", ""), @"21 letters: [redacted]");
    assert_snapshot!(ran("disallowed-tools: Bash\n", ""), @"Not run: it is forbidden by `Bash`");
    assert_snapshot!(ran("", "[run]\nforbidden_tools = [\"Bash\"]\n"), @"Not run: it is forbidden by `Bash`");
    assert_snapshot!(ran("", "[run]\nforbidden_tools = [\"run_skill_program\"]\n"), @"Not run: it is forbidden by `run_skill_program`");
    assert_snapshot!(ran("", "[run]\ncommands = false\n"), @"commands are off (`run.commands` in the configuration)");
}

#[test]
fn a_value_that_the_user_types_reaches_the_program_and_no_request() {
    if !has_sandbox() {
        return;
    }
    let call = |name| ("run_skill_program", json!({ "skill": name, "program": "show" }));
    let server = calling([call("weather"), call("other")]);
    let machine = connected(&server);
    for name in ["weather", "other"] {
        skill(&machine, name, "requires:\n  env: [WEATHER_KEY]\n", "Look outside.");
        let text = "#!/bin/sh\necho \"${#WEATHER_KEY} letters: $WEATHER_KEY\"\n";
        write_program(&machine.path(&format!("home/.agents/skills/{name}/scripts/show")), text);
    }
    let mut terminal = at_terminal(&machine, &["ask", "$weather please"]);
    terminal.wait_for("weather needs WEATHER_KEY (not shown): ");
    terminal.press(&format!("{VALUE}\r"));
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains(VALUE), "{shown}");
    let asked = server.asked();
    assert!(read(&asked[1].body).contains("21 letters: [redacted]"), "{}", asked[1].body);
    // The user typed it for one skill.
    assert!(result(&server).contains("0 letters: \n"), "{}", result(&server));
    is_kept_from_the_model(&server, VALUE);
}

#[test]
fn a_typed_value_reaches_the_program_of_exec() {
    if !has_sandbox() {
        return;
    }
    let server = ModelServer::new([]);
    let machine = connected(&server);
    skill(&machine, "weather", "requires:\n  env: [WEATHER_KEY]\n", "Look outside.");
    let text = "#!/bin/sh\necho \"${#WEATHER_KEY} letters\"\n";
    write_program(&machine.path("home/.agents/skills/weather/scripts/show"), text);
    let mut terminal = at_terminal(&machine, &["exec", "weather", "show"]);
    terminal.wait_for("weather needs WEATHER_KEY (not shown): ");
    terminal.press(&format!("{VALUE}\r"));
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("21 letters"), "{shown}");
}

#[test]
fn a_command_in_the_sandbox_runs_programs_through_the_proxy() {
    if !has_sandbox() {
        return;
    }
    let command = "skillful exec mail send hello </dev/null | tee out.txt | tr a-z A-Z; env | grep -c TOKEN";
    let server = calling([("run_command", json!({ "command": command }))]);
    let machine = machine(&server, "");
    allow(&machine);
    machine.run("ask send the mail");
    let said = result(&server);
    assert!(said.starts_with("21 LETTERS: [REDACTED] HELLO\n0\n"), "{said}");
    assert_eq!(machine.text("work/out.txt"), "21 letters: [redacted] hello\n");
    is_kept_from_the_model(&server, VALUE);
}

#[test]
fn a_command_gets_no_proxy_when_it_asks_for_the_network_or_the_tool_is_forbidden() {
    if !has_sandbox() {
        return;
    }
    let command = json!({ "command": "echo \"socket: $SKILLFUL_PROXY_SOCKET\"; skillful exec mail send" });
    let server = calling([("run_command", command)]);
    let machine = machine(&server, "");
    allow(&machine);
    let config = "system = false\n[run]\nforbidden_tools = [\"run_skill_program\"]\n";
    machine.file("home/.config/skillful/config.toml", config);
    machine.run("ask send the mail");
    let said = result(&server);
    assert!(said.starts_with("socket: \n") && !said.contains("letters"), "{said}");
}

#[test]
fn a_skill_that_only_the_user_calls_has_its_programs_once_it_is_called() {
    if !has_sandbox() {
        return;
    }
    let call = || ("run_skill_program", json!({ "skill": "mail", "program": "send" }));
    let ask = |message: &str| {
        let server = calling([call()]);
        let machine = machine(&server, "disable-model-invocation: true\n");
        allow(&machine);
        machine.command(["ask", message]).output().unwrap();
        result(&server)
    };
    assert_snapshot!(ask("send the mail"), @"there is no skill `mail`");
    assert!(ask("/mail now").starts_with("21 letters: [redacted]"), "{}", ask("/mail now"));
}
