//! Hostile frontmatter. Each case is read, linted, checked and written; no case may panic, take
//! long, or open a gate.

mod bytes;
mod fences;
mod large;
mod yaml;

use skillful_format::{Code, Document, Manifest, SPEC, Sidecars, Soundness, check, write};
use skillful_testkit::{Attempts, cpu_time};
use std::time::Duration;

/// One hostile file and the expected result.
struct Case {
    name: &'static str,
    file: Vec<u8>,
    soundness: Soundness,
    /// A diagnostic that the check must report.
    code: Code,
}

/// The file is quarantined.
fn broken(name: &'static str, file: impl Into<Vec<u8>>, code: Code) -> Case {
    Case { name, file: file.into(), soundness: Soundness::Broken, code }
}

/// The file is read as written: the part that looks hostile is plain text.
fn sound(name: &'static str, file: impl Into<Vec<u8>>, code: Code) -> Case {
    Case { name, file: file.into(), soundness: Soundness::Sound, code }
}

/// The file is read after a repair that reads the hostile part as text.
fn repaired(name: &'static str, file: impl Into<Vec<u8>>, code: Code) -> Case {
    Case { name, file: file.into(), soundness: Soundness::Repaired, code }
}

/// A file with this frontmatter, a gate in front of it, and a body.
fn gated(frontmatter: &str) -> String {
    format!("---\nadmin_only: true\n{frontmatter}\n---\nbody\n")
}

fn cases() -> Vec<Case> {
    [bytes::cases(), fences::cases(), large::cases(), yaml::cases()].into_iter().flatten().collect()
}

#[test]
fn hostile_frontmatter_is_reported_quickly_and_opens_no_gate() {
    let cases = cases();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let faults: Vec<String> = cases.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    Attempts::of("hostile_frontmatter_is_reported_quickly_and_opens_no_gate").refused(cases.len()).report();
}

/// The first expectation of a case that is not met.
fn fault(case: &Case) -> Option<String> {
    let (took, (document, text, found)) = cpu_time(|| {
        let document = Document::read(&case.file, &Sidecars::default());
        let text = std::str::from_utf8(&case.file).unwrap_or_default();
        let found = check::check(text, &document, Some("demo"), &|_| false, &SPEC);
        (document, text, found)
    });

    let shown: Vec<String> = found.iter().take(5).map(|d| format!("{}: {:.90}", d.code, d.message)).collect();
    let fault =
        |what: &str| Some(format!("{}: {what} ({took:?}, {:?}, {shown:?})", case.name, document.soundness));
    // A generous limit: an algorithm that is not linear takes minutes here.
    if took > Duration::from_secs(5) {
        return fault("takes too long");
    }
    if document.soundness != case.soundness {
        return fault(&format!("should be {:?}", case.soundness));
    }
    if !found.iter().any(|d| d.code == case.code) {
        return fault(&format!("lacks {}", case.code));
    }
    let written = write::document(text, &document);
    if case.soundness == Soundness::Broken {
        if document.manifest != Manifest::default() || written != text {
            return fault("a broken file has manifest values, or is not returned unchanged");
        }
        return None;
    }
    if !document.manifest.admin_only && document.manifest.closed_gates.is_empty() {
        return fault("the gate is open");
    }
    let again = Document::read(written.as_bytes(), &Sidecars::default());
    // A text of invisible characters may exceed the limit when its escapes are written.
    if again.manifest != document.manifest && written.len() <= text.len() + 1_000 {
        return fault("it changed when it was written");
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
