//! Keeps each comment of the frontmatter with a top-level key.

use crate::{
    document::{Document, Soundness},
    repair::repair,
    source::lines,
    yaml::{self, Key, Node, needs_escape},
};

/// Comments by the byte offset of their key, and the comments after the last key.
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
            // A comment on its own line belongs to the key that follows; a comment after a value,
            // or indented below a key, belongs to that key.
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

/// Every comment with its offset in the file.
fn find(text: &str, document: &Document) -> Vec<(usize, String)> {
    let Some(frontmatter) = document.frontmatter.clone() else { return Vec::new() };
    let repaired =
        if document.soundness == Soundness::Repaired { repair(text, frontmatter.clone()) } else { None };
    let parsed = repaired.as_ref().map_or(&text[frontmatter.clone()], |repaired| &repaired.text);
    let mut found: Vec<(usize, String)> = yaml::comments(parsed)
        .into_iter()
        .map(|range| {
            let at = repaired.as_ref().map_or(range.start, |repaired| repaired.original(range.start));
            (frontmatter.start + at, parsed[range].to_owned())
        })
        .collect();
    // Further frontmatter blocks are merged into the first, together with their comments.
    for line in lines(&text[..document.body.start], frontmatter.end) {
        let content = line.text(text);
        if content.trim_start().starts_with('#') {
            found.push((line.start, content.trim_start().to_owned()));
        }
    }
    found
}

/// A line such as `# --- notes ---` would end the frontmatter for readers that look for `---`
/// anywhere.
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
