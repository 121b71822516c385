//! Zip archives, read strictly: entries lie side by side from the first byte to the directory, the
//! directory reaches the end record, and both headers of an entry say the same.
//!
//! With that, prepended stubs, hidden entries, overlapping entries (the bombs of Fifield) and appended
//! data are all one case: a byte that belongs to nothing or to two things.

mod attributes;
mod end_record;
mod fields;
mod records;
mod write;

pub(super) use end_record::is_present as ends_like_zip;
pub use write::write_zip;

use crate::{
    gate::{ArchiveEntry, Gate},
    refuse,
};
use attributes::kind;
use end_record::EndRecord;
use fields::Fields;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use records::{Central, HAS_DESCRIPTOR, Local, descriptor};
use skillful_format::Diagnostic;

const STORED: u16 = 0;

/// How much is inflated between two looks at the promised size.
const CHUNK: usize = 16 << 10;

/// An entry whose headers agree, with the bytes that are its own.
struct Member<'a> {
    central: Central<'a>,
    data: &'a [u8],
}

/// Unpacks an archive through the gate. All headers are judged before the first byte is inflated.
pub(super) fn unpack(bytes: &[u8], gate: &mut Gate<'_>) -> Result<(), Diagnostic> {
    let end = end_record::find(bytes)?;
    gate.admit_count(end.entries)?;
    let members = lay_out(bytes, directory(bytes, &end)?, end.start)?;
    let mut places = Vec::with_capacity(members.len());
    for Member { central, .. } in &members {
        places.push(gate.admit(&ArchiveEntry {
            name: central.name,
            kind: kind(central.name, central.attributes)?,
            size: u64::from(central.sums.size),
            packed: Some(u64::from(central.sums.packed)),
        })?);
    }
    for (member, place) in members.iter().zip(places) {
        gate.keep(place, contents(member)?);
    }
    Ok(())
}

fn directory<'a>(bytes: &'a [u8], end: &EndRecord) -> Result<Vec<Central<'a>>, Diagnostic> {
    let mut fields = Fields(&bytes[end.start..end.end]);
    let entries: Vec<_> = (0..end.entries).map(|_| Central::read(&mut fields)).collect::<Result<_, _>>()?;
    if fields.0.is_empty() {
        Ok(entries)
    } else {
        Err(refuse::unreadable("the zip directory has more entries than its end record says"))
    }
}

/// Puts the entries in the order of their bytes and gives each its own, leaving none over.
fn lay_out<'a>(
    bytes: &'a [u8],
    mut entries: Vec<Central<'a>>,
    directory: usize,
) -> Result<Vec<Member<'a>>, Diagnostic> {
    entries.sort_by_key(|entry| entry.offset);
    let ends: Vec<usize> = entries.iter().skip(1).map(|entry| entry.offset).chain([directory]).collect();
    if entries.first().map_or(directory, |entry| entry.offset) != 0 {
        return Err(refuse::stray("bytes stand before the first entry of the zip archive"));
    }
    entries
        .into_iter()
        .zip(ends)
        .map(|(central, end)| {
            let own = bytes
                .get(central.offset..end.min(directory))
                .ok_or_else(|| refuse::unreadable("an entry of the zip archive lies in its directory"))?;
            member(central, own)
        })
        .collect()
}

/// Compares the headers and splits the entry's bytes into header, data and descriptor.
fn member<'a>(central: Central<'a>, own: &'a [u8]) -> Result<Member<'a>, Diagnostic> {
    let shown = refuse::shown(central.facts.name);
    let mut fields = Fields(own);
    let overlap = |_| refuse::unreadable(format!("`{shown}` reaches into the next entry or is cut off"));
    let local =
        Local::read(&mut fields).map_err(|fault| if own.is_empty() { overlap(fault) } else { fault })?;
    let data = fields.bytes(central.sums.packed as usize).map_err(overlap)?;
    let rest = fields.0;

    let disagree = |what| refuse::unreadable(format!("the two headers of `{shown}` disagree on its {what}"));
    if local.facts.name != central.facts.name {
        return Err(disagree("name"));
    }
    if local.facts != central.facts {
        return Err(disagree("flags or method"));
    }
    let has_descriptor = central.facts.flags & HAS_DESCRIPTOR != 0;
    let agrees = |local: u32, central: u32| local == central || (has_descriptor && local == 0);
    if !(agrees(local.sums.crc, central.sums.crc)
        && agrees(local.sums.packed, central.sums.packed)
        && agrees(local.sums.size, central.sums.size))
    {
        return Err(disagree("size or checksum"));
    }
    if central.facts.method == STORED && local.sums.packed != central.sums.packed {
        // A reader that goes from the front cannot know where such an entry ends, and may find another.
        return Err(refuse::unreadable(format!("`{shown}` is stored without its size in front of it")));
    }
    if !has_descriptor && !rest.is_empty() {
        return Err(refuse::stray(format!("bytes stand behind `{shown}` that belong to no entry")));
    }
    if has_descriptor && descriptor(rest)? != central.sums {
        return Err(disagree("size or checksum"));
    }
    Ok(Member { central, data })
}

/// The entry's bytes, unpacked, exactly as many as promised and with the promised checksum.
fn contents(member: &Member<'_>) -> Result<Vec<u8>, Diagnostic> {
    let Central { facts, sums, .. } = &member.central;
    let size = sums.size as usize;
    let contents = match facts.method {
        STORED => (member.data.len() == size).then(|| member.data.to_vec()),
        _ => inflate(member.data, size),
    };
    let shown = || refuse::shown(facts.name);
    let contents = contents.ok_or_else(|| {
        refuse::unreadable(format!("`{}` is damaged or does not have its recorded size", shown()))
    })?;
    let mut crc = Crc::new();
    crc.update(&contents);
    if crc.sum() == sums.crc {
        Ok(contents)
    } else {
        Err(refuse::unreadable(format!("the checksum of `{}` does not match", shown())))
    }
}

/// Inflates to exactly `size` bytes from exactly `packed`, and stops at the first byte too many.
fn inflate(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut stream = Decompress::new(false);
    let mut contents = Vec::new();
    let mut chunk = [0; CHUNK];
    loop {
        let (consumed, produced) = (stream.total_in(), stream.total_out());
        let input = packed.get(usize::try_from(consumed).ok()?..)?;
        let status = stream.decompress(input, &mut chunk, FlushDecompress::None).ok()?;
        contents.extend_from_slice(&chunk[..usize::try_from(stream.total_out() - produced).ok()?]);
        if contents.len() > size {
            return None;
        }
        if status == Status::StreamEnd {
            let is_whole = stream.total_in() == packed.len() as u64 && contents.len() == size;
            return is_whole.then_some(contents);
        }
        if (stream.total_in(), stream.total_out()) == (consumed, produced) {
            return None;
        }
    }
}
