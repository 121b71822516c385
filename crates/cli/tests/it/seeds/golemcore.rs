//! golemcore: requirements, five sources of variables, `{{VAR}}`, MCP, pipelines, transitions, classes of models.

use super::{last, names, tools};
use crate::{agents_rules::results, assistant::connected, bare, has_sandbox, mcp::Piped, work};
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

/// `triage` of its document: the model decides with `skill_transition`, and only among what the skill names; `next_skill`
/// is what happens without a decision, and no pipeline goes on for ever.
#[test]
fn the_model_decides_where_to_go_on_and_next_skill_is_the_fallback() {
    let server = ModelServer::new([
        ModelAnswer::calls([("skill_transition", json!({ "target_skill": "elsewhere" }))]),
        ModelAnswer::calls([(
            "skill_transition",
            json!({ "target_skill": "bug-handler", "reason": "the login page crashes" }),
        )]),
        ModelAnswer::says("Repaired."),
        ModelAnswer::says("Looked at it."),
        ModelAnswer::says("Handled."),
        ModelAnswer::says("Round."),
    ]);
    let machine = connected(&server);
    machine.file("home/.config/skillful/config.toml", "system = false\n[assistant]\nstrict_targets = true\n");
    skill(
        &machine,
        "triage",
        "next_skill: knowledge-base\nconditional_next_skills:\n  bug_report: bug-handler\n  question: knowledge-base\n",
        "Classify it.",
    );
    skill(&machine, "bug-handler", "", "Repair the bug.");
    skill(&machine, "knowledge-base", "", "Answer it.");
    skill(&machine, "elsewhere", "", "Not from here.");
    skill(&machine, "analyzer", "next_skill: default-handler\n", "Analyze it.");
    skill(&machine, "default-handler", "", "Handle it.");
    skill(&machine, "ping", "next_skill: pong\n", "Ping.");
    skill(&machine, "pong", "next_skill: ping\n", "Pong.");
    let ask = |message: &str| {
        let output = machine.command(["ask", "--agent", "golemcore", message]).output().unwrap();
        machine.tell(&output)
    };
    let seen = ask("/triage it crashes");
    assert!(server.asked()[0].body.to_string().contains("bug_report: `bug-handler`"));
    let text = last(&server);
    assert!(text.contains("elsewhere") && !text.contains("Not from here."), "{text}");
    assert!(text.contains("Repair the bug.") && !text.contains("Answer it."), "{seen}\n{text}");
    let seen = ask("/analyzer it");
    assert!(last(&server).contains("Handle it."), "{seen}\n{}", last(&server));
    let before = server.asked().len();
    let seen = ask("/ping it");
    assert_eq!(server.asked().len() - before, 6, "five transitions: {seen}");
}

/// The operations and their names are those of its document; what a model makes waits for the user.
#[test]
fn skill_management_creates_lists_gets_and_deletes_over_mcp() {
    let machine = bare();
    skill(&machine, "greeting", "", "Be warm.");
    let mut server = Piped::start(&machine, &["--agent", "golemcore"]);
    let mut manage = |arguments: serde_json::Value| server.call("skill_management", &arguments).to_string();
    let create = json!({ "operation": "create_skill", "name": "standup", "description": "Standup notes.", "content": "Three lines." });
    assert!(manage(create.clone()).contains("is proposed and disabled"));
    assert!(manage(create).contains("isError\":true"), "nothing is overwritten");
    let long =
        json!({ "operation": "create_skill", "name": "Not A Name", "description": "x", "content": "x" });
    assert!(manage(long).contains("isError\":true"));
    assert!(manage(json!({ "operation": "list_skills" })).contains("standup"));
    assert!(manage(json!({ "operation": "get_skill", "name": "standup" })).contains("Three lines."));
    assert!(manage(json!({ "operation": "get_skill", "name": "greeting" })).contains("Be warm."));
    assert!(manage(json!({ "operation": "delete_skill", "name": "greeting" })).contains("isError\":true"));
    assert!(!manage(json!({ "operation": "delete_skill", "name": "standup" })).contains("isError\":true"));
    assert!(!machine.exists("home/.local/share/skillful/proposed/standup"));
    assert!(machine.exists(&format!("{SKILLS}/greeting/SKILL.md")));
}

/// `secret: true` hides a value from models, wherever it is written.
#[test]
fn a_secret_variable_reaches_the_model_by_no_file_and_by_no_command() {
    if !has_sandbox() {
        return;
    }
    let file = "~/.golemcore/workspace/skills/api-caller/vars.json";
    let server = ModelServer::new([
        ModelAnswer::calls([
            ("use_skill", json!({ "name": "api-caller" })),
            ("read_file", json!({ "path": file })),
            ("run_command", json!({ "command": format!("cat {file}") })),
            ("read_skill_file", json!({ "name": "api-caller", "path": "vars.json" })),
            ("grep", json!({ "pattern": "sk-", "path": "~/.golemcore" })),
        ]),
        ModelAnswer::says("Done."),
    ]);
    let machine = connected(&server);
    skill(
        &machine,
        "api-caller",
        "vars:\n  API_KEY:\n    required: true\n    secret: true\n",
        "Call it using key {{API_KEY}}.",
    );
    machine.file(&format!("{SKILLS}/api-caller/vars.json"), r#"{"API_KEY": "sk-abc123-abc123"}"#);
    machine.run("ask --agent golemcore --mode autonomous call the service");
    let all = results(&server);
    assert_eq!(all.len(), 5, "{all:?}");
    assert!(all[0].contains("Call it using key"), "{all:?}");
    for asked in server.asked() {
        assert!(!asked.body.to_string().contains("sk-abc123"), "{}", asked.body);
    }
}

/// Stage 2 of its router on a library of four small skills: the classifier is asked, and names the model's class.
#[test]
fn with_four_small_skills_a_plain_request_reaches_the_classifier() {
    let judge = ModelServer::new([ModelAnswer::chat(
        "{\"skill\": \"code-review\", \"confidence\": 0.9, \"model_tier\": \"coding\", \"reason\": \"x\"}",
    )]);
    let server = ModelServer::new([ModelAnswer::says("Reviewed.")]);
    let machine = connected(&server);
    let config = format!(
        "system = false\n[router]\ndecide = true\n[router.classifier]\nmodel = \"m\"\nbase_url = \"{}\"\n[models]\ncoding = \"anthropic/claude-coder\"\n",
        judge.url()
    );
    machine.file("home/.config/skillful/config.toml", config);
    for (name, about) in [
        ("greeting", "Handle greetings and casual conversation"),
        ("code-review", "Review code changes and suggest improvements"),
        ("research", "Find sources on a topic and summarise them"),
        ("weekly", "Write the weekly report from notes"),
    ] {
        machine.skill(&format!("{SKILLS}/{name}"), about);
    }
    let ask = |message: &str| {
        let output = machine.command(["ask", "--agent", "golemcore", message]).output().unwrap();
        machine.tell(&output)
    };
    let seen = ask("review my pull request");
    assert!(seen.contains("› code-review (routed"), "{seen}");
    assert_eq!(judge.asked().len(), 1);
    assert_eq!(server.asked()[0].body["model"], "claude-coder", "{seen}");
    // No match: the assistant answers without a skill, and no model is asked which.
    let seen = ask("thanks, that was quick");
    assert!(!seen.contains("›"), "{seen}");
    assert_eq!(judge.asked().len(), 1, "{seen}");
    let listed = machine.json("list --agent golemcore --json");
    assert_eq!(names(&listed["skills"]).len(), 4, "{listed}");
}
