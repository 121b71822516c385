//! A zip writer that lies on request: every field of every record can be set by itself.

use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write as _;

pub(crate) const FILE: u32 = 0o100_644 << 16;
pub(crate) const FOLDER: u32 = 0o040_755 << 16 | 0x10;

/// The fields both headers have.
#[derive(Clone)]
pub(crate) struct Head {
    pub(crate) signature: u32,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) crc: u32,
    pub(crate) packed: u32,
    pub(crate) size: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) extra: Vec<u8>,
}

#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) local: Head,
    pub(crate) central: Head,
    pub(crate) made_by: u16,
    pub(crate) attributes: u32,
    pub(crate) disk: u16,
    pub(crate) comment: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) descriptor: Vec<u8>,
    /// Bytes between the entry before and this one.
    pub(crate) gap: Vec<u8>,
    /// Where the directory says it is, if not where it is.
    pub(crate) offset: Option<u32>,
}

/// The end record; `size` and `start` are filled in, then changed by the caller.
pub(crate) struct End {
    pub(crate) disk: u16,
    pub(crate) directory_disk: u16,
    pub(crate) here: u16,
    pub(crate) entries: u16,
    pub(crate) size: u32,
    pub(crate) start: u32,
    pub(crate) comment: Vec<u8>,
    /// Bytes between the directory and the end record.
    pub(crate) gap: Vec<u8>,
}

pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(9));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn extra(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes(), &u16::try_from(data.len()).unwrap().to_le_bytes(), data].concat()
}

impl Member {
    fn new(name: &[u8], method: u16, data: Vec<u8>, contents: &[u8]) -> Self {
        let head = Head {
            signature: 0x0403_4b50,
            flags: if name.is_ascii() { 0 } else { 1 << 11 },
            method,
            crc: crc(contents),
            packed: u32::try_from(data.len()).unwrap(),
            size: u32::try_from(contents.len()).unwrap(),
            name: name.to_vec(),
            extra: Vec::new(),
        };
        Self {
            central: Head { signature: 0x0201_4b50, ..head.clone() },
            local: head,
            made_by: 0x0314,
            attributes: if name.ends_with(b"/") { FOLDER } else { FILE },
            disk: 0,
            comment: Vec::new(),
            data,
            descriptor: Vec::new(),
            gap: Vec::new(),
            offset: None,
        }
    }

    pub(crate) fn stored(name: impl AsRef<[u8]>, contents: &[u8]) -> Self {
        Self::new(name.as_ref(), 0, contents.to_vec(), contents)
    }

    pub(crate) fn deflated(name: impl AsRef<[u8]>, contents: &[u8]) -> Self {
        Self::new(name.as_ref(), 8, deflate(contents), contents)
    }

    /// As a stream is packed: sums in a descriptor behind the data, zeros in front.
    pub(crate) fn streamed(name: impl AsRef<[u8]>, contents: &[u8]) -> Self {
        Self::deflated(name, contents).with(|member| {
            member.descriptor = member.descriptor_bytes(true);
            for head in [&mut member.local, &mut member.central] {
                head.flags |= 8;
            }
            (member.local.crc, member.local.packed, member.local.size) = (0, 0, 0);
        })
    }

    pub(crate) fn descriptor_bytes(&self, signed: bool) -> Vec<u8> {
        let signature: &[u8] = if signed { b"PK\x07\x08" } else { b"" };
        let sums = [self.central.crc, self.central.packed, self.central.size];
        [signature, &sums.map(u32::to_le_bytes).concat()].concat()
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Changes both headers alike.
    pub(crate) fn both(self, change: impl Fn(&mut Head)) -> Self {
        self.with(|member| {
            change(&mut member.local);
            change(&mut member.central);
        })
    }

    fn local_bytes(&self) -> Vec<u8> {
        [
            self.local.signature.to_le_bytes().as_slice(),
            &head(&self.local),
            &self.local.name,
            &self.local.extra,
        ]
        .concat()
    }
}

fn head(head: &Head) -> Vec<u8> {
    let mut out = Vec::new();
    for field in [20, head.flags, head.method] {
        out.extend(field.to_le_bytes());
    }
    for field in [0x0021_0000, head.crc, head.packed, head.size] {
        out.extend(field.to_le_bytes());
    }
    for field in [&head.name, &head.extra] {
        out.extend(u16::try_from(field.len()).unwrap().to_le_bytes());
    }
    out
}

pub(crate) fn zip(members: &[Member]) -> Vec<u8> {
    zip_with(members, |_| {})
}

pub(crate) fn zip_with(members: &[Member], change: impl FnOnce(&mut End)) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    for member in members {
        archive.extend(&member.gap);
        let offset = member.offset.unwrap_or_else(|| u32::try_from(archive.len()).unwrap());
        archive.extend(member.local_bytes());
        archive.extend(&member.data);
        archive.extend(&member.descriptor);

        directory.extend(member.central.signature.to_le_bytes());
        directory.extend(member.made_by.to_le_bytes());
        directory.extend(head(&member.central));
        directory.extend(u16::try_from(member.comment.len()).unwrap().to_le_bytes());
        directory.extend(member.disk.to_le_bytes());
        directory.extend([0, 0]);
        directory.extend(member.attributes.to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend([member.central.name.as_slice(), &member.central.extra, &member.comment].concat());
    }
    let entries = u16::try_from(members.len()).unwrap();
    let mut end = End {
        disk: 0,
        directory_disk: 0,
        here: entries,
        entries,
        size: u32::try_from(directory.len()).unwrap(),
        start: u32::try_from(archive.len()).unwrap(),
        comment: Vec::new(),
        gap: Vec::new(),
    };
    change(&mut end);
    archive.extend(directory);
    archive.extend(&end.gap);
    archive.extend(b"PK\x05\x06");
    for field in [end.disk, end.directory_disk, end.here, end.entries] {
        archive.extend(field.to_le_bytes());
    }
    archive.extend(end.size.to_le_bytes());
    archive.extend(end.start.to_le_bytes());
    archive.extend(u16::try_from(end.comment.len()).unwrap().to_le_bytes());
    archive.extend(end.comment);
    archive
}
