//! The instructions of a skill, read when they are needed.

use crate::{bounded, entry::Entry};
use skillful_format::{Document, Sidecars, source::FILE_LIMIT};
use std::{io, path::Path};

/// The file that holds a skill's instructions: its own, or what an operator puts in their place.
pub fn file(entry: &Entry) -> &Path {
    entry.overridden.as_ref().map_or(&entry.origin.file, |overridden| &overridden.body)
}

/// Reads a skill's instructions as they are on disk now, without the frontmatter.
pub fn read(entry: &Entry) -> io::Result<String> {
    // An operator's override lies in a folder of the operator.
    let is_operators = entry.overridden.as_ref().is_some_and(|from| from.project_file.is_none());
    let within = if is_operators { None } else { entry.origin.within.as_deref() };
    let bytes = bounded::read(file(entry), FILE_LIMIT, within)?;
    // The frontmatter may have grown since the list was made, so it is looked for again.
    Ok(Document::read(&bytes, &Sidecars::default()).body_text(&bytes).into_owned())
}
