//! The two corpora: what must not get through, and what must.

use crate::policy;
use skillful_runtime::policy::{Decision, ToolCall};
use skillful_testkit::Attempts;
use std::collections::BTreeSet;

/// A line of a corpus with the grants of its section.
struct Case {
    grants: String,
    input: Vec<u8>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut grants = String::new();
    let mut cases = Vec::new();
    for line in text.lines() {
        if let Some(section) = line.strip_prefix("## ") {
            section.clone_into(&mut grants);
        } else if !line.is_empty() && !line.starts_with("# ") && line != "#" {
            cases.push(Case { grants: grants.clone(), input: bytes(line) });
        }
    }
    cases
}

/// `{{0A}}` is one byte.
fn bytes(line: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        let (code, after) = after.split_once("}}").unwrap();
        out.extend_from_slice(before.as_bytes());
        out.push(u8::from_str_radix(code, 16).unwrap());
        rest = after;
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

fn decide(case: &Case) -> Decision {
    let policy = policy(&case.grants, "");
    assert_eq!(policy.notes, Vec::<String>::new(), "{}", case.grants);
    let text = String::from_utf8_lossy(&case.input);
    if case.grants.starts_with("Read") {
        policy.decide(&ToolCall::path("Read", &text))
    } else if case.grants.starts_with("WebFetch") {
        policy.decide(&ToolCall::url("WebFetch", &text))
    } else {
        policy.decide(&ToolCall::command("Bash", &case.input))
    }
}

#[test]
fn no_attempt_of_the_bypass_corpus_is_let_through() {
    let cases = cases(include_str!("bypass.txt"));
    let distinct: BTreeSet<&[u8]> = cases.iter().map(|case| case.input.as_slice()).collect();
    assert!(distinct.len() >= 200, "only {} attempts", distinct.len());
    let through: Vec<String> = cases
        .iter()
        .filter(|case| !decide(case).is_denied())
        .map(|case| format!("{}: {}", case.grants, String::from_utf8_lossy(&case.input)))
        .collect();
    assert!(through.is_empty(), "let through:\n{}", through.join("\n"));
    Attempts::of("no_attempt_of_the_bypass_corpus_is_let_through").refused(cases.len()).report();
}

#[test]
fn no_benign_command_is_refused() {
    let cases = cases(include_str!("benign.txt"));
    assert!(cases.len() >= 60, "only {} commands", cases.len());
    let refused: Vec<String> = cases
        .iter()
        .filter_map(|case| match decide(case) {
            Decision::Allowed(_) => None,
            other => Some(format!("{}: {}: {other:?}", case.grants, String::from_utf8_lossy(&case.input))),
        })
        .collect();
    assert!(refused.is_empty(), "refused:\n{}", refused.join("\n"));
    Attempts::of("no_benign_command_is_refused").honest(cases.len()).report();
}

#[test]
fn every_refusal_of_the_corpus_says_why() {
    for case in cases(include_str!("bypass.txt")) {
        let Decision::Denied(reason) = decide(&case) else { continue };
        assert!(reason.to_string().len() > 10, "{reason:?}");
    }
}

/// The attempts under open-ended grants: group, grants, whether they are expected to be let through, command.
fn open_grants() -> Vec<(String, Case, bool)> {
    let mut section = (String::new(), String::new(), false);
    let mut all = Vec::new();
    for line in include_str!("open_grants.txt").lines() {
        if let Some(head) = line.strip_prefix("## ") {
            let parts: Vec<&str> = head.split(" | ").collect();
            let [group, grants, expected] = parts[..] else { panic!("{head}") };
            section = (group.to_owned(), grants.to_owned(), expected == "allowed");
        } else if !line.is_empty() && !line.starts_with("# ") {
            all.push((section.0.clone(), Case { grants: section.1.clone(), input: bytes(line) }, section.2));
        }
    }
    all
}

#[test]
fn open_ended_grants_let_through_what_the_tables_know_and_nothing_else() {
    let cases = open_grants();
    let mut groups: std::collections::BTreeMap<&str, (usize, usize)> = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for (group, case, expected) in &cases {
        let decision = decide(case);
        let count = groups.entry(group).or_default();
        count.0 += 1;
        if decision.is_allowed() == *expected {
            count.1 += 1;
        } else {
            wrong.push(format!("{group}: {}: {decision:?}", String::from_utf8_lossy(&case.input)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let denied = cases.iter().filter(|(_, _, expected)| !expected).count();
    assert!(denied >= 350 && cases.len() - denied >= 120, "{denied} attacks of {}", cases.len());
    assert_eq!(groups.len(), 7, "{groups:?}");
    Attempts::of("open_ended_grants_let_through_what_the_tables_know_and_nothing_else")
        .refused(denied)
        .honest(cases.len() - denied)
        .report();
}
