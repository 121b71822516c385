//! Tar archives, read strictly: files and folders only, one meaning per entry, an end that is one.

mod gunzip;
mod header;
mod pax;
mod write;

pub use write::{write_tar_gz, write_tar_gz_bare};

use crate::{
    gate::{ArchiveEntry, EntryKind, Gate},
    refuse,
};
use gunzip::Gunzip;
use header::{BLOCK, Header, Role};
use pax::Pax;
use skillful_format::Diagnostic;

/// Bytes of one long name or of one extended header.
const RECORDS: u64 = 64 << 10;

/// Bytes of all of them together; they are not files, so no other limit counts them.
const ALL_RECORDS: u64 = 4 << 20;

/// Zeros that may follow the end; tools fill up to their block size, by default 10 KiB.
const PADDING: usize = 64 << 10;

/// How much is read between two looks at the stream.
const CHUNK: usize = 64 << 10;

/// The extended fields of the next entry.
#[derive(Default)]
struct Ahead {
    long_name: Option<Vec<u8>>,
    pax: Option<Pax>,
}

/// Unpacks a gzipped archive through the gate.
pub(super) fn unpack(bytes: &[u8], gate: &mut Gate<'_>) -> Result<(), Diagnostic> {
    let stream = &mut Gunzip::new(bytes)?;
    let mut ahead = Ahead::default();
    let mut has_global = false;
    let mut records_left = ALL_RECORDS;
    loop {
        let block = block(stream)?;
        if is_zero(&block) {
            break;
        }
        let header = Header::read(&block)?;
        let kind = match header.role {
            Role::Entry(kind) => kind,
            Role::LongName => {
                let name = records(stream, header.size, &mut records_left)?;
                if ahead.long_name.replace(without_nul(name)).is_some() {
                    return Err(refuse::unreadable("an entry of the tar archive has two long names"));
                }
                continue;
            }
            Role::Pax => {
                let records = records(stream, header.size, &mut records_left)?;
                if ahead.pax.replace(pax::read(&records)?).is_some() {
                    return Err(refuse::unreadable("an entry of the tar archive has two extended headers"));
                }
                continue;
            }
            Role::PaxGlobal => {
                pax::read_global(&records(stream, header.size, &mut records_left)?)?;
                if std::mem::replace(&mut has_global, true) {
                    return Err(refuse::unreadable("the tar archive has more than one global header"));
                }
                continue;
            }
        };
        let name = settle(&header, std::mem::take(&mut ahead))?;
        let name = std::str::from_utf8(&name).map_err(|_| refuse::path(&name, "is not UTF-8"))?;
        if matches!(kind, EntryKind::File { .. }) && name.ends_with('/') {
            let shown = refuse::shown(name.as_bytes());
            return Err(refuse::unreadable(format!(
                "`{shown}` is a folder by its name and a file by its type"
            )));
        }
        let place = gate.admit(&ArchiveEntry { name, kind, size: header.size, packed: None })?;
        gate.keep(place, data(stream, header.size)?);
    }
    if ahead.long_name.is_some() || ahead.pax.is_some() {
        return Err(refuse::unreadable("the tar archive ends where an entry was announced"));
    }
    check_end(stream)
}

/// The one name of an entry that is named in up to three places, and whose size in two.
fn settle(header: &Header, ahead: Ahead) -> Result<Vec<u8>, Diagnostic> {
    let shown = || refuse::shown(&header.name);
    let Pax { path, size } = ahead.pax.unwrap_or_default();
    if size.is_some_and(|size| size != header.size) {
        return Err(refuse::unreadable(format!("the two headers of `{}` disagree on its size", shown())));
    }
    match (ahead.long_name, path) {
        (None, None) => Ok(header.name.clone()),
        (Some(_), Some(_)) => Err(refuse::unreadable(format!("`{}` has a long name twice", shown()))),
        (Some(long), None) if !long.starts_with(&header.name) => {
            Err(refuse::unreadable(format!("the long name of `{}` is that of another entry", shown())))
        }
        (Some(long), None) => Ok(long),
        // The short name is whatever the tool made of the path, but it must not lead a reader that
        // knows nothing of PAX to another place.
        (None, Some(_)) if leads_out(&header.name) => {
            Err(refuse::path(&header.name, "leads out of the folder, beside another one that does not"))
        }
        (None, Some(path)) => Ok(path),
    }
}

fn leads_out(name: &[u8]) -> bool {
    name.starts_with(b"/")
        || name.contains(&b'\\')
        || name.contains(&b':')
        || name.split(|&byte| byte == b'/').any(|part| part == b"..")
}

/// The text of a long name or an extended header.
fn records(stream: &mut Gunzip<'_>, size: u64, left: &mut u64) -> Result<Vec<u8>, Diagnostic> {
    *left = left
        .checked_sub(size)
        .filter(|_| size <= RECORDS)
        .ok_or_else(|| refuse::unreadable("the extended headers of the tar archive are too long"))?;
    data(stream, size)
}

fn without_nul(mut name: Vec<u8>) -> Vec<u8> {
    name.pop_if(|last| *last == 0);
    name
}

/// Reads an entry's bytes and the zeros up to the next block.
fn data(stream: &mut Gunzip<'_>, size: u64) -> Result<Vec<u8>, Diagnostic> {
    let size = usize::try_from(size).map_err(|_| refuse::unreadable("an entry is too large"))?;
    let mut data = Vec::new();
    while data.len() < size {
        let from = data.len();
        data.resize(size.min(from + CHUNK), 0);
        stream.fill(&mut data[from..])?;
    }
    let mut padding = [0; BLOCK];
    let padding = &mut padding[..size.next_multiple_of(BLOCK) - size];
    stream.fill(padding)?;
    if is_zero(padding) {
        Ok(data)
    } else {
        Err(refuse::stray("the padding between the entries of the tar archive is not empty"))
    }
}

fn block(stream: &mut Gunzip<'_>) -> Result<[u8; BLOCK], Diagnostic> {
    let mut block = [0; BLOCK];
    stream.fill(&mut block)?;
    Ok(block)
}

/// The second of the two zero blocks, then zeros, then nothing.
fn check_end(stream: &mut Gunzip<'_>) -> Result<(), Diagnostic> {
    let stray = || refuse::stray("bytes stand after the end of the tar archive");
    if !is_zero(&block(stream)?) {
        return Err(stray());
    }
    let mut seen = 0;
    let mut rest = [0; BLOCK];
    loop {
        match stream.read(&mut rest)? {
            0 => return Ok(()),
            count => seen += count,
        }
        if seen > PADDING || !is_zero(&rest) {
            return Err(stray());
        }
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}
