use super::*;
use crate::{Code, Document, SPEC, Sidecars, check};

#[test]
fn a_new_skill_passes_the_strictest_check() {
    let long = "x ".repeat(2_000);
    for (name, description) in [
        ("my-skill", None),
        ("a", Some("Does: a thing --- with \"quotes\"\nand lines.")),
        ("a1-b2", Some("  ")),
        ("x", Some(long.as_str())),
    ] {
        let text = skill_file(name, description);
        let document = Document::read(text.as_bytes(), &Sidecars::default());
        let (placeholder, rest): (Vec<_>, Vec<_>) =
            check::check(&text, &document, Some(name), &|_| false, &SPEC)
                .into_iter()
                .partition(|found| found.code == Code::DescriptionPlaceholder);
        assert_eq!(rest, [], "{text}");
        let is_described = description.is_some_and(|text| !text.trim().is_empty());
        assert_eq!(placeholder.is_empty(), is_described, "{text}");
        assert_eq!(text.matches("---").count(), 2, "{text}");
    }
}

#[test]
fn names_are_checked_and_a_better_one_is_offered() {
    for (name, suggestion) in [
        ("My Skill", Some("my-skill")),
        ("-a--b-", Some("a-b")),
        ("café_x", Some("caf-x")),
        ("", None),
        ("名", None),
        ("con", None),
        (&"a".repeat(70), Some(&*"a".repeat(64))),
    ] {
        let refused = check_name(name).unwrap_err();
        assert_eq!(refused.suggestion.as_deref(), suggestion, "{name}");
        assert!(refused.suggestion.is_none_or(|name| check_name(&name).is_ok()));
    }
    for name in ["a", "a-b", "1", &"a".repeat(64)] {
        assert_eq!(check_name(name), Ok(()));
    }
}
