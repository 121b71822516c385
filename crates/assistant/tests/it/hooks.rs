//! Hooks of active skills, fired by the loop.

use crate::stage::{Stage, result, text};
use serde_json::json;
use skillful_assistant::run::{Run, TurnError};
use skillful_testkit::ModelAnswer;

const GUARD: &str = "hooks:\n  PreToolUse:\n    - matcher: Write\n      hooks:\n        - type: command\n          command: 'echo never there >&2; exit 2'";

#[test]
fn a_guard_of_the_active_skill_blocks_a_call_and_the_model_reads_why() {
    let calls =
        ModelAnswer::calls([("write_file", json!({ "on": "a" })), ("read_file", json!({ "on": "b" }))]);
    let stage = Stage::new([calls, ModelAnswer::says("ok")]).skill("careful", GUARD, "Be careful.");
    stage.say(&mut Run::new(), "$careful do it").unwrap();
    let body = &stage.asked()[1];
    assert!(result(body, 0).contains("never there"), "{}", result(body, 0));
    assert_eq!(stage.done(), ["read_file b"]);
}

#[test]
fn a_hook_with_once_fires_once_and_its_words_reach_the_model() {
    let header = "hooks:\n  PostToolUse:\n    - matcher: Read\n      hooks:\n        - type: command\n          command: 'echo look twice'\n          once: true";
    let read = || ModelAnswer::calls([("read_file", json!({ "on": "a" }))]);
    let stage = Stage::new([read(), read(), ModelAnswer::says("ok")]).skill("tidy", header, "Tidy up.");
    stage.say(&mut Run::new(), "$tidy do it").unwrap();
    let asked = stage.asked();
    assert_eq!(text(&asked[2]).matches("look twice").count(), 1);
}

#[test]
fn a_hook_keeps_a_turn_from_ending_and_not_for_ever() {
    let header = "hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: 'echo tests are missing >&2; exit 2'";
    let stage = Stage::new([ModelAnswer::says("done")]).skill("strict", header, "Be strict.");
    stage.say(&mut Run::new(), "$strict do it").unwrap();
    assert_eq!(stage.asked().len(), 4);
    assert!(text(&stage.asked()[1]).contains("tests are missing"));
}

#[test]
fn a_message_that_a_hook_refuses_is_not_taken() {
    let header = "hooks:\n  UserPromptSubmit:\n    - hooks:\n        - type: command\n          command: 'grep -q forbidden && { echo not that >&2; exit 2; }; exit 0'";
    let stage = Stage::new([ModelAnswer::says("ok")]).skill("filter", header, "Filter.");
    let mut run = Run::new();
    stage.say(&mut run, "$filter please").unwrap();
    let refused = stage.say(&mut run, "the forbidden thing");
    assert!(matches!(&refused, Err(TurnError::Blocked(why)) if why.contains("not that")), "{refused:?}");
    assert_eq!(stage.asked().len(), 1);
}

#[test]
fn hooks_hear_of_sub_agents_and_of_events_that_never_come_a_person_is_told() {
    let header = "hooks:\n  SubagentStart:\n    - hooks:\n        - type: command\n          command: 'echo one begins'\n  SubagentStop:\n    - hooks:\n        - type: command\n          command: 'echo one ended'\n  SessionEnd:\n    - hooks:\n        - type: command\n          command: 'true'";
    let server = skillful_testkit::ModelServer::with(|asked| {
        let said = asked.body["messages"].as_array().map_or(0, Vec::len);
        let child = asked.body["system"].to_string().contains("You are a sub-agent");
        if !child && said == 1 {
            ModelAnswer::calls([("use_skill", json!({ "name": "look" }))])
        } else {
            ModelAnswer::says("ok")
        }
    });
    let stage =
        Stage::with(server).skill("watcher", header, "Watch.").skill("look", "context: fork", "Look around.");
    stage.say(&mut Run::new(), "$watcher do it").unwrap();
    let last = text(stage.asked().last().unwrap());
    assert!(last.contains("one begins") && last.contains("one ended"), "{last}");
    assert!(stage.events().iter().any(|line| line.contains("waits for SessionEnd")), "{:?}", stage.events());
}
