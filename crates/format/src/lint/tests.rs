use super::*;
use crate::Sidecars;

/// The codes of the diagnostics about a name.
fn name(name: &str, folder: Option<&str>) -> Vec<&'static str> {
    let text = format!("---\nname: \"{name}\"\ndescription: d\n---\nb\n");
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    frontmatter(&document, folder).iter().map(|found| found.code.as_str()).collect()
}

#[test]
fn names_that_follow_the_specification_pass() {
    for good in ["a", "my-skill", "1", "a1-b2", "技能", "straße", "ⅳ", "٣", "ａｂｃ", " a "] {
        assert_eq!(name(good, None), [""; 0], "{good}");
    }
}

#[test]
fn all_faults_of_a_name_are_reported_together() {
    for (bad, codes) in [
        ("", &["name-empty"][..]),
        ("  ", &["name-empty"]),
        ("A--b_", &["name-upper-case", "name-hyphens", "name-characters"]),
        ("con", &["name-reserved"]),
        (".git", &["name-characters", "name-reserved"]),
        ("a/b", &["name-characters"]),
        ("a\\u202eb", &["name-characters"]),
        ("a\\U000E0041", &["name-characters"]),
        ("\u{24d0}\u{94c}", &["name-characters"]),
    ] {
        assert_eq!(name(bad, None), codes, "{bad}");
    }
    assert_eq!(name(&"x".repeat(64), None), [""; 0]);
    assert_eq!(name(&"é".repeat(65), None), ["name-too-long"]);
}

#[test]
fn a_name_is_compared_with_its_folder() {
    assert_eq!(name("a", Some("a")), [""; 0]);
    assert_eq!(name("a", Some("b")), ["name-differs-from-folder"]);
}

#[test]
fn the_diagnostic_of_a_missing_name_shows_the_name_used() {
    let document = Document::read(b"---\ndescription: d\n---\nb\n", &Sidecars::default());
    let found = frontmatter(&document, Some("demo"));
    assert_eq!(found[0].message, "the name is missing; the folder's name `demo` is used");
}

#[test]
fn broken_frontmatter_is_not_linted() {
    let document = Document::read(b"---\nname: a\nname: b\n---\n", &Sidecars::default());
    assert_eq!(frontmatter(&document, Some("c")), []);
}

#[test]
fn messages_are_lower_case_and_have_a_fix() {
    let text = "---\nname: A_\ndescription: <d>\ncompatibility: ''\nversion: 1\nallowed-tools: [a]\nmetadata: {a: {}}\nx: y\n---\n";
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    for found in document.diagnostics.iter().chain(&frontmatter(&document, Some("c"))) {
        assert!(!found.message.starts_with(char::is_uppercase), "{found:?}");
        assert!(found.help.as_ref().is_some_and(|help| !help.starts_with(char::is_uppercase)), "{found:?}");
        assert!(found.span.is_some(), "{found:?}");
    }
}
