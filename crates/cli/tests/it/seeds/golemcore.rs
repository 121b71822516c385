//! golemcore: requirements, five sources of variables, `{{VAR}}`, MCP, pipelines, transitions, classes of models.

use super::{last, tools};
use crate::{agents_rules::results, assistant::connected, has_sandbox, work};
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext, has_tool};

const SKILLS: &str = "home/.golemcore/workspace/skills";

fn skill(machine: &TestContext, name: &str, header: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: About {name}.\n{header}---\n\n{body}\n");
    machine.file(&format!("{SKILLS}/{name}/SKILL.md"), text);
}

#[test]
fn requirements_and_variables_decide_what_is_available_and_what_is_read() {
    let server = ModelServer::new([
        ModelAnswer::calls([("use_skill", json!({ "name": "api-caller" }))]),
        ModelAnswer::calls([("use_skill", json!({ "name": "github-assistant" }))]),
        ModelAnswer::says("Done."),
    ]);
    let machine = connected(&server).variable("TIMEOUT", "30");
    skill(
        &machine,
        "api-caller",
        "vars:\n  ENDPOINT:\n    default: \"https://api.example.com\"\n  API_KEY:\n    required: true\n    secret: true\n  REGION: eu\n  TIMEOUT:\n  OWNER:\n  NOTHING:\n",
        "Call {{ENDPOINT}} in {{REGION}} within {{TIMEOUT}} for {{OWNER}} using key {{API_KEY}}, {{NOTHING}}.",
    );
    machine.file(&format!("{SKILLS}/api-caller/vars.json"), r#"{"ENDPOINT": "https://custom.api.com"}"#);
    machine.file(
        &format!("{SKILLS}/variables.json"),
        r#"{"api-caller": {"API_KEY": "sk-abc123-abc123", "REGION": "us"}, "_global": {"OWNER": "the team", "REGION": "asia"}}"#,
    );
    skill(
        &machine,
        "github-assistant",
        "requires:\n  env: [GITHUB_TOKEN]\n  binary: [no-such-npx]\n",
        "Use GitHub.",
    );
    skill(&machine, "one", "requires:\n  skills: [two]\n", "x");
    skill(&machine, "two", "requires:\n  skills: [one]\n", "x");
    machine.run("ask --agent golemcore call the service");
    let all = results(&server);
    assert!(all[0].contains("Call https://custom.api.com in us within 30 for the team"), "{all:?}");
    assert!(!all[0].contains("sk-abc123") && all[0].contains("{{NOTHING}}"), "{all:?}");
    assert!(all[1].contains("GITHUB_TOKEN") && all[1].contains("no-such-npx"), "{all:?}");
    let seen = machine.see("doctor one");
    assert!(seen.contains("cycle") || seen.contains("one another") || seen.contains("two"), "{seen}");
    let menu = server.asked()[0].body["system"].to_string();
    assert!(menu.contains("api-caller") && !menu.contains("github-assistant"), "{menu}");
}

#[test]
fn a_pipeline_goes_on_by_itself_and_where_the_model_decides_with_its_server_and_model() {
    if !has_sandbox() || !has_tool("python3") {
        return;
    }
    let server = ModelServer::new([
        ModelAnswer::says("They want a login."),
        ModelAnswer::says("The specification."),
        ModelAnswer::calls([("code-generator__say", json!({ "text": "hi" }))]),
        ModelAnswer::says("The code."),
    ]);
    let machine = connected(&server);
    machine.file(
        "home/.config/skillful/config.toml",
        "system = false\n[models]\ncoding = { model = \"claude-coder\" }\n",
    );
    skill(
        &machine,
        "gather-requirements",
        "next_skill: write-spec\n",
        "Ask the user about their requirements.",
    );
    skill(&machine, "write-spec", "next_skill: code-generator\n", "Write a technical specification.");
    skill(
        &machine,
        "code-generator",
        "model_tier: coding\nmcp:\n  command: python3 scripts/server.py\n",
        "Implement the code.",
    );
    machine.file(&format!("{SKILLS}/code-generator/scripts/server.py"), work::SERVER);
    let output =
        machine.command(["ask", "--agent", "golemcore", "/gather-requirements a login"]).output().unwrap();
    let seen = machine.tell(&output);
    assert!(seen.contains("write-spec") && seen.contains("code-generator"), "{seen}");
    assert!(seen.contains("The code."), "{seen}");
    let text = last(&server);
    for body in [
        "Ask the user about",
        "They want a login.",
        "Write a technical",
        "The specification.",
        "Implement the code.",
    ] {
        assert!(text.contains(body), "{body}: {text}");
    }
    assert!(tools(&server).contains(&"code-generator__say".to_owned()), "{:?}", tools(&server));
    assert_eq!(server.asked().last().unwrap().body["model"], "claude-coder");
}

/// Stage 0 of its router: a fragment is read with the message before it.
#[test]
fn a_fragment_is_joined_with_what_was_said_before() {
    let server = ModelServer::new([ModelAnswer::says("Looked at it.")]);
    let machine = connected(&server);
    machine.file(
        "home/.config/skillful/config.toml",
        "system = false\n[router]\ndecide = true\nskip_threshold = 0.5\nmin_served = 0.3\n",
    );
    skill(&machine, "other", "", "Other.");
    let text = "---\nname: code-review\ndescription: Check the code of a change and suggest improvements.\n---\n\nReview it.\n";
    machine.file(&format!("{SKILLS}/code-review/SKILL.md"), text);
    let routed = |words: &[&str]| {
        let mut line = vec!["ask", "--agent", "golemcore", "--compose", "--json"];
        line.extend(words);
        let output = machine.command(line).output().unwrap();
        machine.tell(&output)
    };
    // Alone it means nothing; after a request for a review it continues that request.
    assert!(!routed(&["also add it there"]).contains("Review it."), "{}", routed(&["also add it there"]));
    machine.run("ask --agent golemcore --session s Check the code of this change");
    let seen = routed(&["--session", "s", "also add it there"]);
    assert!(seen.contains("Review it."), "{seen}");
    let line = ["ask", "--agent", "golemcore", "--session", "s", "also add it there"];
    let told = machine.tell(&machine.command(line).output().unwrap());
    assert!(last(&server).contains("Review it."), "{told}");
    // A whole sentence that stands for itself is not a fragment.
    let alone =
        routed(&["--session", "s", "Which trees grow well on sandy ground in a dry and windy garden?"]);
    assert!(!alone.contains("were read as one"), "{alone}");
}
