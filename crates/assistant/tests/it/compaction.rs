//! Compaction of a session that outgrows its model.

use crate::harness::{Harness, text};
use serde_json::json;
use skillful_assistant::session::ChatSession;
use skillful_testkit::{ModelAnswer, ModelServer};

#[test]
fn a_long_session_is_summarised_and_skills_and_the_menu_stay() {
    let long = "word ".repeat(2_000);
    let server = ModelServer::with(move |asked| {
        if asked.body["system"].to_string().contains("Summarise the session") {
            return ModelAnswer::says("They want a house.");
        }
        ModelAnswer::says(long.clone())
    });
    let mut harness = Harness::with(server).skill("plan", "", "Plan it well.").skill("other", "", "Other.");
    harness.window = 12_000;
    let mut run = ChatSession::new();
    harness.say(&mut run, "$plan a house").unwrap();
    // The note that it is loaded already does not take the place of its instructions.
    harness.say(&mut run, "/plan a garden").unwrap();
    for _ in 0..8 {
        harness.say(&mut run, "more").unwrap();
    }
    let events = harness.events();
    assert!(events.iter().any(|line| line == "compacted: kept [\"plan\"], lost []"), "{events:?}");
    let asked = harness.asked();
    let last = asked.last().unwrap();
    assert!(text(last).contains("They want a house."));
    assert!(text(last).contains("Plan it well."));
    assert!(last["system"].to_string().contains("About other."));
    // And so it is after a restart.
    let again = harness.kept.resume();
    assert_eq!(again.items(), run.items());
}

#[test]
fn when_the_model_cannot_summarise_a_part_of_the_session_is_kept_and_reported() {
    let long = "word ".repeat(3_000);
    let server = ModelServer::with(move |asked| {
        if asked.body["system"].to_string().contains("Summarise the session") {
            return ModelAnswer::error(400, "no");
        }
        ModelAnswer::says(long.clone())
    });
    let mut harness = Harness::with(server);
    harness.window = 12_000;
    let mut run = ChatSession::new();
    for _ in 0..6 {
        harness.say(&mut run, "the very first words").unwrap();
    }
    assert!(harness.events().iter().any(|line| line.contains("could not summarise the session")));
    assert!(text(harness.asked().last().unwrap()).contains("the very first words"));
}

#[test]
fn a_server_that_says_too_long_is_asked_again_with_less() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let server = ModelServer::with(move |asked| {
        if asked.body["system"].to_string().contains("Summarise the session") {
            return ModelAnswer::says("In short.");
        }
        match calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => ModelAnswer::calls([("read_file", json!({ "on": "a" }))]),
            1 => ModelAnswer::says("first"),
            2 => ModelAnswer::error(400, "prompt is too long: 9 tokens > 8 maximum"),
            _ => ModelAnswer::says("second"),
        }
    });
    let mut harness = Harness::with(server);
    // So small that nothing but the last exchange stays.
    harness.window = 2_000;
    let mut run = ChatSession::new();
    harness.say(&mut run, "one").unwrap();
    assert_eq!(harness.say(&mut run, "two").unwrap().text, "second");
}
