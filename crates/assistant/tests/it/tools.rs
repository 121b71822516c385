//! Calls: policy, approval, order, limits.

use crate::harness::{Harness, Person, result};
use serde_json::json;
use skillful_assistant::{
    approval::{ApprovalAnswer, ApprovalMode},
    session::ChatSession,
    turn::TurnEnd,
};
use skillful_testkit::{AnswerPart, ModelAnswer};

#[test]
fn the_list_of_a_skill_denies_a_tool_until_another_skill_is_loaded() {
    let write = || ModelAnswer::calls([("write_file", json!({ "on": "a" }))]);
    let answers = [
        ModelAnswer::calls([("use_skill", json!({ "name": "reader" }))]),
        write(),
        ModelAnswer::calls([("use_skill", json!({ "name": "free" }))]),
        write(),
        ModelAnswer::says("ok"),
    ];
    let harness =
        Harness::new(answers).skill("reader", "allowed-tools: Read", "Read.").skill("free", "", "Write.");
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let asked = harness.asked();
    assert!(result(&asked[2], 0).starts_with("Not run: "), "{}", result(&asked[2], 0));
    assert!(result(&asked[4], 0).contains("did write_file a"));
    assert_eq!(harness.done(), ["write_file a"]);
    assert!(harness.events().iter().any(|line| line.starts_with("denied write_file")));
}

#[test]
fn a_list_ends_with_its_turn() {
    let harness = Harness::new([
        ModelAnswer::says("ok"),
        ModelAnswer::calls([("write_file", json!({ "on": "a" }))]),
        ModelAnswer::says("ok"),
    ])
    .skill("reader", "allowed-tools: Read", "Read.");
    let mut run = ChatSession::new();
    harness.say(&mut run, "$reader look").unwrap();
    harness.say(&mut run, "write").unwrap();
    assert_eq!(harness.done(), ["write_file a"]);
}

#[test]
fn each_mode_asks_as_documented_and_always_is_asked_once() {
    let calls = || {
        ModelAnswer::calls([
            ("read_file", json!({ "on": "a" })),
            ("write_file", json!({ "on": "b" })),
            ("web_fetch", json!({ "on": "https://example.org/" })),
        ])
    };
    for (mode, asks) in [(ApprovalMode::Ask, 3), (ApprovalMode::AutoSafe, 2), (ApprovalMode::Autonomous, 0)] {
        let mut harness = Harness::new([calls(), calls(), ModelAnswer::says("ok")]);
        harness.mode = mode;
        let answers = if mode == ApprovalMode::Ask {
            vec![
                ApprovalAnswer::Always,
                ApprovalAnswer::Once,
                ApprovalAnswer::No(Some("not this one".to_owned())),
            ]
        } else {
            vec![ApprovalAnswer::Once, ApprovalAnswer::No(Some("not this one".to_owned()))]
        };
        let (user, asked) = Person::new(answers);
        harness.approver = user;
        harness.say(&mut ChatSession::new(), "Do it").unwrap();
        let asked = asked.lock().unwrap().clone();
        assert_eq!(asked.len(), asks, "{mode:?}: {asked:?}");
        if mode == ApprovalMode::Ask {
            assert_eq!(asked[0], "write_file b: it changes files or runs a command in the project");
            assert!(result(&harness.asked()[2], 2).contains("not this one"));
        }
    }
}

#[test]
fn stop_ends_the_turn_and_no_later_call_runs() {
    let mut harness = Harness::new([ModelAnswer::calls([
        ("write_file", json!({ "on": "a" })),
        ("read_file", json!({ "on": "b" })),
    ])]);
    harness.mode = ApprovalMode::Ask;
    let (user, _) = Person::new(vec![ApprovalAnswer::Stop]);
    harness.approver = user;
    let turned = harness.say(&mut ChatSession::new(), "Do it").unwrap();
    assert!(matches!(turned.end, TurnEnd::Stopped(_)));
    assert_eq!(harness.done(), [""; 0]);
}

#[test]
fn without_a_terminal_calls_that_need_approval_are_denied_with_the_reason() {
    let mut harness = Harness::new([
        ModelAnswer::calls([("web_fetch", json!({ "on": "https://example.org/" }))]),
        ModelAnswer::says("ok"),
    ]);
    harness.mode = ApprovalMode::AutoSafe;
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    assert!(result(&harness.asked()[1], 0).contains("there is no terminal to ask at"));
}

#[test]
fn many_calls_get_a_result_each_and_only_the_first_run() {
    let harness =
        Harness::new([ModelAnswer::flood("read_file", &json!({ "on": "a" }), 300), ModelAnswer::says("ok")]);
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    assert_eq!(harness.done().len(), 64);
    let body = &harness.asked()[1];
    assert!(result(body, 0).contains("did read_file"));
    assert!(result(body, 299).contains("too many calls"));
}

#[test]
fn results_keep_the_order_of_the_calls_and_changes_wait_for_reads() {
    let harness = Harness::new([
        ModelAnswer::calls([
            ("read_file", json!({ "on": "1" })),
            ("read_file", json!({ "on": "2" })),
            ("write_file", json!({ "on": "3" })),
            ("read_file", json!({ "on": "4" })),
        ]),
        ModelAnswer::says("ok"),
    ]);
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let body = &harness.asked()[1];
    let results: Vec<String> = (0..4).map(|at| result(body, at)).collect();
    assert_eq!(results, ["did read_file 1", "did read_file 2", "did write_file 3", "did read_file 4"]);
    let done = harness.done();
    assert_eq!((done[2].as_str(), done[3].as_str()), ("write_file 3", "read_file 4"));
}

#[test]
fn invalid_arguments_and_unknown_tools_are_reported_to_the_model() {
    let harness = Harness::new([
        ModelAnswer::Parts(vec![AnswerPart::raw_call("read_file", "{\"on\": ")]),
        ModelAnswer::calls([("no_such_tool", json!({})), ("read_file", json!({ "of": "a" }))]),
        ModelAnswer::says("ok"),
    ])
    .skill("one", "", "Follow one.");
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let asked = harness.asked();
    assert!(result(&asked[1], 0).contains("not a JSON object"), "{}", result(&asked[1], 0));
    assert!(result(&asked[2], 0).contains("no tool named `no_such_tool`; the tools are use_skill"));
    assert!(result(&asked[2], 1).contains("`on` is missing"));
}

#[test]
fn a_session_that_read_untrusted_text_loses_tools_that_change_things() {
    let mut harness = Harness::new([
        ModelAnswer::calls([("web_fetch", json!({ "on": "https://example.org/" }))]),
        ModelAnswer::calls([("run_command", json!({ "on": "ls" })), ("use_skill", json!({ "name": "one" }))]),
        ModelAnswer::says("ok"),
    ])
    .skill("one", "", "Follow one.");
    harness.distrust_web = true;
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let body = &harness.asked()[2];
    assert!(result(body, 0).starts_with("Not run"));
    assert!(result(body, 1).contains("Follow one."));
}
