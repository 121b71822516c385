//! From one skill to the next.

use crate::harness::{Harness, text};
use serde_json::json;
use skillful_assistant::session::ChatSession;
use skillful_testkit::ModelAnswer;

#[test]
fn a_final_answer_moves_on_to_the_next_skill() {
    let harness = Harness::new([ModelAnswer::says("planned"), ModelAnswer::says("built")])
        .skill("plan", "next_skill: build", "Plan it.")
        .skill("build", "", "Build it.");
    let turned = harness.say(&mut ChatSession::new(), "$plan a house").unwrap();
    assert_eq!(turned.text, "built");
    assert!(text(&harness.asked()[1]).contains("Build it."));
    assert!(harness.events().contains(&"moved plan -> build (1)".to_owned()), "{:?}", harness.events());
}

#[test]
fn the_models_choice_overrides_the_skills_next() {
    let harness = Harness::new([
        ModelAnswer::calls([(
            "skill_transition",
            json!({ "target_skill": "fix", "reason": "it is broken" }),
        )]),
        ModelAnswer::says("fixed"),
    ])
    .skill("triage", "next_skill: close\nconditional_next_skills:\n  broken: fix", "Triage it.")
    .skill("fix", "", "Fix it.")
    .skill("close", "", "Close it.");
    let turned = harness.say(&mut ChatSession::new(), "$triage the issue").unwrap();
    assert_eq!(turned.text, "fixed");
    let asked = harness.asked();
    assert!(text(&asked[0]).contains("- broken: `fix`"), "{}", text(&asked[0]));
    assert!(text(&asked[1]).contains("Fix it."));
    assert!(!text(&asked[1]).contains("Close it."));
}

#[test]
fn a_pipeline_that_goes_round_stays_at_its_depth_and_keeps_the_answer() {
    let harness = Harness::new((0..10).map(|number| ModelAnswer::says(format!("answer {number}"))))
        .skill("ping", "next_skill: pong", "Ping.")
        .skill("pong", "next_skill: ping", "Pong.");
    let turned = harness.say(&mut ChatSession::new(), "$ping").unwrap();
    assert_eq!(turned.text, "answer 5");
    assert_eq!(harness.asked().len(), 6);
    assert!(harness.events().iter().any(|line| line.starts_with("stayed: ") && line.contains('5')));
}

#[test]
fn a_missing_next_skill_is_reported_and_the_answer_stays() {
    let harness =
        Harness::new([ModelAnswer::says("planned")]).skill("plan", "next_skill: nothing", "Plan it.");
    let turned = harness.say(&mut ChatSession::new(), "$plan a house").unwrap();
    assert_eq!(turned.text, "planned");
    assert!(harness.events().iter().any(|line| line.starts_with("stayed: ")), "{:?}", harness.events());
}
