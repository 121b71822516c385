//! Fuzzes the body below a valid frontmatter: every finding has its place in the file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skillful_format::{Document, LENIENT, Sidecars, check};

fuzz_target!(|body: &str| {
    let text = format!("---\nname: demo\ndescription: d\n---\n{body}");
    let document = Document::read(text.as_bytes(), &Sidecars::default());
    for found in check::check(&text, &document, Some("demo"), &|path| path.len() % 2 == 0, &LENIENT) {
        let span = found.span.map(|span| span.start as usize..span.end as usize);
        assert!(span.is_none_or(|range| text.get(range).is_some()), "{found:?}");
    }
});
