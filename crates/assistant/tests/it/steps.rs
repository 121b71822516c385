//! Asking, answering, going on after a crash.

use crate::harness::{Harness, result, text};
use serde_json::json;
use skillful_assistant::{
    session::ChatSession,
    turn::{TurnEnd, TurnError},
};
use skillful_llm::Wire;
use skillful_testkit::{AnswerPart, ModelAnswer, ModelServer, wait_until};

#[test]
fn an_answer_ends_the_turn_in_both_formats() {
    for wire in [Wire::Anthropic, Wire::OpenAi, Wire::Responses] {
        let mut harness = Harness::new([ModelAnswer::says("Done, **all** of it.")]);
        harness.wire = wire;
        let mut run = ChatSession::new();
        let turned = harness.say(&mut run, "Do it").unwrap();
        assert_eq!((turned.text.as_str(), turned.end), ("Done, **all** of it.", TurnEnd::Answered));
        assert!(turned.usage.output > 0);
        assert_eq!(run.items().len(), 2);
    }
}

#[test]
fn calls_and_reasoning_come_back_in_the_format_of_each_server() {
    for wire in [Wire::Anthropic, Wire::OpenAi, Wire::Responses] {
        let first = ModelAnswer::Parts(vec![
            AnswerPart::thinking("Hm."),
            AnswerPart::text("Let me look."),
            AnswerPart::call("read_file", json!({ "on": "a" })),
            AnswerPart::raw_call("read_file", "{\"on\": "),
        ]);
        let mut harness = Harness::new([first, ModelAnswer::says("Done.")]);
        harness.wire = wire;
        let turned = harness.say(&mut ChatSession::new(), "Do it").unwrap();
        assert_eq!(turned.text, "Done.");
        assert_eq!(harness.done(), ["read_file a"]);
        assert!(harness.asked()[1].to_string().contains("the arguments are not a JSON object"), "{wire:?}");
    }
}

#[test]
fn the_menu_is_in_the_system_prompt_and_a_mentioned_skill_beside_the_message() {
    let harness = Harness::new([ModelAnswer::says("ok")]).skill("one", "", "Follow one.").skill(
        "two",
        "",
        "Follow two.",
    );
    let mut run = ChatSession::new();
    harness.say(&mut run, "Do it with $one").unwrap();
    let body = &harness.asked()[0];
    assert!(body["system"].to_string().contains("About two."), "{body}");
    assert!(text(body).contains("Follow one."));
    assert!(!text(body).contains("Follow two."));
    assert_eq!(harness.kept.used.lock().unwrap().len(), 1);
}

#[test]
fn a_skill_is_loaded_once_and_then_noted() {
    let load = || ModelAnswer::calls([("use_skill", json!({ "name": "one" }))]);
    let harness = Harness::new([load(), load(), ModelAnswer::says("ok")]).skill("one", "", "Follow one.");
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let asked = harness.asked();
    assert!(result(&asked[1], 0).contains("Follow one."));
    assert!(result(&asked[2], 0).contains("is loaded above"), "{}", result(&asked[2], 0));
}

#[test]
fn a_turn_that_reaches_its_limit_ends_and_reports_it() {
    let mut harness = Harness::new([ModelAnswer::calls([("read_file", json!({ "on": "a" }))])]);
    harness.limits.steps = 3;
    let turned = harness.say(&mut ChatSession::new(), "Do it").unwrap();
    assert!(
        matches!(&turned.end, TurnEnd::Bound(why) if why.contains("limit of 3 steps")),
        "{:?}",
        turned.end
    );
    assert_eq!(harness.asked().len(), 3);
}

#[test]
fn a_call_that_the_length_limit_cut_is_to_be_made_smaller() {
    let cut = ModelAnswer::Json(json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{ "index": 0, "finish_reason": "length", "message": { "role": "assistant", "content": null,
            "tool_calls": [{ "id": "call_0", "type": "function",
                "function": { "name": "write_file", "arguments": "{\"on\":\"a" } }] } }],
    }));
    let mut harness = Harness::new([cut, ModelAnswer::says("ok")]);
    harness.wire = Wire::OpenAi;
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let result = harness.asked()[1]["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(result.contains("reached its length limit") && result.contains("smaller steps"), "{result}");
}

#[test]
fn an_empty_answer_is_reported() {
    let harness = Harness::new([ModelAnswer::says("")]);
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let notes = harness.events();
    assert!(notes.iter().any(|note| note.contains("empty answer")), "{notes:?}");
}

#[test]
fn repeated_call_ids_are_made_unique() {
    let again = || {
        ModelAnswer::Json(json!({
            "id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": { "role": "assistant", "content": null,
                "tool_calls": [{ "id": "call_0", "type": "function",
                    "function": { "name": "read_file", "arguments": "{\"on\":\"a\"}" } }] } }],
        }))
    };
    let mut harness = Harness::new([again(), again(), ModelAnswer::says("ok")]);
    harness.wire = Wire::OpenAi;
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let ids: Vec<String> = harness.asked()[2]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["tool_call_id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids, ["call_0", "call_0_2"]);
}

