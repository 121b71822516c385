//! Verdicts of the classifier are cached for one hour; failures are never cached.

use crate::decider::{Bench, CLEAR, chat, is_none, says};
use skillful_route::{Note, Route};
use skillful_testkit::{ModelAnswer, ModelServer};
use std::time::Duration;

const CHOICE: &str = r#"{"skill": "kubernetes-deploy", "confidence": 0.9}"#;

#[test]
fn the_same_request_is_classified_once_an_hour_across_processes() {
    let mut bench = Bench::unsure();
    let server = ModelServer::new([ModelAnswer::chat(CHOICE)]);
    let first = bench.decide(&bench.asking(&server), CLEAR);
    assert_eq!(first.notes, []);
    // A new decider reads the verdict that the first one cached.
    let second = bench.decide(&bench.asking(&server), CLEAR);
    assert_eq!(second.notes, [Note::Cached]);
    assert_eq!((second.route, second.skill, second.confidence), (first.route, first.skill, first.confidence));
    assert_eq!(server.asked().len(), 1);
    bench.now += Duration::from_mins(61);
    assert_eq!(bench.decide(&bench.asking(&server), CLEAR).notes, []);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn the_verdict_none_is_cached() {
    let bench = Bench::unsure();
    let server = ModelServer::new([ModelAnswer::chat(r#"{"skill": "none"}"#)]);
    is_none(&bench.decide(&bench.asking(&server), CLEAR));
    let again = bench.decide(&bench.asking(&server), CLEAR);
    is_none(&again);
    assert_eq!(again.notes, [Note::Cached]);
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn failures_are_never_cached() {
    for failure in [
        ModelAnswer::error(400, "no"),
        ModelAnswer::chat("no json"),
        ModelAnswer::chat(r#"{"skill": "unknown"}"#),
    ] {
        let bench = Bench::unsure();
        let server = ModelServer::new([failure, ModelAnswer::chat(CHOICE)]);
        let failed = bench.decide(&bench.asking(&server), CLEAR);
        assert_ne!(failed.route, Route::Activate);
        assert_eq!(bench.decide(&bench.asking(&server), CLEAR).route, Route::Activate);
        assert_eq!(server.asked().len(), 2);
    }
}

#[test]
fn another_request_context_model_or_set_of_skills_is_classified_again() {
    let bench = Bench::unsure();
    let server = ModelServer::new([ModelAnswer::chat(CHOICE)]);
    let decider = bench.asking(&server);
    bench.decide(&decider, CLEAR);
    bench.decide(&decider, &format!("{CLEAR}!"));
    bench.decide_after(&decider, CLEAR, &[says("I have a cluster.")]);
    assert_eq!(server.asked().len(), 3);
    let other = bench.decider().with_classifier(Box::new(chat(&server, "other-model")));
    bench.decide(&other, CLEAR);
    assert_eq!(server.asked().len(), 4);
    bench.workspace.skill("flight-search", "Something else.", "Other words.");
    let (catalog, router, _) = bench.workspace.open();
    let bench = Bench { catalog, router, ..bench };
    bench.decide(&bench.asking(&server), CLEAR);
    assert_eq!(server.asked().len(), 5);
    bench.decide(&bench.asking(&server), CLEAR);
    assert_eq!(server.asked().len(), 5);
}

#[test]
fn the_text_of_a_request_is_never_written_to_disk() {
    let bench = Bench::unsure();
    let server = ModelServer::new([ModelAnswer::chat(CHOICE)]);
    bench.decide(&bench.asking(&server), CLEAR);
    let kept = std::fs::read(bench.workspace.cache().join("verdicts.bin")).unwrap();
    assert!(!String::from_utf8_lossy(&kept).contains("manifests"));
}
