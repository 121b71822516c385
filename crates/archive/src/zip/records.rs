//! The two headers of a zip entry, read without judging more than their own form.

use super::{end_record, fields::Fields};
use crate::refuse;
use skillful_format::{Code, Diagnostic};

const CENTRAL: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;

const ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
const DEFLATE_OPTIONS: u16 = 0b110;
pub(super) const HAS_DESCRIPTOR: u16 = 1 << 3;
pub(super) const UTF8: u16 = 1 << 11;

/// Extra fields with a meaning that must not be overlooked.
const ZIP64: u16 = 0x0001;
const PKWARE_UNIX: u16 = 0x000d;
const STRONG_ENCRYPTION: u16 = 0x0017;
const UNICODE_PATH: u16 = 0x7075;
const ASI_UNIX: u16 = 0x756e;
const AES: u16 = 0x9901;

/// What both headers of an entry must agree on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts<'a> {
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) name: &'a [u8],
}

/// The checksum and sizes, each of which the local header may leave to the descriptor by a zero.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) crc: u32,
    pub(super) packed: u32,
    pub(super) size: u32,
}

impl Sums {
    fn read(fields: &mut Fields<'_>) -> Result<Self, Diagnostic> {
        Ok(Self { crc: fields.u32()?, packed: fields.u32()?, size: fields.u32()? })
    }
}

/// An entry of the central directory.
pub(super) struct Central<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) sums: Sums,
    /// The name as text, of which all places agree that it is UTF-8.
    pub(super) name: &'a str,
    pub(super) attributes: u32,
    /// Where the local header is.
    pub(super) offset: usize,
}

impl<'a> Central<'a> {
    pub(super) fn read(fields: &mut Fields<'a>) -> Result<Self, Diagnostic> {
        if fields.u32()? != CENTRAL {
            return Err(refuse::unreadable(
                "the zip directory has fewer entries than it says, or is damaged",
            ));
        }
        let _versions = fields.u32()?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        let _time = fields.u32()?;
        let sums = Sums::read(fields)?;
        let lengths = (fields.short_len()?, fields.short_len()?, fields.short_len()?);
        let disk = fields.u16()?;
        let _internal = fields.u16()?;
        let attributes = fields.u32()?;
        let offset = fields.u32()?;
        let name = fields.bytes(lengths.0)?;
        let extra = fields.bytes(lengths.1)?;
        let _comment = fields.bytes(lengths.2)?;

        check_flags(flags, method, name)?;
        if disk != 0 {
            return Err(refuse::unreadable("the zip archive is one part of several"));
        }
        if [sums.packed, sums.size, offset].contains(&u32::MAX) {
            return Err(end_record::zip64());
        }
        check_extra(extra, name)?;
        let facts = Facts { flags, method, name };
        let name = utf8_name(name)?;
        Ok(Self { facts, sums, name, attributes, offset: offset as usize })
    }
}

/// A local header, in front of the entry's data.
pub(super) struct Local<'a> {
    pub(super) facts: Facts<'a>,
    pub(super) sums: Sums,
}

impl<'a> Local<'a> {
    pub(super) fn read(fields: &mut Fields<'a>) -> Result<Self, Diagnostic> {
        if fields.u32()? != LOCAL {
            return Err(refuse::unreadable("the zip directory points at something that is not an entry"));
        }
        let _version = fields.u16()?;
        let (flags, method) = (fields.u16()?, fields.u16()?);
        let _time = fields.u32()?;
        let sums = Sums::read(fields)?;
        let lengths = (fields.short_len()?, fields.short_len()?);
        let name = fields.bytes(lengths.0)?;
        check_extra(fields.bytes(lengths.1)?, name)?;
        Ok(Self { facts: Facts { flags, method, name }, sums })
    }
}

/// The descriptor behind an entry's data: with its signature, as most write it, or without.
pub(super) fn descriptor(bytes: &[u8]) -> Result<Sums, Diagnostic> {
    let mut fields = Fields(bytes);
    let is_formed = match bytes.len() {
        12 => true,
        16 => fields.u32()? == DESCRIPTOR,
        _ => false,
    };
    if !is_formed {
        return Err(refuse::stray("bytes stand between the entries of the zip archive"));
    }
    Sums::read(&mut fields)
}

fn check_flags(flags: u16, method: u16, name: &[u8]) -> Result<(), Diagnostic> {
    let shown = refuse::shown(name);
    if flags & ENCRYPTED != 0 || method == 99 {
        return Err(encrypted(&shown));
    }
    if !matches!(method, 0 | 8) {
        return Err(Diagnostic::new(
            Code::ArchiveMethod,
            format!("`{shown}` is compressed with method {method}"),
        )
        .help("only stored and deflated entries are read; pack the folder again with default settings"));
    }
    if flags & !(DEFLATE_OPTIONS | HAS_DESCRIPTOR | UTF8) != 0 {
        return Err(refuse::unreadable(format!("`{shown}` has flags of an unknown meaning")));
    }
    Ok(())
}

fn encrypted(shown: &str) -> Diagnostic {
    Diagnostic::new(Code::ArchiveEncrypted, format!("`{shown}` is encrypted"))
        .help("pack the folder again without a password")
}

/// Walks the extra fields; one that repeats the name must repeat it exactly.
fn check_extra(extra: &[u8], name: &[u8]) -> Result<(), Diagnostic> {
    let mut fields = Fields(extra);
    while !fields.0.is_empty() {
        let (kind, length) = (fields.u16()?, fields.short_len()?);
        let data = fields.bytes(length)?;
        match kind {
            ZIP64 => return Err(end_record::zip64()),
            STRONG_ENCRYPTION | AES => return Err(encrypted(&refuse::shown(name))),
            PKWARE_UNIX | ASI_UNIX => {
                return Err(refuse::special(name, "described by a field that can turn a file into a link"));
            }
            UNICODE_PATH => {
                let mut crc = flate2::Crc::new();
                crc.update(name);
                let repeated = [&[1], crc.sum().to_le_bytes().as_slice(), name].concat();
                if data != repeated {
                    return Err(refuse::unreadable(format!(
                        "`{}` has another name in its Unicode field",
                        refuse::shown(name)
                    )));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Names are UTF-8, marked or not: macOS and Info-ZIP write such names without the mark, and nothing
/// else that is not ASCII is valid UTF-8 by accident.
fn utf8_name(name: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(name).map_err(|_| refuse::path(name, "is not UTF-8"))
}
