use crate::world::{Client, World};
use serde_json::json;

const BODY: &str = "WORDS-OF-THE-BODY";

/// Everything that a client can ask about a skill `it`, as one text.
async fn everything(client: &Client) -> String {
    let mut told = String::new();
    for (tool, arguments) in [
        ("use_skill", json!({ "name": "it" })),
        ("read_skill_file", json!({ "name": "it", "path": "SKILL.md" })),
        ("read_skill_file", json!({ "name": "it", "path": "notes.md" })),
        ("list_skills", json!({})),
        ("search_skills", json!({ "query": "about it", "limit": 20 })),
        ("skill_transition", json!({ "target_skill": "it" })),
        ("skill_management", json!({ "operation": "get", "name": "it" })),
        ("skill_management", json!({ "operation": "list" })),
        ("use_skill", json!({ "name": "brings-it" })),
    ] {
        told.push_str(&client.call(tool, arguments).await.0.to_string());
    }
    for (method, params) in [
        ("skills/list", json!({})),
        ("skills/get", json!({ "uri": "skill://it/SKILL.md" })),
        ("resources/list", json!({})),
        ("resources/read", json!({ "uri": "skill://it/SKILL.md" })),
        ("resources/read", json!({ "uri": "skill://it/notes.md" })),
        ("resources/directory/read", json!({ "uri": "skill://it" })),
        (
            "completion/complete",
            json!({
                "ref": { "type": "ref/resource", "uri": "skill://{name}/{+path}" },
                "argument": { "name": "path", "value": "" },
                "context": { "arguments": { "name": "it" } },
            }),
        ),
    ] {
        match client.try_ask(method, params).await {
            Ok(answer) => told.push_str(&answer.to_string()),
            Err(error) => told.push_str(&format!("{error:?}")),
        }
    }
    told
}

#[tokio::test]
async fn no_way_leads_past_a_closed_gate() {
    for (gate, header, off) in [
        ("open", "", false),
        ("switched off", "", true),
        ("for administrators", "admin_only: true\n", false),
        ("unreadable", "admin_only: perhaps\n", false),
        ("experimental", "experimental: true\n", false),
        ("for persons", "disable-model-invocation: true\n", false),
        ("lacking a variable", "requires:\n  env: [NO_SUCH]\n", false),
        ("lacking a program", "requires:\n  binary: [no-such]\n", false),
    ] {
        let world = World::new();
        world.skill("it", header, BODY).file("skills/it/notes.md", BODY);
        world.skill("brings-it", "companion_skills: [it]\n", "Do it.");
        if off {
            world.switch("skills/it", false);
        }
        let told = everything(&world.client().await).await;
        for words in [BODY, "About it.", "- it: About"] {
            assert_eq!(told.contains(words), gate == "open", "{gate}: {words}: {told}");
        }
    }
}

#[tokio::test]
async fn a_skill_that_is_not_for_models_is_reported_like_one_that_is_not_there() {
    let world = World::new();
    world.skill("it", "disable-model-invocation: true\n", BODY);
    let client = world.client().await;
    let words = |name: &str, text: &str| text.replace(name, "NAME");
    for tool in ["use_skill", "skill_transition"] {
        let key = if tool == "use_skill" { "name" } else { "target_skill" };
        let hidden = client.call(tool, json!({ key: "it" })).await;
        let missing = client.call(tool, json!({ key: "no-such" })).await;
        assert_eq!(
            words("it", hidden.refusal()),
            words("no-such", missing.refusal()).replace("wNAMEh", "with")
        );
    }
    let hidden = client.try_ask("skills/get", json!({ "uri": "skill://it/SKILL.md" })).await.unwrap_err();
    let missing =
        client.try_ask("skills/get", json!({ "uri": "skill://no-such/SKILL.md" })).await.unwrap_err();
    assert_eq!(hidden.message.replace("`it`", "NAME"), missing.message.replace("`no-such`", "NAME"));
}

#[tokio::test]
async fn a_user_may_call_what_a_model_may_not_and_the_reverse() {
    let world = World::new();
    world.skill("persons", "disable-model-invocation: true\n", BODY);
    world.skill("models", "user-invocable: false\n", BODY);
    let client = world.client().await;
    let prompts = client.ask("prompts/list", json!({})).await.to_string();
    assert!(prompts.contains("\"persons\"") && !prompts.contains("\"models\""), "{prompts}");
    let got = client.ask("prompts/get", json!({ "name": "persons" })).await.to_string();
    assert!(got.contains(BODY), "{got}");
    let error = client.try_ask("prompts/get", json!({ "name": "models" })).await.unwrap_err();
    assert_eq!(error.code.0, -32602);
    assert!(client.call("use_skill", json!({ "name": "models" })).await.text().contains(BODY));
}
