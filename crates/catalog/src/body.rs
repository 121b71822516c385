//! The instructions of a skill, read when they are needed.

use crate::entry::Entry;
use skillful_format::{Document, Sidecars, source::FILE_LIMIT};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// The file that holds a skill's instructions: its own, or what an operator puts in their place.
pub fn file(entry: &Entry) -> &Path {
    entry.overridden.as_ref().map_or(&entry.origin.file, |overridden| &overridden.body)
}

/// Reads a skill's instructions as they are on disk now, without the frontmatter.
pub fn read(entry: &Entry) -> io::Result<String> {
    // A pipe in the place of the file must not hold us up.
    if !std::fs::metadata(file(entry))?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(file(entry))?.take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is over {FILE_LIMIT} bytes")));
    }
    // The frontmatter may have grown since the list was made, so it is looked for again.
    Ok(Document::read(&bytes, &Sidecars::default()).body_text(&bytes).into_owned())
}
