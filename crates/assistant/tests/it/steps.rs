//! Asking, answering, going on after a crash.

use crate::stage::{Stage, result, text};
use serde_json::json;
use skillful_assistant::run::{End, Run, TurnError};
use skillful_llm::Wire;
use skillful_testkit::{ModelAnswer, ModelServer, wait_until};

#[test]
fn an_answer_ends_the_turn_in_both_formats() {
    for wire in [Wire::Anthropic, Wire::OpenAi] {
        let mut stage = Stage::new([ModelAnswer::says("Done, **all** of it.")]);
        stage.wire = wire;
        let mut run = Run::new();
        let turned = stage.say(&mut run, "Do it").unwrap();
        assert_eq!((turned.text.as_str(), turned.end), ("Done, **all** of it.", End::Answered));
        assert!(turned.usage.output > 0);
        assert_eq!(run.items().len(), 2);
    }
}

#[test]
fn the_catalogue_stands_above_the_conversation_and_a_mention_beside_the_message() {
    let stage =
        Stage::new([ModelAnswer::says("ok")]).skill("one", "", "Follow one.").skill("two", "", "Follow two.");
    let mut run = Run::new();
    stage.say(&mut run, "Do it with $one").unwrap();
    let body = &stage.asked()[0];
    assert!(body["system"].to_string().contains("About two."), "{body}");
    assert!(text(body).contains("Follow one."));
    assert!(!text(body).contains("Follow two."));
    assert_eq!(stage.kept.used.lock().unwrap().len(), 1);
}

#[test]
fn a_skill_is_loaded_once_and_then_noted() {
    let load = || ModelAnswer::calls([("use_skill", json!({ "name": "one" }))]);
    let stage = Stage::new([load(), load(), ModelAnswer::says("ok")]).skill("one", "", "Follow one.");
    stage.say(&mut Run::new(), "Do it").unwrap();
    let asked = stage.asked();
    assert!(result(&asked[1], 0).contains("Follow one."));
    assert!(result(&asked[2], 0).contains("is loaded above"), "{}", result(&asked[2], 0));
}

#[test]
fn a_turn_that_never_ends_is_ended_and_says_so() {
    let mut stage = Stage::new([ModelAnswer::calls([("read_file", json!({ "on": "a" }))])]);
    stage.limits.steps = 3;
    let turned = stage.say(&mut Run::new(), "Do it").unwrap();
    assert!(matches!(&turned.end, End::Bound(why) if why.contains("3 times")), "{:?}", turned.end);
    assert_eq!(stage.asked().len(), 3);
}

#[test]
fn a_server_that_numbers_its_calls_anew_makes_no_two_calls_one() {
    let again = || {
        ModelAnswer::Json(json!({
            "id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": { "role": "assistant", "content": null,
                "tool_calls": [{ "id": "call_0", "type": "function",
                    "function": { "name": "read_file", "arguments": "{\"on\":\"a\"}" } }] } }],
        }))
    };
    let mut stage = Stage::new([again(), again(), ModelAnswer::says("ok")]);
    stage.wire = Wire::OpenAi;
    stage.say(&mut Run::new(), "Do it").unwrap();
    let ids: Vec<String> = stage.asked()[2]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|message| message["tool_call_id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids, ["call_0", "call_0_2"]);
}

#[test]
fn what_was_cancelled_ends_and_the_conversation_goes_on() {
    let stage = Stage::with(ModelServer::with(|asked| {
        let second = asked.body.to_string().contains("And now?");
        if second { ModelAnswer::says("ok") } else { ModelAnswer::says("a long answer").stalled_after(40) }
    }));
    let mut run = Run::new();
    let cancel = stage.cancel.clone();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("the model is asked", || !stage.asked().is_empty());
            cancel.cancel();
        });
        stage.say(&mut run, "Do it")
    });
    assert!(matches!(ended, Err(TurnError::Cancelled)), "{ended:?}");
    stage.cancel.reset();
    assert_eq!(stage.say(&mut run, "And now?").unwrap().text, "ok");
    assert!(text(&stage.asked()[1]).contains("Do it"));
}

