//! The texts findings point into, each asked for once.

use skillful_format::{Span, source::span_in};
use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

/// Asks the caller for the text of a file and remembers the answer.
pub(super) struct Sources<F> {
    read: F,
    texts: BTreeMap<PathBuf, Option<String>>,
}

impl<F: Fn(&Path) -> Option<String>> Sources<F> {
    pub(super) fn new(read: F) -> Self {
        Self { read, texts: BTreeMap::new() }
    }

    /// The text a span points into, when there is one and it still is the text that was checked.
    pub(super) fn text(&mut self, path: Option<&Path>, span: Span) -> Option<&str> {
        let path = path?;
        if !self.texts.contains_key(path) {
            self.texts.insert(path.to_owned(), (self.read)(path));
        }
        self.texts.get(path)?.as_deref().filter(|text| is_in(text, span))
    }
}

/// Whether a span can be a place of this text. A finding may come from a cache while the file has
/// changed since; marking some other words would be worse than marking none.
fn is_in(text: &str, span: Span) -> bool {
    let range = range(span);
    text.get(range.clone()).is_some() && span_in(text, range).line == span.line
}

/// A span as a range of bytes.
pub(super) fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

/// Line and column just behind a span.
pub(super) fn end(text: &str, span: Span) -> (u32, u32) {
    let end = span.end as usize;
    let place = span_in(text, end..end);
    (place.line, place.column)
}
