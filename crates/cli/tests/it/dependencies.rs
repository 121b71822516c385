//! What the sidecar of a skill depends on: variables are asked for, servers are offered and used at once.

use crate::{
    agents_rules::results,
    assistant::{connected, read, skill},
    assistant_terminal::at_terminal,
    has_sandbox, work,
};
use insta::assert_snapshot;
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, has_tool, write_program};

const VALUE: &str = "tok-0123456789-abcdef";

#[test]
fn a_variable_of_a_sidecar_is_asked_for_and_reaches_the_programs() {
    if !has_sandbox() {
        return;
    }
    let call = json!({ "skill": "weather", "program": "show" });
    let server =
        ModelServer::new([ModelAnswer::calls([("run_skill_program", call)]), ModelAnswer::says("Sunny.")]);
    let machine = connected(&server);
    skill(&machine, "weather", "", "Look outside.");
    machine.file(
        "home/.agents/skills/weather/agents/openai.yaml",
        "dependencies:\n  tools:\n    - {type: env_var, value: WEATHER_KEY, description: Key of the service}\n",
    );
    let program = "#!/bin/sh\necho \"${#WEATHER_KEY} letters: $WEATHER_KEY\"\n";
    write_program(&machine.path("home/.agents/skills/weather/scripts/show"), program);
    let seen = machine.see("doctor weather");
    assert!(seen.contains("WEATHER_KEY"), "{seen}");
    let mut terminal = at_terminal(&machine, &["ask", "$weather now"]);
    terminal.wait_for("weather needs WEATHER_KEY (Key of the service) (not shown): ");
    terminal.press(&format!("{VALUE}\r"));
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(results(&server)[0].starts_with("21 letters: [redacted]\n"), "{:?}", results(&server));
    for asked in server.asked() {
        assert!(!read(&asked.body).contains(VALUE), "{}", asked.body);
    }
}

#[test]
fn a_server_of_a_sidecar_is_offered_started_and_used_in_the_same_session() {
    if !has_sandbox() || !has_tool("python3") {
        return;
    }
    let server = ModelServer::with(|asked| {
        let has_result = asked.body["messages"].to_string().contains("tool_result");
        if has_result || !asked.body["tools"].to_string().contains("notes__echo__say") {
            return ModelAnswer::says("Done.");
        }
        ModelAnswer::calls([("notes__echo__say", json!({ "text": "hi" }))])
    });
    let machine = connected(&server);
    skill(&machine, "notes", "", "Take notes.");
    machine.file("home/.agents/skills/notes/scripts/server.py", work::SERVER);
    machine.file(
        "home/.agents/skills/notes/agents/openai.yaml",
        "dependencies:\n  tools:\n    - {type: mcp, value: echo, transport: stdio, command: python3 scripts/server.py}\n",
    );
    // Without a terminal it is reported, and nothing is started.
    let seen = machine.tell(&machine.command(["ask", "$notes now"]).output().unwrap());
    assert!(seen.contains("`notes` depends on the MCP server `echo`, which is not configured"), "{seen}");
    let mut terminal = at_terminal(&machine, &["ask", "$notes now"]);
    terminal.wait_for(
        "The skill needs the MCP server echo (python3 scripts/server.py). Add it to your configuration?",
    );
    terminal.press("y\r");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(results(&server).len(), 1, "{shown}");
    assert!(!results(&server)[0].contains("no tool named"), "{:?}", results(&server));
    // From then on it is there.
    machine.command(["ask", "$notes again"]).output().unwrap();
    assert_eq!(results(&server).len(), 1);
}

#[test]
fn a_variable_of_a_sidecar_that_is_set_reaches_the_files_that_the_user_allowed_it_to() {
    if !has_sandbox() {
        return;
    }
    let call = || json!({ "skill": "weather", "program": "show" });
    let server = ModelServer::with(move |asked| {
        if asked.body["messages"].to_string().contains("tool_result") {
            ModelAnswer::says("Sunny.")
        } else {
            ModelAnswer::calls([("run_skill_program", call())])
        }
    });
    let machine = connected(&server).variable("WEATHER_KEY", VALUE).variable("OPENAI_API_KEY", VALUE);
    skill(&machine, "weather", "", "Look outside.");
    machine.file(
        "home/.agents/skills/weather/agents/openai.yaml",
        "dependencies:\n  tools:\n    - {type: env_var, value: WEATHER_KEY}\n    - {type: env_var, value: OPENAI_API_KEY}\n",
    );
    let program =
        "#!/bin/sh\necho \"${#WEATHER_KEY} letters, ${#OPENAI_API_KEY} of a provider: $WEATHER_KEY\"\n";
    write_program(&machine.path("home/.agents/skills/weather/scripts/show"), program);
    let said = || {
        machine.run("ask show the weather");
        results(&server).last().unwrap().clone()
    };
    assert_snapshot!(said(), @"you have not allowed `weather` the secret variable WEATHER_KEY; the user can run: skillful secret allow --variable WEATHER_KEY --skill weather");
    let shown = machine.see("show weather");
    assert!(shown.contains("the secret variable WEATHER_KEY: NOT ALLOWED"), "{shown}");
    let allowed = machine.run("secret allow --variable WEATHER_KEY --skill weather");
    assert!(allowed.status.success(), "{}", machine.tell(&allowed));
    assert!(said().starts_with("21 letters, 0 of a provider: [redacted]\n"), "{}", said());
    assert!(machine.see("exec weather show").contains("21 letters, 0 of a provider"));
    // Another program is not what the user answered about.
    write_program(&machine.path("home/.agents/skills/weather/scripts/show"), "#!/bin/sh\nenv\n");
    assert!(said().starts_with("`weather` changed since you allowed it the secret variable"), "{}", said());
    let no = machine.see("secret allow --variable OPENAI_API_KEY --skill weather");
    assert!(no.starts_with("exit: 2"), "{no}");
    for asked in server.asked() {
        assert!(!read(&asked.body).contains(VALUE), "{}", asked.body);
    }
}