#[test]
fn after_a_crash_at_any_point_the_conversation_goes_on() {
    // The journal is full after each number of entries, as if the program had been killed there.
    for full in 0..8 {
        let answers = [
            ModelAnswer::calls([("read_file", json!({ "on": "a" })), ("write_file", json!({ "on": "b" }))]),
            ModelAnswer::says_and_calls("more", [("read_file", json!({ "on": "c" }))]),
            ModelAnswer::says("first"),
        ];
        let stage = Stage::new(answers);
        *stage.kept.full_at.lock().unwrap() = Some(full);
        let ended = stage.say(&mut Run::new(), "Do it");
        if full < 6 {
            assert!(matches!(ended, Err(TurnError::Journal(_))), "{full}: {ended:?}");
        }
        *stage.kept.full_at.lock().unwrap() = None;
        let mut again = stage.kept.resume();
        let second = Stage { server: ModelServer::new([ModelAnswer::says("second")]), ..stage };
        // The server takes no request in which a call has no result.
        let turned = second.say(&mut again, "Go on").unwrap();
        assert_eq!(turned.text, "second", "{full}");
    }
}

#[test]
fn a_skill_chooses_its_model_for_the_turn() {
    let mut stage = Stage::new([ModelAnswer::says("ok")])
        .skill("hard", "model_tier: deep\neffort: high", "Think.")
        .skill("odd", "model_tier: coding", "Code.");
    stage.named.insert("deep".to_owned(), "deep-model".to_owned());
    let mut run = Run::new();
    stage.say(&mut run, "$hard do it").unwrap();
    stage.say(&mut run, "and now without").unwrap();
    stage.say(&mut run, "$odd do it").unwrap();
    let models: Vec<String> =
        stage.asked().iter().map(|body| body["model"].as_str().unwrap().to_owned()).collect();
    assert_eq!(models, ["deep-model", "usual", "usual"]);
    assert!(stage.asked()[0].to_string().contains("\"effort\":\"high\""));
    assert!(stage.events().iter().any(|line| line.contains("no model is configured for the class `coding`")));
}

#[test]
fn what_was_learned_is_saved_as_a_skill_that_is_off() {
    let save = ModelAnswer::calls([(
        "save_skill",
        json!({ "name": "tidy-up", "description": "Tidies up. Use after a party.", "content": "1. Open the window." }),
    )]);
    let mut stage = Stage::new([save, ModelAnswer::says("saved")]);
    stage.proposed = Some(stage.home.path().canonicalize().unwrap().join("proposed"));
    let mut run = Run::new();
    stage.say(&mut run, "Remember how").unwrap();
    assert!(result(&stage.asked()[1], 0).contains("skillful review"), "{}", result(&stage.asked()[1], 0));
    let file = stage.home.path().join("proposed/tidy-up/SKILL.md");
    assert!(std::fs::read_to_string(file).unwrap().contains("Open the window."));
    stage.say(&mut run, "$tidy-up now").unwrap();
    assert!(!text(&stage.asked()[2]).contains("About tidy-up"));
    assert!(stage.events().iter().all(|line| !line.starts_with("activated tidy-up")), "{:?}", stage.events());
}

#[test]
fn a_skill_that_was_active_and_is_gone_after_a_restart_is_told() {
    let load = ModelAnswer::calls([("use_skill", json!({ "name": "one" }))]);
    let stage = Stage::new([load, ModelAnswer::says("ok")]).skill("one", "", "Follow one.");
    stage.say(&mut Run::new(), "Do it").unwrap();
    std::fs::remove_dir_all(stage.home.path().join(".agents/skills/one")).unwrap();
    stage.say(&mut stage.kept.resume(), "Go on").unwrap();
    let told = |line: &String| line.starts_with("not activated one: it was active and is not any more");
    assert!(stage.events().iter().any(told), "{:?}", stage.events());
}
