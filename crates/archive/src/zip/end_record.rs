//! The end of a zip archive: the record from which every reader starts, and where readers disagree.
//!
//! The record is found by its signature near the end of the file, so a second signature can show one
//! archive to one reader and another to the next. There must be exactly one
//! record that reaches the end of the file, and no signature after it.

use super::fields::Fields;
use crate::refuse;
use memchr::memmem;
use skillful_format::Diagnostic;

const SIGNATURE: &[u8] = b"PK\x05\x06";
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";
const LENGTH: usize = 22;
const ZIP64_LOCATOR_LENGTH: usize = 20;

/// Where the central directory is and how many entries it has.
pub(super) struct EndRecord {
    pub(super) entries: usize,
    /// The directory's first byte.
    pub(super) start: usize,
    /// One past its last byte, which is where this record begins.
    pub(super) end: usize,
}

/// Whether the file ends like a zip archive, whatever it begins with.
pub(crate) fn is_present(bytes: &[u8]) -> bool {
    candidates(bytes).any(|at| reaches_end(bytes, at))
}

/// Finds the record; fails if there is none, or more than one that a reader could take.
pub(super) fn find(bytes: &[u8]) -> Result<EndRecord, Diagnostic> {
    let found: Vec<usize> = candidates(bytes).collect();
    let Some(&last) = found.last() else {
        return Err(refuse::unreadable("the zip archive has no end record; it is damaged or cut off"));
    };
    if found.iter().filter(|&&at| reaches_end(bytes, at)).count() > 1
        || (!reaches_end(bytes, last) && found.iter().any(|&at| reaches_end(bytes, at)))
    {
        return Err(refuse::unreadable(
            "the zip archive has a second end record, so it can be read in two ways",
        ));
    }
    if !reaches_end(bytes, last) {
        return Err(match comment_length(bytes, last) {
            Some(comment) if last + LENGTH + comment < bytes.len() => {
                refuse::stray("bytes stand after the zip archive")
            }
            _ => refuse::unreadable("the zip archive is cut off in its end record"),
        });
    }
    read(bytes, last)
}

/// Where the signature stands, as far from the end as the longest comment allows.
fn candidates(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let window = bytes.len().saturating_sub(LENGTH + usize::from(u16::MAX));
    memmem::find_iter(&bytes[window..], SIGNATURE).map(move |at| at + window)
}

fn reaches_end(bytes: &[u8], at: usize) -> bool {
    comment_length(bytes, at).is_some_and(|comment| at + LENGTH + comment == bytes.len())
}

fn comment_length(bytes: &[u8], at: usize) -> Option<usize> {
    Fields(bytes.get(at + LENGTH - 2..)?).short_len().ok()
}

fn read(bytes: &[u8], at: usize) -> Result<EndRecord, Diagnostic> {
    let mut fields = Fields(&bytes[at + SIGNATURE.len()..]);
    let disk = fields.u16()?;
    let directory_disk = fields.u16()?;
    let entries_here = fields.u16()?;
    let entries = fields.u16()?;
    let size = fields.u32()?;
    let start = fields.u32()?;

    // No package within our limits needs the 64-bit records, and each of them repeats, with room for
    // disagreement, what is said here.
    let locator = at.checked_sub(ZIP64_LOCATOR_LENGTH).and_then(|from| bytes.get(from..at));
    if locator.is_some_and(|found| found.starts_with(ZIP64_LOCATOR))
        || entries == u16::MAX
        || size == u32::MAX
        || start == u32::MAX
    {
        return Err(zip64());
    }
    if disk != 0 || directory_disk != 0 {
        return Err(refuse::unreadable("the zip archive is one part of several"));
    }
    if entries_here != entries {
        return Err(refuse::unreadable("the end record gives two different numbers of entries"));
    }
    let (start, size) = (start as usize, size as usize);
    match start.checked_add(size) {
        Some(end) if end == at => Ok(EndRecord { entries: usize::from(entries), start, end }),
        Some(end) if end < at => Err(refuse::stray(
            "bytes stand before the zip archive or between its directory and its end record",
        )),
        _ => Err(refuse::unreadable("the end record points outside of the zip archive")),
    }
}

/// Zip64 in any place.
pub(super) fn zip64() -> Diagnostic {
    refuse::unreadable("the zip archive uses zip64 records, which no package of this size needs")
}
