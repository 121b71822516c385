//! `eval --model`: what a model loads, beside what the router selects.

use crate::assistant::connected;
use insta::assert_snapshot;
use serde_json::json;
use skillful_testkit::{ModelAnswer, ModelServer, TestContext};

fn machine(server: &ModelServer) -> TestContext {
    let machine = connected(server);
    machine.file(
        "home/.agents/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Merge, split and read PDF files.\n---\nMark: !`touch ran`\n",
    );
    machine.skill("home/.agents/skills/release-notes", "Write release notes from the git history.");
    machine.file(
        "work/evals.jsonl",
        "{\"query\": \"merge these two PDF files\", \"relevant\": [\"pdf\"]}\n\
         {\"query\": \"write the release notes of this version\", \"relevant\": [\"release-notes\"]}\n\
         {\"query\": \"what is a PDF?\", \"not_relevant\": [\"pdf\"]}\n\
         {\"query\": \"good morning\", \"relevant\": []}\n",
    );
    machine
}

fn loads(name: &str) -> ModelAnswer {
    ModelAnswer::calls([("use_skill", json!({ "name": name }))])
}

#[test]
fn a_model_is_asked_once_per_request_and_nothing_that_it_calls_is_run() {
    let server = ModelServer::new([
        loads("pdf"),
        loads("pdf"),
        ModelAnswer::says("A format."),
        ModelAnswer::says("Good morning."),
    ]);
    let machine = machine(&server);
    let seen = machine.see("eval evals.jsonl --model");
    let table: String = seen
        .lines()
        .skip_while(|line| !line.starts_with("SELECTED BY"))
        .take(3)
        .fold(String::new(), |all, line| all + line + "\n");
    assert_snapshot!(table, @"
    SELECTED BY  PRECISION  RECALL  NEAR MISSES  NO SKILL  TOKENS  COST
    router       100.0      100.0   0 of 1       0 of 1    -       -
    claude-test  50.0       50.0    0 of 1       0 of 1    40      -
    ");
    assert!(seen.contains("THE MODEL LOADS") && seen.contains("release-notes"), "{seen}");
    assert_eq!(server.asked().len(), 4);
    assert!(!machine.exists("work/ran"), "a command of a skill ran");
    // The model reads what it would read in a session: the menu and the tools, and the request alone.
    let first = &server.asked()[0].body;
    let request = first.to_string();
    assert!(request.contains("release-notes") && request.contains("use_skill"), "{request}");
    assert!(request.contains("merge these two PDF files"), "{request}");
    assert!(!server.asked()[1].body.to_string().contains("merge these two PDF files"));
    // Nothing is recorded.
    assert!(machine.see("sessions").contains("no session"), "{}", machine.see("sessions"));
}

#[test]
fn json_has_both_selectors() {
    let server =
        ModelServer::new([loads("pdf"), loads("release-notes"), loads("pdf"), ModelAnswer::says("Hello.")]);
    let machine = machine(&server);
    let report = machine.json("eval evals.jsonl --model --json");
    let model = &report["selectors"][1];
    assert_eq!(report["selectors"][0]["by"], "router");
    assert_eq!((&model["precision"], &model["recall"]), (&json!(2.0 / 3.0), &json!(1.0)));
    assert_eq!(model["near_misses"], json!({ "requests": 1, "taken": 1 }));
    assert_eq!(model["no_skill"], json!({ "requests": 1, "taken": 0 }));
    assert_eq!(model["unanswered"], 0);
    assert!(model["usage"]["input"].as_u64().unwrap() > 0, "{model}");
    // Without a model the router is measured alone.
    assert_eq!(machine.json("eval evals.jsonl --json")["selectors"], json!([]));
}

#[test]
fn without_a_model_the_fix_is_named() {
    let machine = crate::bare();
    machine.skill("home/.agents/skills/pdf", "Merge PDF files.");
    machine.file("work/evals.jsonl", "{\"query\": \"merge\", \"relevant\": [\"pdf\"]}\n");
    let seen = machine.see("eval evals.jsonl --model");
    assert!(seen.starts_with("exit: 1") && seen.contains("no model is connected"), "{seen}");
    assert!(seen.contains("leave out --model"), "{seen}");
}
