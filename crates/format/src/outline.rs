//! The headings of a body and its links into the skill's folder, with their positions.

use crate::document::Document;
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
use std::ops::Range;

/// Headings and links of one body that are returned at most.
const LIMIT: usize = 10_000;

/// What a body consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The headings, in the order of the text.
    pub headings: Vec<Heading>,
    /// The links and images that point into the skill's folder, in the order of the text.
    pub links: Vec<FileLink>,
}

/// A heading of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text without marks.
    pub title: String,
    /// Its bytes in the file.
    pub range: Range<usize>,
}

/// A link to a file of the skill's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLink {
    /// The path of the file, relative to the skill's folder.
    pub path: String,
    /// The bytes of the whole link in the file.
    pub range: Range<usize>,
    /// The bytes of the path as written; those of the whole link when the path stands elsewhere.
    pub target: Range<usize>,
}

/// Reads the headings and links of a document's body.
pub fn outline(text: &str, document: &Document) -> Outline {
    let mut outline = Outline::default();
    let Some(body) = text.get(document.body.clone()) else { return outline };
    let start = document.body.start;
    let mut open: Option<Heading> = None;
    for (event, range) in Parser::new(body).into_offset_iter() {
        if outline.headings.len() + outline.links.len() >= LIMIT {
            break;
        }
        let placed = start + range.start..start + range.end;
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                open = Some(Heading { level: number(level), title: String::new(), range: placed });
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some(mut heading) = open.take() {
                    let trimmed = text[heading.range.clone()].trim_end().len();
                    heading.range.end = heading.range.start + trimmed;
                    outline.headings.push(heading);
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut open {
                    heading.title.push_str(&words);
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                if let Some(path) = local_path(&dest_url) {
                    let written = &text[placed.clone()];
                    let target = written
                        .rfind(&*dest_url)
                        .map_or(placed.clone(), |at| placed.start + at..placed.start + at + dest_url.len());
                    outline.links.push(FileLink { path, range: placed, target });
                }
            }
            _ => {}
        }
    }
    outline
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// The path of a link that points into the skill's own folder.
pub fn local_path(url: &str) -> Option<String> {
    let path = url.split(['#', '?']).next().unwrap_or_default();
    let remote = path.contains("://") || path.starts_with(['/', '~', '<', '$', '{']) || path.contains(':');
    let shaped = path.contains('/') || path.rsplit_once('.').is_some_and(|(_, ending)| ending.len() <= 5);
    if path.is_empty() || remote || !shaped || path.starts_with("../") || path.contains(['*', '{', ' ']) {
        return None;
    }
    Some(decoded(path.strip_prefix("./").unwrap_or(path)))
}

/// A path with percent escapes such as `%20` decoded; unchanged when the result is not UTF-8.
fn decoded(path: &str) -> String {
    String::from_utf8(percent_decoded(path)).unwrap_or_else(|_| path.to_owned())
}

/// The bytes of a text with percent escapes such as `%20` decoded. An escape that is not one stays as written.
pub fn percent_decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                out.push(byte);
                rest = &after[2..];
            }
            None => {
                out.push(*first);
                rest = after;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sidecars;

    #[test]
    fn headings_and_links_have_the_places_of_the_file() {
        let text = "---\nname: a\ndescription: b\n---\n# One `two`\n\nSee [the guide](references/a%20b.md#x) and [web](https://example.org/a.md).\n\nThree\n=====\n";
        let found = outline(text, &Document::read_text(text, &Sidecars::default()));
        let headings: Vec<(u8, &str, &str)> = found
            .headings
            .iter()
            .map(|one| (one.level, one.title.as_str(), &text[one.range.clone()]))
            .collect();
        assert_eq!(headings, [(1, "One two", "# One `two`"), (1, "Three", "Three\n=====")]);
        let links: Vec<(&str, &str)> =
            found.links.iter().map(|one| (one.path.as_str(), &text[one.target.clone()])).collect();
        assert_eq!(links, [("references/a b.md", "references/a%20b.md#x")]);
    }
}
