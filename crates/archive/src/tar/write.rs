//! Tar archives in gzip that are the same byte for byte wherever and whenever they are written.

use super::header::BLOCK;
use crate::{
    deflate::{TIGHTEST, deflate},
    layout::check_folder,
};
use flate2::{Compression, Crc};
use skillful_format::{Code, Diagnostic, Tree, digest_bytes};

/// Longest name that a header holds by itself.
const NAME: usize = 100;
/// Eleven octal digits.
const LARGEST: usize = 0o77_777_777_777;
/// Deflate, no optional field, no time, no hint at the level, no operating system.
const GZIP_HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// Writes a skill as `.tar.gz` with all files in one folder, which should be named like the skill.
/// Fails only for a folder that is not a plain name and for files beyond what tar can hold.
pub fn write_tar_gz(tree: &Tree, folder: &str) -> Result<Vec<u8>, Diagnostic> {
    check_folder(folder)?;
    written(tree, &format!("{folder}/"))
}

/// The same with the skill file at the archive's top and no folder around it, as indexes of the web want it.
pub fn write_tar_gz_bare(tree: &Tree) -> Result<Vec<u8>, Diagnostic> {
    written(tree, "")
}

fn written(tree: &Tree, above: &str) -> Result<Vec<u8>, Diagnostic> {
    let mut tar = Vec::new();
    for (path, file) in tree.iter() {
        let name = format!("{above}{path}");
        let mode = if file.executable { 0o755 } else { 0o644 };
        if name.len() <= NAME && name.is_ascii() {
            push(&mut tar, &name, b'0', mode, &file.bytes)?;
        } else {
            // For readers without PAX a name of its own, so that no file overwrites another.
            let short = format!("long-{}", &digest_bytes(name.as_bytes()).to_hex()[..16]);
            push(&mut tar, &format!("{short}.pax"), b'x', 0o644, path_record(&name).as_bytes())?;
            push(&mut tar, &short, b'0', mode, &file.bytes)?;
        }
    }
    tar.resize(tar.len() + 2 * BLOCK, 0);
    Ok(gzip(&tar, tree.total_bytes()))
}

/// `<length> path=<name>\n`, where the length counts its own digits.
fn path_record(name: &str) -> String {
    let rest = format!(" path={name}\n");
    let mut length = rest.len() + 1;
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}")
}

fn push(tar: &mut Vec<u8>, name: &str, kind: u8, mode: u32, bytes: &[u8]) -> Result<(), Diagnostic> {
    if bytes.len() > LARGEST {
        return Err(Diagnostic::new(Code::FileTooLarge, format!("`{name}` is larger than a tar can hold")));
    }
    let mut header = [0; BLOCK];
    let mut put = |at: usize, field: &[u8]| header[at..at + field.len()].copy_from_slice(field);
    put(0, name.as_bytes());
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{:011o}", bytes.len()).as_bytes());
    put(136, b"00000000000");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    tar.extend(header);
    tar.extend(bytes);
    tar.resize(tar.len().next_multiple_of(BLOCK), 0);
    Ok(())
}

/// Packs the archive of so many `file_bytes`; headers and padding shrink well and harmlessly.
fn gzip(tar: &[u8], file_bytes: u64) -> Vec<u8> {
    let mut packed = deflate(tar, Compression::best());
    if file_bytes > (packed.len() * TIGHTEST) as u64 {
        packed = deflate(tar, Compression::none());
    }
    let mut crc = Crc::new();
    crc.update(tar);
    [&GZIP_HEADER, packed.as_slice(), &crc.sum().to_le_bytes(), &crc.amount().to_le_bytes()].concat()
}
