use crate::world::World;
use serde_json::json;

fn reference(name: &str) -> serde_json::Value {
    json!({ "type": "ref/prompt", "name": name })
}

#[tokio::test]
async fn a_prompt_has_the_arguments_that_its_skill_names() {
    let world = World::new();
    world.skill(
        "deploy",
        "arguments: [env, version]\nargument-hint: \"[staging|production] <version>\"\n",
        "To $env: $version.",
    );
    world.skill("review", "argument-hint: \"<pull request>\"\n", "Review $ARGUMENTS.");
    let client = world.client().await;
    let prompts = client.ask("prompts/list", json!({})).await;
    let arguments = |at: usize| prompts["prompts"][at]["arguments"].clone();
    assert_eq!(arguments(0)[0]["name"], "env");
    assert_eq!(arguments(0)[1]["name"], "version");
    assert_eq!(
        arguments(1),
        json!([{ "name": "arguments", "description": "<pull request>", "required": false }])
    );
    let text =
        |answer: serde_json::Value| answer["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
    let values = json!({ "env": "it's staging", "version": "$(rm) 1" });
    let got = client.ask("prompts/get", json!({ "name": "deploy", "arguments": values })).await;
    assert!(text(got).contains("To it's staging: $(rm) 1."));
    let got = client.ask("prompts/get", json!({ "name": "deploy", "arguments": { "version": "2" } })).await;
    assert!(text(got).contains("To : 2."));
    let got =
        client.ask("prompts/get", json!({ "name": "review", "arguments": { "arguments": "#7 soon" } })).await;
    assert!(text(got).contains("Review #7 soon."));
    let error = client.try_ask("prompts/get", json!({ "name": "deploy", "arguments": { "env": 1 } })).await;
    assert_eq!(error.unwrap_err().code.0, -32602);
}

#[tokio::test]
async fn what_a_hint_names_and_what_a_skill_has_is_completed() {
    let world = World::new();
    world.skill(
        "deploy",
        "arguments: [env, version]\nargument-hint: \"[staging|production|preview] <version>\"\n",
        "Do it.",
    );
    world.file("skills/deploy/references/a.md", "a").file("skills/deploy/vars.json", "{}");
    world.skill("debug", "", "Do it.");
    let client = world.client().await;
    let template = json!({ "type": "ref/resource", "uri": "skill://{name}/{+path}" });
    for (reference, argument, typed, context, expected) in [
        (reference("deploy"), "env", "pr", json!({}), json!(["production", "preview"])),
        (reference("deploy"), "version", "", json!({}), json!([])),
        (reference("debug"), "arguments", "", json!({}), json!([])),
        (template.clone(), "name", "de", json!({}), json!(["debug", "deploy"])),
        (
            template.clone(),
            "path",
            "",
            json!({ "arguments": { "name": "deploy" } }),
            json!(["SKILL.md", "references/a.md"]),
        ),
    ] {
        let params =
            json!({ "ref": reference, "argument": { "name": argument, "value": typed }, "context": context });
        let answer = client.ask("completion/complete", params).await;
        assert_eq!(answer["completion"]["values"], expected, "{argument}");
    }
    let params = json!({ "ref": reference("no-such"), "argument": { "name": "x", "value": "" } });
    assert_eq!(client.try_ask("completion/complete", params).await.unwrap_err().code.0, -32602);
}
