//! Hooks of active skills, fired by the loop.

use crate::harness::{Harness, result, text};
use serde_json::json;
use skillful_assistant::{session::ChatSession, turn::TurnError};
use skillful_testkit::ModelAnswer;

const GUARD: &str = "hooks:\n  PreToolUse:\n    - matcher: Write\n      hooks:\n        - type: command\n          command: 'echo never there >&2; exit 2'";

#[test]
fn a_guard_of_the_active_skill_blocks_a_call_and_the_model_reads_why() {
    let calls =
        ModelAnswer::calls([("write_file", json!({ "on": "a" })), ("read_file", json!({ "on": "b" }))]);
    let harness = Harness::new([calls, ModelAnswer::says("ok")]).skill("careful", GUARD, "Be careful.");
    harness.say(&mut ChatSession::new(), "$careful do it").unwrap();
    let body = &harness.asked()[1];
    assert!(result(body, 0).contains("never there"), "{}", result(body, 0));
    assert_eq!(harness.done(), ["read_file b"]);
}

#[test]
fn a_hook_with_once_fires_once_and_its_words_reach_the_model() {
    let frontmatter = "hooks:\n  PostToolUse:\n    - matcher: Read\n      hooks:\n        - type: command\n          command: 'echo look twice'\n          once: true";
    let read = || ModelAnswer::calls([("read_file", json!({ "on": "a" }))]);
    let harness =
        Harness::new([read(), read(), ModelAnswer::says("ok")]).skill("tidy", frontmatter, "Tidy up.");
    harness.say(&mut ChatSession::new(), "$tidy do it").unwrap();
    let asked = harness.asked();
    assert_eq!(text(&asked[2]).matches("look twice").count(), 1);
}

#[test]
fn a_hook_keeps_a_turn_open_a_limited_number_of_times() {
    let frontmatter = "hooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: 'echo tests are missing >&2; exit 2'";
    let harness = Harness::new([ModelAnswer::says("done")]).skill("strict", frontmatter, "Be strict.");
    harness.say(&mut ChatSession::new(), "$strict do it").unwrap();
    assert_eq!(harness.asked().len(), 4);
    assert!(text(&harness.asked()[1]).contains("tests are missing"));
}

#[test]
fn a_message_that_a_hook_refuses_is_an_error() {
    let frontmatter = "hooks:\n  UserPromptSubmit:\n    - hooks:\n        - type: command\n          command: 'grep -q forbidden && { echo not that >&2; exit 2; }; exit 0'";
    let harness = Harness::new([ModelAnswer::says("ok")]).skill("filter", frontmatter, "Filter.");
    let mut run = ChatSession::new();
    harness.say(&mut run, "$filter please").unwrap();
    let refused = harness.say(&mut run, "the forbidden thing");
    assert!(matches!(&refused, Err(TurnError::Blocked(why)) if why.contains("not that")), "{refused:?}");
    assert_eq!(harness.asked().len(), 1);
}

#[test]
fn hooks_fire_for_sub_agents_and_events_that_never_occur_are_reported() {
    let frontmatter = "hooks:\n  SubagentStart:\n    - hooks:\n        - type: command\n          command: 'echo one begins'\n  SubagentStop:\n    - hooks:\n        - type: command\n          command: 'echo one ended'\n  SessionEnd:\n    - hooks:\n        - type: command\n          command: 'true'";
    let server = skillful_testkit::ModelServer::with(|asked| {
        let said = asked.body["messages"].as_array().map_or(0, Vec::len);
        let child = asked.body["system"].to_string().contains("You are a sub-agent");
        if !child && said == 1 {
            ModelAnswer::calls([("use_skill", json!({ "name": "look" }))])
        } else {
            ModelAnswer::says("ok")
        }
    });
    let harness = Harness::with(server).skill("watcher", frontmatter, "Watch.").skill(
        "look",
        "context: fork",
        "Look around.",
    );
    harness.say(&mut ChatSession::new(), "$watcher do it").unwrap();
    let last = text(harness.asked().last().unwrap());
    assert!(last.contains("one begins") && last.contains("one ended"), "{last}");
    assert!(harness.events().iter().any(|line| line.contains("is for SessionEnd")), "{:?}", harness.events());
}
