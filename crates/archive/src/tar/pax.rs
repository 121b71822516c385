//! PAX records: `<length> <key>=<value>\n`, the second place in which a tar archive names and measures
//! its entries. Readers that disagree on which place counts can be shown different archives.

use crate::refuse;
use skillful_format::Diagnostic;
use std::collections::BTreeSet;

/// The records that matter here.
#[derive(Default)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
}

/// Reads the records about one entry.
pub(super) fn read(records: &[u8]) -> Result<Pax, Diagnostic> {
    let mut pax = Pax::default();
    each(records, |key, value| {
        match key {
            b"path" => pax.path = Some(value.to_vec()),
            b"size" => pax.size = Some(size(value)?),
            _ => check_harmless(key, value)?,
        }
        Ok(())
    })?;
    Ok(pax)
}

/// Reads the records about all entries; `git archive` writes one with the commit in a comment. They may
/// say nothing about names and sizes, since that would hold for every entry alike.
pub(super) fn read_global(records: &[u8]) -> Result<(), Diagnostic> {
    each(records, |key, value| match key {
        b"path" | b"size" => {
            Err(refuse::unreadable("a global tar header names or measures all entries at once"))
        }
        _ => check_harmless(key, value),
    })
}

/// Refuses the keys that change what an entry is; all others are times, owners and attributes, which a
/// skill does not carry.
fn check_harmless(key: &[u8], value: &[u8]) -> Result<(), Diagnostic> {
    match key {
        b"linkpath" => Err(refuse::special(value, "the target of a link")),
        b"hdrcharset" if value != b"ISO-IR 10646 2000 UTF-8" => {
            Err(refuse::unreadable("the tar archive has names in another encoding than UTF-8"))
        }
        b"SCHILY.realsize" | b"SCHILY.filetype" | b"SUN.holesdata" => Err(sparse()),
        _ if key.starts_with(b"GNU.sparse.") => Err(sparse()),
        _ => Ok(()),
    }
}

fn sparse() -> Diagnostic {
    refuse::unreadable("the tar archive has sparse files, whose size is not the one in their header")
}

fn size(value: &[u8]) -> Result<u64, Diagnostic> {
    decimal(value).ok_or_else(|| refuse::unreadable("a size in a tar header is not a decimal number"))
}

/// Only digits: `parse` alone would take `+1`, which other readers take for 0 or for an error.
fn decimal(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn each(
    mut records: &[u8],
    mut record: impl FnMut(&[u8], &[u8]) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let mut seen = BTreeSet::new();
    while !records.is_empty() {
        let (key, value, rest) =
            split(records).ok_or_else(|| refuse::unreadable("an extended tar header is damaged"))?;
        if !seen.insert(key) {
            return Err(refuse::unreadable(format!(
                "an extended tar header has `{}` twice",
                refuse::shown(key)
            )));
        }
        record(key, value)?;
        records = rest;
    }
    Ok(())
}

/// The first record's key and value, and what follows it.
fn split(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let blank = memchr::memchr(b' ', records)?;
    let length = usize::try_from(decimal(&records[..blank])?).ok()?;
    let (record, rest) = records.split_at_checked(length)?;
    let (last, pair) = record.get(blank + 1..)?.split_last()?;
    let equals = memchr::memchr(b'=', pair)?;
    (*last == b'\n' && equals > 0).then(|| (&pair[..equals], &pair[equals + 1..], rest))
}
