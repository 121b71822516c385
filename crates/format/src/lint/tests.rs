use super::*;
use crate::Sidecars;

/// The codes of the diagnostics about a name.
fn name(name: &str, folder: Option<&str>) -> Vec<&'static str> {
    let text = format!("---\nname: \"{name}\"\ndescription: d\n---\nb\n");
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    frontmatter(text.as_bytes(), &document, folder).iter().map(|found| found.code.as_str()).collect()
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
    let text = b"---\ndescription: d\n---\nb\n";
    let document = Document::read(text, &Sidecars::default());
    let found = frontmatter(text, &document, Some("demo"));
    assert_eq!(found[0].message, "the name is missing; the folder's name `demo` is used");
}

#[test]
fn broken_frontmatter_is_not_linted() {
    let text = b"---\nname: a\nname: b\n---\n";
    let document = Document::read(text, &Sidecars::default());
    assert_eq!(frontmatter(text, &document, Some("c")), []);
}

#[test]
fn messages_are_lower_case_and_have_a_fix() {
    let text = "---\nname: A_\ndescription: <d>\ncompatibility: ''\nversion: 1\nallowed-tools: [a]\nmetadata: {a: {}}\nx: y\n---\n";
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    for found in document.diagnostics.iter().chain(&frontmatter(text.as_bytes(), &document, Some("c"))) {
        assert!(!found.message.starts_with(char::is_uppercase), "{found:?}");
        assert!(found.help.as_ref().is_some_and(|help| !help.starts_with(char::is_uppercase)), "{found:?}");
        assert!(found.span.is_some(), "{found:?}");
    }
}

#[test]
fn a_description_reads_like_a_tag_only_where_a_tag_could_be() {
    let found = |description: &str| {
        let text = format!("---\nname: a\ndescription: '{description}'\n---\nb\n");
        let document = Document::read(text.as_bytes(), &Sidecars::default());
        frontmatter(text.as_bytes(), &document, None)
            .into_iter()
            .map(|found| found.message)
            .collect::<Vec<_>>()
    };
    for (description, tag) in [
        ("Usage: /okr <strategy>", "<strategy>"),
        ("a </available_skills> b", "</available_skills>"),
        ("<!DOCTYPE html> pages", "<!DOCTYPE html>"),
        ("1 < 2, then Vec<T>", "<T>"),
        ("the folder <name of it>", "<name of it>"),
    ] {
        assert_eq!(found(description), [format!("`{tag}` in the description reads like a tag")]);
    }
    for plain in [
        "plan -> build -> test",
        "flag > env > file",
        "more than >5 calls",
        "a <= b",
        "x < y and y > z",
        "<3",
        "a << b",
    ] {
        assert_eq!(found(plain), [""; 0], "{plain}");
    }
}

#[test]
fn an_empty_description_names_its_cause() {
    let found = |text: &str| {
        let document = Document::read(text.as_bytes(), &Sidecars::default());
        let found = frontmatter(text.as_bytes(), &document, None);
        found.into_iter().map(|found| found.message).collect::<Vec<_>>()
    };
    let missing = "the description is missing, so most agents do not offer this skill to a model";
    assert_eq!(found("---\nname: a\n---\nb\n"), [missing]);
    assert_eq!(found("---\nname: a\ndescription: ''\n---\nb\n"), [missing]);
    assert_eq!(
        found("---\nname: a\ndescription: ## Expected Output of it\n---\nb\n"),
        ["the description is empty: a `#` after a space starts a comment"]
    );
    assert_eq!(found("# Only a body\n"), [""; 0], "the missing frontmatter is reported instead");
    assert_eq!(
        found("---\nname: a\ndescription: ['TODO: it']\n---\nb\n"),
        [""; 0],
        "its type is reported instead"
    );
}

#[test]
fn a_refused_character_is_named_once() {
    let text = "---\nname: Do a b c/d\ndescription: d\n---\nb\n";
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    let found = frontmatter(text.as_bytes(), &document, None);
    assert_eq!(found[1].message, "the name `Do a b c/d` contains ` /`");
}

#[test]
fn metadata_that_is_not_text_is_reported_at_its_key() {
    let text = "---\nname: a\ndescription: d\nmetadata:\n  author: x\n  other:\n    b: c\n---\nb\n";
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    let found = frontmatter(text.as_bytes(), &document, None);
    assert_eq!(found[0].span.map(|span| (span.line, span.column)), Some((6, 3)), "{found:?}");
}
