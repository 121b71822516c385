//! A conversation that outgrows its model.

use crate::stage::{Stage, text};
use serde_json::json;
use skillful_assistant::run::Run;
use skillful_testkit::{ModelAnswer, ModelServer};

#[test]
fn a_long_conversation_is_summarised_and_skills_and_the_catalogue_stay() {
    let long = "word ".repeat(2_000);
    let server = ModelServer::with(move |asked| {
        if asked.body["system"].to_string().contains("Summarise the conversation") {
            return ModelAnswer::says("They want a house.");
        }
        ModelAnswer::says(long.clone())
    });
    let mut stage = Stage::with(server).skill("plan", "", "Plan it well.").skill("other", "", "Other.");
    stage.window = 12_000;
    let mut run = Run::new();
    stage.say(&mut run, "$plan a house").unwrap();
    // The note that it is loaded already does not take the place of its instructions.
    stage.say(&mut run, "/plan a garden").unwrap();
    for _ in 0..8 {
        stage.say(&mut run, "more").unwrap();
    }
    let events = stage.events();
    assert!(events.iter().any(|line| line == "compacted: kept [\"plan\"], lost []"), "{events:?}");
    let asked = stage.asked();
    let last = asked.last().unwrap();
    assert!(text(last).contains("They want a house."));
    assert!(text(last).contains("Plan it well."));
    assert!(last["system"].to_string().contains("About other."));
    // And so it is after a restart.
    let again = stage.kept.resume();
    assert_eq!(again.items(), run.items());
}

#[test]
fn when_no_summary_can_be_had_a_part_of_the_conversation_is_kept_and_told() {
    let long = "word ".repeat(3_000);
    let server = ModelServer::with(move |asked| {
        if asked.body["system"].to_string().contains("Summarise the conversation") {
            return ModelAnswer::error(400, "no");
        }
        ModelAnswer::says(long.clone())
    });
    let mut stage = Stage::with(server);
    stage.window = 12_000;
    let mut run = Run::new();
    for _ in 0..6 {
        stage.say(&mut run, "the very first words").unwrap();
    }
    assert!(stage.events().iter().any(|line| line.contains("no summary could be had")));
    assert!(text(stage.asked().last().unwrap()).contains("the very first words"));
}

#[test]
fn a_server_that_says_too_long_is_asked_again_with_less() {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    let server = ModelServer::with(move |asked| {
        if asked.body["system"].to_string().contains("Summarise the conversation") {
            return ModelAnswer::says("In short.");
        }
        match calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => ModelAnswer::calls([("read_file", json!({ "on": "a" }))]),
            1 => ModelAnswer::says("first"),
            2 => ModelAnswer::error(400, "prompt is too long: 9 tokens > 8 maximum"),
            _ => ModelAnswer::says("second"),
        }
    });
    let mut stage = Stage::with(server);
    // So small that nothing but the last exchange stays.
    stage.window = 2_000;
    let mut run = Run::new();
    stage.say(&mut run, "one").unwrap();
    assert_eq!(stage.say(&mut run, "two").unwrap().text, "second");
}
