//! The texts findings point into, each asked for once.

use skillful_format::{Span, source::span_in};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

/// Asks the caller for the text of a file and remembers the answer.
pub(super) struct Sources<'a, F> {
    read: F,
    texts: BTreeMap<PathBuf, Option<Cow<'a, str>>>,
}

impl<'a, F: Fn(&Path) -> Option<T>, T: Into<Cow<'a, str>>> Sources<'a, F> {
    pub(super) fn new(read: F) -> Self {
        Self { read, texts: BTreeMap::new() }
    }

    /// The text a span points into, when there is one and it still is the text that was checked.
    pub(super) fn text(&mut self, path: Option<&Path>, span: Span) -> Option<&str> {
        let path = path?;
        if !self.texts.contains_key(path) {
            self.texts.insert(path.to_owned(), (self.read)(path).map(Into::into));
        }
        let text = self.texts.get(path)?.as_ref()?;
        // A text that the caller still holds is the one that was checked.
        let is_same = matches!(text, Cow::Borrowed(_)) && text.get(range(span)).is_some();
        (is_same || is_in(text, span)).then_some(text)
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
