//! One 512-byte header of a tar archive.

use crate::{gate::EntryKind, refuse};
use skillful_format::Diagnostic;

/// The unit of a tar archive.
pub(super) const BLOCK: usize = 512;

const NAME: std::ops::Range<usize> = 0..100;
const MODE: std::ops::Range<usize> = 100..108;
const SIZE: std::ops::Range<usize> = 124..136;
const CHECKSUM: std::ops::Range<usize> = 148..156;
const TYPE: usize = 156;
const LINK: std::ops::Range<usize> = 157..257;
const MAGIC: std::ops::Range<usize> = 257..265;
const PREFIX: std::ops::Range<usize> = 345..500;
const PADDING: std::ops::Range<usize> = 500..512;
/// Where GNU keeps times of incremental backups and maps of sparse files.
const GNU_FIELDS: std::ops::Range<usize> = 345..512;

/// What a header stands for.
pub(super) enum Role {
    /// A file or a folder.
    Entry(EntryKind),
    /// The long name of the next entry, as GNU writes it.
    LongName,
    /// PAX records about the next entry.
    Pax,
    /// PAX records about all entries that follow.
    PaxGlobal,
}

/// A header whose checksum is right.
pub(super) struct Header {
    pub(super) role: Role,
    /// The path, with the prefix in front; not yet known to be UTF-8.
    pub(super) name: Vec<u8>,
    pub(super) size: u64,
}

impl Header {
    /// Reads a block.
    pub(super) fn read(block: &[u8; BLOCK]) -> Result<Self, Diagnostic> {
        let magic = &block[MAGIC];
        let is_gnu = magic == b"ustar  \0";
        if !is_gnu && magic != b"ustar\x0000" {
            return Err(refuse::unreadable("the gzip stream holds no tar archive, or a damaged one"));
        }
        let sum: u64 = block
            .iter()
            .enumerate()
            .map(|(at, &byte)| if CHECKSUM.contains(&at) { u64::from(b' ') } else { u64::from(byte) })
            .sum();
        if octal(&block[CHECKSUM]) != Some(sum) {
            return Err(refuse::unreadable("the checksum of a tar header does not match"));
        }
        let name = name(block, is_gnu)?;
        let shown = refuse::shown(&name);
        let number = |field: &[u8], what| {
            octal(field)
                .ok_or_else(|| refuse::unreadable(format!("the {what} of `{shown}` is not an octal number")))
        };
        let mode = number(&block[MODE], "mode")?;
        let role = role(block[TYPE], mode, &name)?;
        let size = number(&block[SIZE], "size")?;
        if block[LINK].iter().any(|&byte| byte != 0) {
            return Err(refuse::unreadable(format!("`{shown}` is not a link and has a link's target")));
        }
        Ok(Self { role, name, size })
    }
}

fn role(flag: u8, mode: u64, name: &[u8]) -> Result<Role, Diagnostic> {
    let what = match flag {
        b'0' | 0 => return Ok(Role::Entry(EntryKind::File { executable: mode & 0o111 != 0 })),
        b'5' => return Ok(Role::Entry(EntryKind::Folder)),
        b'L' => return Ok(Role::LongName),
        b'x' => return Ok(Role::Pax),
        b'g' => return Ok(Role::PaxGlobal),
        b'1' => "a hard link",
        b'2' | b'K' => "a symbolic link",
        b'3' => "a character device",
        b'4' => "a block device",
        b'6' => "a pipe",
        b'7' => "a contiguous file",
        b'S' => "a sparse file",
        _ => "of an unknown kind",
    };
    Err(refuse::special(name, what))
}

fn name(block: &[u8; BLOCK], is_gnu: bool) -> Result<Vec<u8>, Diagnostic> {
    let name = text(&block[NAME])?;
    if is_gnu {
        if block[GNU_FIELDS].iter().any(|&byte| byte != 0) {
            return Err(refuse::unreadable(format!(
                "`{}` has fields of an incremental backup or a sparse file",
                refuse::shown(name)
            )));
        }
        return Ok(name.to_vec());
    }
    if block[PADDING].iter().any(|&byte| byte != 0) {
        return Err(refuse::stray(format!(
            "the padding of the header of `{}` is not empty",
            refuse::shown(name)
        )));
    }
    Ok(match text(&block[PREFIX])? {
        b"" => name.to_vec(),
        prefix => [prefix, b"/", name].concat(),
    })
}

/// A text field up to its NUL, behind which only NULs may stand.
fn text(field: &[u8]) -> Result<&[u8], Diagnostic> {
    let length = memchr::memchr(0, field).unwrap_or(field.len());
    if field[length..].iter().all(|&byte| byte == 0) {
        Ok(&field[..length])
    } else {
        let end = field.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1);
        Err(refuse::path(&field[..end], "goes on behind a NUL"))
    }
}

/// A number: blanks, at least one octal digit, then blanks or NULs to the end of the field. The binary
/// form of GNU is for sizes that no package may have.
fn octal(field: &[u8]) -> Option<u64> {
    let field = field.trim_ascii_start();
    let digits = field.iter().take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    let is_ended = field[digits..].iter().all(|&byte| matches!(byte, b' ' | 0));
    let number = std::str::from_utf8(&field[..digits]).ok()?;
    is_ended.then(|| u64::from_str_radix(number, 8).ok()).flatten()
}
