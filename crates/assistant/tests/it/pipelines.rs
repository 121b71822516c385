//! From one skill to the next.

use crate::stage::{Stage, text};
use serde_json::json;
use skillful_assistant::run::Run;
use skillful_testkit::ModelAnswer;

#[test]
fn a_final_answer_moves_on_to_the_next_skill() {
    let stage = Stage::new([ModelAnswer::says("planned"), ModelAnswer::says("built")])
        .skill("plan", "next_skill: build", "Plan it.")
        .skill("build", "", "Build it.");
    let turned = stage.say(&mut Run::new(), "$plan a house").unwrap();
    assert_eq!(turned.text, "built");
    assert!(text(&stage.asked()[1]).contains("Build it."));
    assert!(stage.events().contains(&"moved plan -> build (1)".to_owned()), "{:?}", stage.events());
}

#[test]
fn what_the_model_chooses_beats_what_the_skill_names() {
    let stage = Stage::new([
        ModelAnswer::calls([(
            "skill_transition",
            json!({ "target_skill": "fix", "reason": "it is broken" }),
        )]),
        ModelAnswer::says("fixed"),
    ])
    .skill("triage", "next_skill: close\nconditional_next_skills:\n  broken: fix", "Triage it.")
    .skill("fix", "", "Fix it.")
    .skill("close", "", "Close it.");
    let turned = stage.say(&mut Run::new(), "$triage the issue").unwrap();
    assert_eq!(turned.text, "fixed");
    let asked = stage.asked();
    assert!(text(&asked[0]).contains("- broken: `fix`"), "{}", text(&asked[0]));
    assert!(text(&asked[1]).contains("Fix it."));
    assert!(!text(&asked[1]).contains("Close it."));
}

#[test]
fn a_pipeline_that_goes_round_stays_at_its_depth_and_keeps_the_answer() {
    let stage = Stage::new((0..10).map(|number| ModelAnswer::says(format!("answer {number}"))))
        .skill("ping", "next_skill: pong", "Ping.")
        .skill("pong", "next_skill: ping", "Pong.");
    let turned = stage.say(&mut Run::new(), "$ping").unwrap();
    assert_eq!(turned.text, "answer 5");
    assert_eq!(stage.asked().len(), 6);
    assert!(stage.events().iter().any(|line| line.starts_with("stayed: ") && line.contains('5')));
}

#[test]
fn a_next_skill_that_is_not_there_is_told_and_the_answer_stays() {
    let stage = Stage::new([ModelAnswer::says("planned")]).skill("plan", "next_skill: nothing", "Plan it.");
    let turned = stage.say(&mut Run::new(), "$plan a house").unwrap();
    assert_eq!(turned.text, "planned");
    assert!(stage.events().iter().any(|line| line.starts_with("stayed: ")), "{:?}", stage.events());
}
