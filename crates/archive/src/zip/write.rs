//! Zip archives that are the same byte for byte wherever and whenever they are written: sorted entries,
//! one timestamp, two modes, no field that depends on the machine.

use crate::{
    deflate::{TIGHTEST, deflate},
    layout::check_folder,
};
use flate2::{Compression, Crc};
use skillful_format::{Code, Diagnostic, Tree};

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Names are UTF-8.
const FLAGS: u16 = 1 << 11;
/// Version 2.0 of the format, which has folders and deflate.
const VERSION: u16 = 20;
/// Made on Unix, so that the mode counts.
const MADE_BY: u16 = 3 << 8 | VERSION;
/// 1980-01-01, the first day zip knows: time 0, then year 0, month 1, day 1.
const TIMESTAMP: u32 = (1 << 5 | 1) << 16;

/// Writes a skill as a zip (`.zip`, `.skill`) with all files in one folder, which should be named like
/// the skill. Fails only for a folder that is not a plain name and for trees beyond what zip can hold.
pub fn write_zip(tree: &Tree, folder: &str) -> Result<Vec<u8>, Diagnostic> {
    check_folder(folder)?;
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for (path, file) in tree.iter() {
        let name = format!("{folder}/{path}");
        let packed = deflate(&file.bytes, Compression::best());
        let pays = packed.len() < file.bytes.len() && file.bytes.len() <= packed.len() * TIGHTEST;
        let (method, data) =
            if pays { (DEFLATED, packed.as_slice()) } else { (STORED, file.bytes.as_slice()) };
        let mode: u32 = if file.executable { 0o100_755 } else { 0o100_644 };
        let offset = long(archive.len())?;

        let mut common = Vec::new();
        push16(&mut common, &[VERSION, FLAGS, method]);
        push32(&mut common, &[TIMESTAMP, crc(&file.bytes), long(data.len())?, long(file.bytes.len())?]);
        push16(&mut common, &[short(name.len())?, 0]);

        archive.extend(b"PK\x03\x04");
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(data);

        directory.extend(b"PK\x01\x02");
        push16(&mut directory, &[MADE_BY]);
        directory.extend(&common);
        push16(&mut directory, &[0, 0, 0]);
        push32(&mut directory, &[mode << 16, offset]);
        directory.extend(name.as_bytes());
    }
    let (entries, start) = (short(tree.len())?, long(archive.len())?);
    let size = long(directory.len())?;
    archive.extend(directory);
    archive.extend(b"PK\x05\x06");
    push16(&mut archive, &[0, 0, entries, entries]);
    push32(&mut archive, &[size, start]);
    push16(&mut archive, &[0]);
    Ok(archive)
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn push16(out: &mut Vec<u8>, fields: &[u16]) {
    out.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
}

fn push32(out: &mut Vec<u8>, fields: &[u32]) {
    out.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
}

/// Lengths whose highest value would mean zip64, which is not written.
fn short(length: usize) -> Result<u16, Diagnostic> {
    u16::try_from(length).ok().filter(|&length| length != u16::MAX).ok_or_else(too_large)
}

fn long(length: usize) -> Result<u32, Diagnostic> {
    u32::try_from(length).ok().filter(|&length| length != u32::MAX).ok_or_else(too_large)
}

fn too_large() -> Diagnostic {
    Diagnostic::new(Code::ArchiveTooLarge, "the skill has more files or bytes than a zip can hold")
}
