//! Hostile skills with inert payloads, each with an honest twin that uses the same words. The files
//! are `tests/cases/*.txt`: `@@@ case NAME`, `@@@ hostile`, `@@@ twin`.

use skillful_audit::{
    Report, Severity, Verdict, audit,
    case::{Pair, pairs, tree},
};
use skillful_testkit::Attempts;
use std::{fs, path::Path};

/// A lower bound, so that no cases get lost.
const LEAST: usize = 690;

fn cases() -> Vec<Pair> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|file| pairs(&fs::read_to_string(file).unwrap())).collect()
}

fn summary(report: &Report) -> String {
    let findings =
        report.findings.iter().map(|f| format!("{}:{} {} {}", f.path, f.line, f.severity, f.rule.id()));
    findings.collect::<Vec<_>>().join("; ")
}

#[test]
fn every_hostile_skill_is_blocked_or_reported_as_not_scanned() {
    let cases = cases();
    assert!(cases.len() >= LEAST, "only {} cases", cases.len());
    let missed: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let report = audit(&tree(&case.hostile));
            let caught = matches!(report.verdict, Verdict::Blocked | Verdict::Incomplete);
            (!caught).then(|| format!("{}: {}", case.name, summary(&report)))
        })
        .collect();
    assert!(missed.is_empty(), "missed {} of {}:\n{}", missed.len(), cases.len(), missed.join("\n"));
    Attempts::of("every_hostile_skill_is_blocked_or_reported_as_not_scanned").refused(cases.len()).report();
}

#[test]
fn no_honest_twin_is_blocked() {
    let blocked: Vec<String> = cases()
        .iter()
        .filter_map(|case| {
            assert!(!case.twin.trim().is_empty(), "{} has no twin", case.name);
            let report = audit(&tree(&case.twin));
            let blocked = report.findings.iter().any(|finding| finding.severity == Severity::Block);
            blocked.then(|| format!("{}: {}", case.name, summary(&report)))
        })
        .collect();
    assert!(blocked.is_empty(), "{}", blocked.join("\n"));
    Attempts::of("no_honest_twin_is_blocked").honest(cases().len()).report();
}

/// Honest skills that look dangerous: lessons about attacks, deployments, backups, uploads to their own service. The
/// files are `tests/honest/*.txt`: `@@@ case NAME`, `@@@ twin`.
#[test]
fn no_honest_skill_that_looks_dangerous_is_blocked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/honest");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let cases: Vec<Pair> = files.flat_map(|file| pairs(&fs::read_to_string(file).unwrap())).collect();
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    let blocked = cases.iter().filter_map(|case| {
        let report = audit(&tree(&case.twin));
        (report.verdict == Verdict::Blocked).then(|| format!("{}: {}", case.name, summary(&report)))
    });
    let blocked: Vec<String> = blocked.collect();
    assert!(blocked.is_empty(), "{}", blocked.join("\n"));
}

/// Attacks that the rules do not block. A case that a new rule blocks moves to `tests/cases`, so that the figures
/// in `docs/audit-figures.md` stay true.
#[test]
fn known_misses_are_still_missed_and_their_twins_are_not_blocked() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/known-misses.txt")).unwrap();
    let cases = pairs(&text);
    for case in &cases {
        let hostile = audit(&tree(&case.hostile));
        assert_ne!(hostile.verdict, Verdict::Blocked, "{} is blocked now: {}", case.name, summary(&hostile));
        let twin = audit(&tree(&case.twin));
        assert_ne!(twin.verdict, Verdict::Blocked, "{}: {}", case.name, summary(&twin));
    }
    Attempts::of("known_misses_are_still_missed_and_their_twins_are_not_blocked")
        .passed(cases.len())
        .honest(cases.len())
        .report();
}

#[test]
fn every_block_says_where_why_and_what_to_do() {
    for case in cases() {
        for finding in audit(&tree(&case.hostile)).findings {
            assert!(!finding.why.is_empty() && !finding.fix.is_empty(), "{}", case.name);
            assert!(!finding.path.is_empty() && !finding.evidence.is_empty(), "{}: {finding:?}", case.name);
            let hidden =
                finding.evidence.chars().any(|c| c.is_control() || ('\u{e0000}'..='\u{e01ef}').contains(&c));
            assert!(!hidden, "{}: {finding:?}", case.name);
        }
    }
}
