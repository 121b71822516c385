//! Links, headings, and where a name leads.

use crate::{Encoding, Text, background::Snapshot, uri};
use lsp_types::{DocumentLink, DocumentSymbol, Location, Range, SymbolKind};
use skillful::authoring::place::{self, Place};
use skillful_format::field::{self, FieldValue};
use skillful_format::{Document, outline::outline};
use skillful_profiles::part_of;
use std::path::Path;

/// The links of a body to files that exist.
pub(crate) fn links(text: &Text, document: &Document, path: &Path, encoding: Encoding) -> Vec<DocumentLink> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let links = outline(text.as_str(), document).links.into_iter();
    links
        .filter_map(|link| {
            let file = folder.join(&link.path);
            let target = file.is_file().then(|| uri::of_path(&file))??;
            Some(DocumentLink {
                range: text.range(link.target, encoding),
                target: Some(target),
                tooltip: Some(link.path),
                data: None,
            })
        })
        .collect()
}

/// The headings of a body as a tree.
pub(crate) fn symbols(text: &Text, document: &Document, encoding: Encoding) -> Vec<DocumentSymbol> {
    let headings = outline(text.as_str(), document).headings;
    let end = text.as_str().len();
    let mut open: Vec<(u8, DocumentSymbol)> = Vec::new();
    let mut top: Vec<DocumentSymbol> = Vec::new();
    let close = |open: &mut Vec<(u8, DocumentSymbol)>, top: &mut Vec<DocumentSymbol>| {
        if let Some((_, done)) = open.pop() {
            match open.last_mut() {
                Some((_, parent)) => parent.children.get_or_insert_default().push(done),
                None => top.push(done),
            }
        }
    };
    for (at, heading) in headings.iter().enumerate() {
        while open.last().is_some_and(|(level, _)| *level >= heading.level) {
            close(&mut open, &mut top);
        }
        // A section lasts until the next heading that is not below it.
        let next = headings[at + 1..].iter().find(|next| next.level <= heading.level);
        let last = next.map_or(end, |next| next.range.start);
        let title = if heading.title.trim().is_empty() { "(no title)" } else { heading.title.trim() };
        open.push((heading.level, symbol(title, text, heading.range.clone(), last, encoding)));
    }
    while !open.is_empty() {
        close(&mut open, &mut top);
    }
    top
}

#[expect(deprecated, reason = "the field `deprecated` has no default")]
fn symbol(
    title: &str,
    text: &Text,
    heading: std::ops::Range<usize>,
    end: usize,
    encoding: Encoding,
) -> DocumentSymbol {
    DocumentSymbol {
        name: title.to_owned(),
        detail: None,
        kind: SymbolKind::STRING,
        tags: None,
        deprecated: None,
        range: text.range(heading.start..end.max(heading.end), encoding),
        selection_range: text.range(heading, encoding),
        children: None,
    }
}

/// Where the name or the link at a byte leads.
pub(crate) fn definition(
    text: &Text,
    document: &Document,
    path: &Path,
    offset: usize,
    snapshot: &Snapshot,
) -> Option<Location> {
    let content = text.as_str();
    let link = outline(content, document)
        .links
        .into_iter()
        .find(|link| link.range.start <= offset && offset <= link.range.end);
    let file = match (link, place::at(content, offset)) {
        (Some(link), _) => path.parent()?.join(link.path),
        (None, Place::Mention(word)) => snapshot.skill(&content[word])?.file.clone(),
        (None, Place::Value { path, word }) => {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let form = match part_of(&path) {
                Some((_, Some(part))) => part.value,
                Some((field, None)) => field.value,
                None => field::field(path.first()?)?.value,
            };
            if !matches!(form, FieldValue::Skill | FieldValue::Skills | FieldValue::SkillsByLabel) {
                return None;
            }
            snapshot.skill(&content[word])?.file.clone()
        }
        _ => return None,
    };
    file.is_file().then(|| Some(Location { uri: uri::of_path(&file)?, range: Range::default() }))?
}
