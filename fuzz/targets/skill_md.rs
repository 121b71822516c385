//! Fuzzes SKILL.md with arbitrary bytes: reading, linting, checking and writing keep their guarantees.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_format::{Document, SPEC, Sidecars, Soundness, check, lint, write};

fuzz_target!(|bytes: &[u8]| {
    let none = Sidecars::default();
    let document = Document::read(bytes, &none);
    assert_eq!(document, Document::read(bytes, &none), "the same bytes give the same document");
    let Ok(text) = std::str::from_utf8(bytes) else { return };

    lint::frontmatter(bytes, &document, Some("demo"));
    for found in check::check(text, &document, Some("demo"), &|_| false, &SPEC) {
        let Some(span) = found.span else { continue };
        let range = span.start as usize..span.end as usize;
        assert!(text.get(range).is_some(), "{found:?} points outside the file");
        assert!(span.line > 0 && span.column > 0, "{found:?} has no line");
    }

    let written = write::document(text, &document);
    let again = Document::read(written.as_bytes(), &none);
    if document.soundness == Soundness::Broken || document.frontmatter.is_none() {
        assert_eq!(written, text);
    } else {
        assert_eq!(again.soundness, Soundness::Sound, "{written}\n{:?}", again.diagnostics);
        assert_eq!(again.manifest, document.manifest, "{written}");
        assert_eq!(write::document(&written, &again), written, "writing twice changes nothing");
    }

    // The other files that are read with a skill.
    let sidecars = Sidecars { skillful: Some(bytes), openai: Some(bytes), toml: Some(bytes) };
    let beside = Document::read(b"---\nname: a\n---\nb\n", &sidecars);
    assert_ne!(beside.soundness, Soundness::Broken, "a sidecar never blocks the skill");
});
