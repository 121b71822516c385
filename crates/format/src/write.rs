//! Writes frontmatter in canonical form: known fields in a fixed order, spellings of the
//! specification, unknown keys kept, and no value that a simple parser would misread.
//!
//! The reference parser splits a file at the first two `---` anywhere, so three hyphens inside a
//! value are written with an escape.

mod canonical;
mod comments;
mod emit;
mod pairs;
#[cfg(test)]
mod tests;

use crate::{
    document::{Document, Soundness},
    field::{FIELDS, field},
    manifest::Manifest,
    sidecar::is_supplied,
    yaml::{Key, Node},
};
use comments::Comments;

/// The frontmatter of a document in canonical form, with its fences. Each comment stays before the
/// top-level key it belongs to. Broken frontmatter is returned unchanged, because its meaning is
/// unknown.
pub fn frontmatter(text: &str, document: &Document) -> String {
    let Some(range) = document.frontmatter.clone().filter(|_| document.soundness != Soundness::Broken) else {
        return text[..document.body.start.min(text.len())].to_owned();
    };
    let own: Vec<&(Key, Node)> = document.keys.iter().filter(|(key, _)| !is_supplied(key)).collect();
    let comments = Comments::of(text, document, &own);
    let mut sorted: Vec<(usize, &Key, &Node)> = own
        .iter()
        .map(|(key, node)| (FIELDS.iter().position(|f| f.is_spelled(&key.text)), key, node))
        .map(|(place, key, node)| (place.unwrap_or(FIELDS.len()), key, node))
        .collect();
    sorted.sort_by_key(|(place, _, _)| *place);

    let mut out = String::from("---\n");
    for (_, key, node) in sorted {
        comments.write_before(key, &mut out);
        // Two spellings of one field both stay as they are; otherwise one key would appear twice.
        let alone = field(&key.text)
            .is_none_or(|field| own.iter().filter(|(other, _)| field.is_spelled(&other.text)).count() == 1);
        let (name, data) = canonical::pair(&key.text, node.to_data(), alone);
        emit::pair(&mut out, 0, &name, &data);
    }
    comments.write_last(&mut out);
    out.push_str("---\n");
    if text[..range.start].ends_with("\r\n") { out.replace('\n', "\r\n") } else { out }
}

/// A whole file in canonical form: the frontmatter rewritten, the body unchanged. A file without
/// frontmatter, or with broken frontmatter, is returned unchanged.
pub fn document(text: &str, document: &Document) -> String {
    if document.frontmatter.is_none() || document.soundness == Soundness::Broken {
        return text.to_owned();
    }
    format!("{}{}", frontmatter(text, document), &text[document.body.clone()])
}

/// A whole file in canonical form when that is another text, or the reason why it has none.
pub fn formatted(text: &str, document: &Document) -> Result<Option<String>, &'static str> {
    if document.soundness == Soundness::Broken {
        return Err("its frontmatter cannot be read; `skillful check` reports why");
    }
    let new = self::document(text, document);
    Ok((new != text).then_some(new))
}

/// One pair of the frontmatter in canonical form, with its line end.
pub(crate) fn pair(key: &str, node: &Node, alone: bool) -> String {
    let (name, data) = canonical::pair(key, node.to_data(), alone);
    let mut out = String::new();
    emit::pair(&mut out, 0, &name, &data);
    out
}

/// A text as a value of the frontmatter, in quotes where it needs them.
pub(crate) fn scalar_text(text: &str) -> String {
    emit::text(text)
}

/// Frontmatter for a manifest that has no source text. Reading it gives the same manifest.
pub fn manifest(manifest: &Manifest) -> String {
    let mut out = String::from("---\n");
    for (key, data) in pairs::of(manifest) {
        emit::pair(&mut out, 0, &key, &data);
    }
    out.push_str("---\n");
    out
}
