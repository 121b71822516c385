//! Properties that hold for any text.

mod generate;

use generate::{any_frontmatter, any_manifest, any_text};
use proptest::prelude::*;
use skillful_format::{Document, LENIENT, SPEC, Sidecars, Soundness, check, lint, write};

fn read(text: &str) -> Document {
    Document::read(text.as_bytes(), &Sidecars::default())
}

/// Asserts every property for one text.
fn holds(text: &str) {
    let document = read(text);
    assert_eq!(document, read(text), "the same file gives the same document");
    lint::frontmatter(text.as_bytes(), &document, Some("demo"));
    for profile in [&SPEC, &LENIENT] {
        for found in check::check(text, &document, Some("demo"), &|_| false, profile) {
            let Some(span) = found.span else { continue };
            let range = span.start as usize..span.end as usize;
            assert!(text.get(range.clone()).is_some(), "{found:?} is outside of {text:?}");
            assert_eq!(span, skillful_format::source::span_in(text, range), "{found:?} in {text:?}");
        }
    }
    for (key, node) in &document.keys {
        for span in [key.span, node.span] {
            let range = span.start as usize..span.end as usize;
            assert!(text.get(range.clone()).is_some(), "{key:?} is outside of {text:?}");
            assert_eq!(span, skillful_format::source::span_in(text, range), "{key:?} in {text:?}");
        }
    }
    let written = write::document(text, &document);
    let again = read(&written);
    if document.soundness == Soundness::Broken || document.frontmatter.is_none() {
        assert_eq!(written, text);
        return;
    }
    assert_eq!(again.soundness, Soundness::Sound, "{written:?} needs a repair: {:?}", again.diagnostics);
    assert_eq!(again.manifest, document.manifest, "{written:?}");
    assert_eq!(write::document(&written, &again), written, "writing twice changes nothing");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_the_promises(text in any_text()) {
        holds(&text);
        holds(&format!("---\n{text}\n---\nbody\n"));
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let sidecars = Sidecars { skillful: Some(&bytes), openai: Some(&bytes), toml: Some(&bytes) };
        Document::read(&bytes, &sidecars);
        prop_assert!(Document::read(b"---\nname: a\n---\n", &sidecars).soundness != Soundness::Broken);
    }

    #[test]
    fn any_frontmatter_survives_writing(frontmatter in any_frontmatter()) {
        holds(&format!("---\n{frontmatter}---\nbody\n"));
    }

    #[test]
    fn any_manifest_survives_writing(manifest in any_manifest()) {
        let text = write::manifest(&manifest);
        let document = read(&text);
        prop_assert_eq!(document.soundness, Soundness::Sound, "{} {:?}", &text, &document.diagnostics);
        prop_assert_eq!(&document.manifest, &manifest, "{}", &text);
        prop_assert_eq!(text.matches("---").count(), 2, "{}", &text);
        holds(&text);
    }

    #[test]
    fn repairs_are_made_only_where_strict_parsing_fails(frontmatter in any_frontmatter()) {
        let document = read(&format!("---\n{frontmatter}---\n"));
        let repairs = ["unquoted-colon", "unquoted-value", "tab-indentation", "text-after-block-mark", "unindented-text"];
        let reported = document.diagnostics.iter().any(|found| repairs.contains(&found.code.as_str()));
        match document.soundness {
            Soundness::Sound => prop_assert!(!reported, "{frontmatter}"),
            Soundness::Repaired => prop_assert!(reported, "{frontmatter}"),
            Soundness::Broken => {}
        }
    }
}
