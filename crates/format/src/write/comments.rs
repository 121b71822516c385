//! The comments of a header, each kept with a top-level key.

use crate::{
    document::{Document, Soundness},
    repair::repair,
    source::lines,
    yaml::{self, Key, Node, needs_escape},
};

/// Comments by the byte at which their key stands, and those after the last key.
pub(super) struct Comments {
    before: Vec<(u32, String)>,
    last: Vec<String>,
}

impl Comments {
    pub(super) fn of(text: &str, document: &Document, keys: &[&(Key, Node)]) -> Self {
        let mut starts: Vec<u32> = keys.iter().map(|(key, _)| key.span.start).collect();
        starts.sort_unstable();
        let mut comments = Self { before: Vec::new(), last: Vec::new() };
        for (at, comment) in find(text, document) {
            let line_start = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
            // A comment on a line of its own speaks of what follows; one behind a value, or
            // indented below a key, of that key.
            let next = starts.partition_point(|start| (*start as usize) <= at);
            let owner = if line_start == at { next } else { next.saturating_sub(1) };
            match starts.get(owner) {
                Some(start) => comments.before.push((*start, comment)),
                None => comments.last.push(comment),
            }
        }
        comments
    }

    pub(super) fn write_before(&self, key: &Key, out: &mut String) {
        for (_, comment) in self.before.iter().filter(|(start, _)| *start == key.span.start) {
            write(comment, out);
        }
    }

    pub(super) fn write_last(&self, out: &mut String) {
        for comment in &self.last {
            write(comment, out);
        }
    }
}

/// Every comment with its place in the file.
fn find(text: &str, document: &Document) -> Vec<(usize, String)> {
    let Some(header) = document.header.clone() else { return Vec::new() };
    let repaired =
        if document.soundness == Soundness::Repaired { repair(text, header.clone()) } else { None };
    let parsed = repaired.as_ref().map_or(&text[header.clone()], |repaired| &repaired.text);
    let mut found: Vec<(usize, String)> = yaml::comments(parsed)
        .into_iter()
        .map(|range| {
            let at = repaired.as_ref().map_or(range.start, |repaired| repaired.original(range.start));
            (header.start + at, parsed[range].to_owned())
        })
        .collect();
    // Further headers are merged into the first; their comments come along.
    for line in lines(&text[..document.body.start], header.end) {
        let content = line.text(text);
        if content.trim_start().starts_with('#') {
            found.push((line.start, content.trim_start().to_owned()));
        }
    }
    found
}

/// A rule such as `# --- notes ---` would end the header for readers that look for `---` anywhere.
fn write(comment: &str, out: &mut String) {
    let seen: String = comment.chars().map(|c| if needs_escape(c) { ' ' } else { c }).collect();
    let mut rest = seen.trim_end();
    while let Some(at) = rest.find("---") {
        let end = rest[at..].find(|c| c != '-').map_or(rest.len(), |length| at + length);
        out.push_str(&rest[..at]);
        out.extend(std::iter::repeat_n('=', end - at));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out.push('\n');
}
