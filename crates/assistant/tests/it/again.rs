//! Calling a skill again: its commands run again, it gets its arguments and its current text.

use crate::harness::{Harness, result, text};
use serde_json::json;
use skillful_assistant::session::ChatSession;
use skillful_testkit::ModelAnswer;
use std::fs;

const RUNS: &str = "allowed-tools: Bash(cat:*)";

fn answers(count: usize) -> Vec<ModelAnswer> {
    (0..count).map(|_| ModelAnswer::says("ok")).collect()
}

/// The text of the last message of the last request.
fn last(harness: &Harness) -> String {
    let asked = harness.asked();
    let messages = asked.last().unwrap()["messages"].as_array().unwrap().clone();
    text(&json!({ "messages": [messages.last().unwrap()] }))
}

#[test]
fn commands_of_a_skill_that_is_called_again_run_again() {
    let harness = Harness::new(answers(3)).skill("one", RUNS, "It is !`cat now.txt`.");
    let now = harness.home.path().join("work/now.txt");
    let mut run = ChatSession::new();
    for (said, expected) in [("first", "It is first."), ("second", "It is second.")] {
        fs::write(&now, said).unwrap();
        harness.say(&mut run, "Do it with $one").unwrap();
        assert!(last(&harness).contains(expected), "{}", last(&harness));
    }
    harness.say(&mut run, "Do it with $one").unwrap();
    assert!(last(&harness).contains("is loaded above"), "the same text is not repeated: {}", last(&harness));
}

#[test]
fn a_model_that_calls_a_skill_again_gets_its_arguments_and_its_commands() {
    let load = |on: &str| ModelAnswer::calls([("use_skill", json!({ "name": "one", "arguments": on }))]);
    let harness = Harness::new([load("Ann"), load("Bob"), ModelAnswer::says("ok")]).skill(
        "one",
        "",
        "Greet $ARGUMENTS politely.",
    );
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let asked = harness.asked();
    assert!(result(&asked[1], 0).contains("Greet Ann politely."));
    assert!(result(&asked[2], 0).contains("Greet Bob politely."), "{}", result(&asked[2], 0));
}

#[test]
fn an_edited_skill_that_is_called_again_brings_its_current_text() {
    let harness = Harness::new(answers(2)).skill("one", "", "The old text.");
    let mut run = ChatSession::new();
    harness.say(&mut run, "Do it with $one").unwrap();
    let harness = harness.skill("one", "", "The new text.");
    harness.say(&mut run, "Do it with $one").unwrap();
    assert!(last(&harness).contains("The new text."), "{}", last(&harness));
}

#[test]
fn another_skill_of_the_same_name_does_not_count_as_loaded() {
    let harness = Harness::new(answers(2)).skill("one", "", "Of the user.");
    let mut run = ChatSession::new();
    harness.say(&mut run, "Do it with $one").unwrap();
    fs::remove_dir_all(harness.home.path().join(".agents/skills/one")).unwrap();
    let other = harness.home.path().join(".skillful/skills/one");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("SKILL.md"), "---\nname: one\ndescription: Another.\n---\nAnother skill.\n")
        .unwrap();
    harness.say(&mut run, "Do it with $one").unwrap();
    assert!(last(&harness).contains("Another skill."), "{}", last(&harness));
}

#[test]
fn without_skills_there_is_no_tool_about_skills_and_no_word_about_them() {
    let harness = Harness::new(answers(1));
    harness.say(&mut ChatSession::new(), "Do it").unwrap();
    let body = &harness.asked()[0];
    let names: Vec<&str> =
        body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(!names.iter().any(|name| name.contains("skill")), "{names:?}");
    for part in [&body["system"], &body["tools"]] {
        assert!(!part.to_string().to_lowercase().contains("skill"), "{part:#}");
    }
}
