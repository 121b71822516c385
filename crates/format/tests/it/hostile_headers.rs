//! Headers that want to hurt. Each is read, linted, checked and written; none may panic, take
//! long, or open a gate.

mod bytes;
mod fences;
mod large;
mod yaml;

use skillful_format::{Code, Document, Manifest, SPEC, Sidecars, Soundness, check, write};
use std::time::{Duration, Instant};

/// One hostile file and what must become of it.
struct Case {
    name: &'static str,
    file: Vec<u8>,
    soundness: Soundness,
    /// A finding that must be among those of the check.
    code: Code,
}

/// The file is quarantined.
fn broken(name: &'static str, file: impl Into<Vec<u8>>, code: Code) -> Case {
    Case { name, file: file.into(), soundness: Soundness::Broken, code }
}

/// The file is read as it is: what looks hostile is only text.
fn sound(name: &'static str, file: impl Into<Vec<u8>>, code: Code) -> Case {
    Case { name, file: file.into(), soundness: Soundness::Sound, code }
}

/// The file is read after a repair that takes the hostile part for text.
fn repaired(name: &'static str, file: impl Into<Vec<u8>>, code: Code) -> Case {
    Case { name, file: file.into(), soundness: Soundness::Repaired, code }
}

/// A file with this header, a gate in front of it, and a body.
fn gated(header: &str) -> String {
    format!("---\nadmin_only: true\n{header}\n---\nbody\n")
}

fn cases() -> Vec<Case> {
    [bytes::cases(), fences::cases(), large::cases(), yaml::cases()].into_iter().flatten().collect()
}

#[test]
fn hostile_headers_are_told_quickly_and_open_no_gate() {
    let cases = cases();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let faults: Vec<String> = cases.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What is wrong with the way a case was met.
fn fault(case: &Case) -> Option<String> {
    let start = Instant::now();
    let document = Document::read(&case.file, &Sidecars::default());
    let text = std::str::from_utf8(&case.file).unwrap_or_default();
    let found = check::check(text, &document, Some("demo"), &|_| false, &SPEC);
    let took = start.elapsed();

    let shown: Vec<String> = found.iter().take(5).map(|d| format!("{}: {:.90}", d.code, d.message)).collect();
    let tell =
        |what: &str| Some(format!("{}: {what} ({took:?}, {:?}, {shown:?})", case.name, document.soundness));
    // A generous bound: what is not linear takes minutes here.
    if took > Duration::from_secs(5) {
        return tell("takes too long");
    }
    if document.soundness != case.soundness {
        return tell(&format!("should be {:?}", case.soundness));
    }
    if !found.iter().any(|d| d.code == case.code) {
        return tell(&format!("lacks {}", case.code));
    }
    let written = write::document(text, &document);
    if case.soundness == Soundness::Broken {
        if document.manifest != Manifest::default() || written != text {
            return tell("a broken file says something, or is not given back as it is");
        }
        return None;
    }
    if !document.manifest.admin_only && document.manifest.closed_gates.is_empty() {
        return tell("the gate is open");
    }
    let again = Document::read(written.as_bytes(), &Sidecars::default());
    // A text of hidden characters may grow over the limit when it is written out.
    if again.manifest != document.manifest && written.len() <= text.len() + 1_000 {
        return tell("it changed when it was written");
    }
    None
}

#[test]
fn names_of_cases_are_unique() {
    let mut names: Vec<&str> = cases().iter().map(|case| case.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}