#[test]
fn a_cancelled_step_ends_and_the_session_continues() {
    let harness = Harness::with(ModelServer::with(|asked| {
        let second = asked.body.to_string().contains("And now?");
        if second { ModelAnswer::says("ok") } else { ModelAnswer::says("a long answer").stalled_after(40) }
    }));
    let mut run = ChatSession::new();
    let cancel = harness.cancel.clone();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("the model is asked", || !harness.asked().is_empty());
            cancel.cancel();
        });
        harness.say(&mut run, "Do it")
    });
    assert!(matches!(ended, Err(TurnError::Cancelled)), "{ended:?}");
    harness.cancel.reset();
    assert_eq!(harness.say(&mut run, "And now?").unwrap().text, "ok");
    assert!(text(&harness.asked()[1]).contains("Do it"));
}

#[test]
fn after_a_crash_at_any_point_the_session_continues() {
    // The journal is full after each number of entries, as if the program had been killed there.
    for full in 0..8 {
        let answers = [
            ModelAnswer::calls([("read_file", json!({ "on": "a" })), ("write_file", json!({ "on": "b" }))]),
            ModelAnswer::says_and_calls("more", [("read_file", json!({ "on": "c" }))]),
            ModelAnswer::says("first"),
        ];
        let harness = Harness::new(answers);
        *harness.kept.full_at.lock().unwrap() = Some(full);
        let ended = harness.say(&mut ChatSession::new(), "Do it");
        if full < 6 {
            assert!(matches!(ended, Err(TurnError::Journal(_))), "{full}: {ended:?}");
        }
        *harness.kept.full_at.lock().unwrap() = None;
        let mut again = harness.kept.resume();
        let second = Harness { server: ModelServer::new([ModelAnswer::says("second")]), ..harness };
        // The server refuses a request in which a call has no result.
        let turned = second.say(&mut again, "Go on").unwrap();
        assert_eq!(turned.text, "second", "{full}");
    }
}

#[test]
fn a_skill_chooses_its_model_for_the_turn() {
    let mut harness = Harness::new([ModelAnswer::says("ok")])
        .skill("hard", "model_tier: deep\neffort: high", "Think.")
        .skill("odd", "model_tier: coding", "Code.");
    harness.named.insert("deep".to_owned(), "deep-model".to_owned());
    let mut run = ChatSession::new();
    harness.say(&mut run, "$hard do it").unwrap();
    harness.say(&mut run, "and now without").unwrap();
    harness.say(&mut run, "$odd do it").unwrap();
    let models: Vec<String> =
        harness.asked().iter().map(|body| body["model"].as_str().unwrap().to_owned()).collect();
    assert_eq!(models, ["deep-model", "usual", "usual"]);
    assert!(harness.asked()[0].to_string().contains("\"effort\":\"high\""));
    assert!(
        harness.events().iter().any(|line| line.contains("no model is configured for the class `coding`"))
    );
}

#[test]
fn a_saved_skill_is_pending() {
    let save = ModelAnswer::calls([(
        "save_skill",
        json!({ "name": "tidy-up", "description": "Tidies up. Use after a party.", "content": "1. Open the window." }),
    )]);
    let mut harness = Harness::new([save, ModelAnswer::says("saved")]);
    harness.proposed = Some(harness.home.path().canonicalize().unwrap().join("proposed"));
    let mut run = ChatSession::new();
    harness.say(&mut run, "Remember how").unwrap();
    assert!(result(&harness.asked()[1], 0).contains("skillful review"), "{}", result(&harness.asked()[1], 0));
    let file = harness.home.path().join("proposed/tidy-up/SKILL.md");
    assert!(std::fs::read_to_string(file).unwrap().contains("Open the window."));
    harness.say(&mut run, "$tidy-up now").unwrap();
    assert!(!text(&harness.asked()[2]).contains("About tidy-up"));
    assert!(
        harness.events().iter().all(|line| !line.starts_with("activated tidy-up")),
        "{:?}",
        harness.events()
    );
}

#[test]
fn a_skill_that_was_active_and_is_gone_after_a_restart_is_reported() {
    let load = ModelAnswer::calls([("use_skill", json!({ "name": "one" }))]);
    let harness = Harness::new([load, ModelAnswer::says("ok")]).skill("one", "", "Follow one.");
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    std::fs::remove_dir_all(harness.home.path().join(".agents/skills/one")).unwrap();
    harness.say(&mut harness.kept.resume(), "Go on").unwrap();
    let told =
        |line: &String| line.starts_with("not activated one: it was active and cannot be activated again");
    assert!(harness.events().iter().any(told), "{:?}", harness.events());
}
