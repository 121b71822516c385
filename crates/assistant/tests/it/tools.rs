//! Calls: policy, persons, order, floods.

use crate::stage::{Person, Stage, result};
use serde_json::json;
use skillful_assistant::{
    approval::{Answer as Said, ApprovalMode},
    run::{End, Run},
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
    let stage =
        Stage::new(answers).skill("reader", "allowed-tools: Read", "Read.").skill("free", "", "Write.");
    stage.say(&mut Run::new(), "Do it").unwrap();
    let asked = stage.asked();
    assert!(result(&asked[2], 0).starts_with("Not done: "), "{}", result(&asked[2], 0));
    assert!(result(&asked[4], 0).contains("did write_file a"));
    assert_eq!(stage.done(), ["write_file a"]);
    assert!(stage.events().iter().any(|line| line.starts_with("denied write_file")));
}

#[test]
fn a_list_ends_with_its_turn() {
    let stage = Stage::new([
        ModelAnswer::says("ok"),
        ModelAnswer::calls([("write_file", json!({ "on": "a" }))]),
        ModelAnswer::says("ok"),
    ])
    .skill("reader", "allowed-tools: Read", "Read.");
    let mut run = Run::new();
    stage.say(&mut run, "$reader look").unwrap();
    stage.say(&mut run, "write").unwrap();
    assert_eq!(stage.done(), ["write_file a"]);
}

#[test]
fn each_mode_asks_where_it_says_and_a_yes_for_all_is_asked_once() {
    let calls = || {
        ModelAnswer::calls([
            ("read_file", json!({ "on": "a" })),
            ("write_file", json!({ "on": "b" })),
            ("web_fetch", json!({ "on": "https://example.org/" })),
        ])
    };
    for (mode, asks) in [(ApprovalMode::Ask, 3), (ApprovalMode::AutoSafe, 2), (ApprovalMode::Autonomous, 0)] {
        let mut stage = Stage::new([calls(), calls(), ModelAnswer::says("ok")]);
        stage.mode = mode;
        let answers = if mode == ApprovalMode::Ask {
            vec![Said::Always, Said::Once, Said::No(Some("not this one".to_owned()))]
        } else {
            vec![Said::Once, Said::No(Some("not this one".to_owned()))]
        };
        let (person, asked) = Person::new(answers);
        stage.approve = person;
        stage.say(&mut Run::new(), "Do it").unwrap();
        let asked = asked.lock().unwrap().clone();
        assert_eq!(asked.len(), asks, "{mode:?}: {asked:?}");
        if mode == ApprovalMode::Ask {
            assert_eq!(asked[0], "write_file b: it changes something");
            assert!(result(&stage.asked()[2], 2).contains("not this one"));
        }
    }
}

#[test]
fn who_says_stop_ends_the_turn_and_no_later_call_is_done() {
    let mut stage = Stage::new([ModelAnswer::calls([
        ("write_file", json!({ "on": "a" })),
        ("read_file", json!({ "on": "b" })),
    ])]);
    stage.mode = ApprovalMode::Ask;
    let (person, _) = Person::new(vec![Said::Stop]);
    stage.approve = person;
    let turned = stage.say(&mut Run::new(), "Do it").unwrap();
    assert!(matches!(turned.end, End::Stopped(_)));
    assert_eq!(stage.done(), [""; 0]);
}

#[test]
fn with_nobody_to_ask_what_needs_a_yes_is_denied_with_the_reason() {
    let mut stage = Stage::new([
        ModelAnswer::calls([("web_fetch", json!({ "on": "https://example.org/" }))]),
        ModelAnswer::says("ok"),
    ]);
    stage.mode = ApprovalMode::AutoSafe;
    stage.say(&mut Run::new(), "Do it").unwrap();
    assert!(result(&stage.asked()[1], 0).contains("nobody is there to be asked"));
}

#[test]
fn a_flood_of_calls_gets_a_result_for_each_and_only_the_first_are_done() {
    let stage =
        Stage::new([ModelAnswer::flood("read_file", &json!({ "on": "a" }), 300), ModelAnswer::says("ok")]);
    stage.say(&mut Run::new(), "Do it").unwrap();
    assert_eq!(stage.done().len(), 64);
    let body = &stage.asked()[1];
    assert!(result(body, 0).contains("did read_file"));
    assert!(result(body, 299).contains("too many calls"));
}

#[test]
fn results_come_in_the_order_of_the_calls_and_what_changes_waits_for_what_looks() {
    let stage = Stage::new([
        ModelAnswer::calls([
            ("read_file", json!({ "on": "1" })),
            ("read_file", json!({ "on": "2" })),
            ("write_file", json!({ "on": "3" })),
            ("read_file", json!({ "on": "4" })),
        ]),
        ModelAnswer::says("ok"),
    ]);
    stage.say(&mut Run::new(), "Do it").unwrap();
    let body = &stage.asked()[1];
    let results: Vec<String> = (0..4).map(|at| result(body, at)).collect();
    assert_eq!(results, ["did read_file 1", "did read_file 2", "did write_file 3", "did read_file 4"]);
    let done = stage.done();
    assert_eq!((done[2].as_str(), done[3].as_str()), ("write_file 3", "read_file 4"));
}

#[test]
fn arguments_that_cannot_be_read_and_tools_that_are_not_there_are_told_to_the_model() {
    let stage = Stage::new([
        ModelAnswer::Parts(vec![AnswerPart::raw_call("read_file", "{\"on\": ")]),
        ModelAnswer::calls([("no_such_tool", json!({})), ("read_file", json!({ "of": "a" }))]),
        ModelAnswer::says("ok"),
    ]);
    stage.say(&mut Run::new(), "Do it").unwrap();
    let asked = stage.asked();
    assert!(result(&asked[1], 0).contains("no JSON object"), "{}", result(&asked[1], 0));
    assert!(result(&asked[2], 0).contains("there is no tool `no_such_tool`; there are use_skill"));
    assert!(result(&asked[2], 1).contains("`on` is missing"));
}

#[test]
fn a_run_that_read_what_nobody_vouches_for_loses_what_acts_on_the_world() {
    let mut stage = Stage::new([
        ModelAnswer::calls([("web_fetch", json!({ "on": "https://example.org/" }))]),
        ModelAnswer::calls([("run_command", json!({ "on": "ls" })), ("use_skill", json!({ "name": "one" }))]),
        ModelAnswer::says("ok"),
    ])
    .skill("one", "", "Follow one.");
    stage.distrust_web = true;
    stage.say(&mut Run::new(), "Do it").unwrap();
    let body = &stage.asked()[2];
    assert!(result(body, 0).starts_with("Not done"));
    assert!(result(body, 1).contains("Follow one."));
}
