//! A tar and gzip writer that lies on request.

use crate::raw_zip::{crc, deflate};

pub(crate) const GNU: &[u8; 8] = b"ustar  \0";
pub(crate) const POSIX: &[u8; 8] = b"ustar\x0000";

/// One header with its data; the checksum is right unless `block` is changed behind its back.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) block: [u8; 512],
    pub(crate) data: Vec<u8>,
    pub(crate) padding: u8,
    /// Whether the checksum is computed when the entry is written.
    pub(crate) is_summed: bool,
}

impl Entry {
    pub(crate) fn new(name: impl AsRef<[u8]>, kind: u8, data: &[u8]) -> Self {
        let entry = Self { block: [0; 512], data: data.to_vec(), padding: 0, is_summed: true };
        entry
            .put(0, name.as_ref())
            .put(100, b"0000644\x000001000\x000001000\0")
            .put(124, format!("{:011o}\x0000000000000\0", data.len()).as_bytes())
            .put(156, &[kind])
            .put(257, POSIX)
    }

    /// A file; a name that fits in no field is cut, as in a header behind a long name.
    pub(crate) fn file(name: impl AsRef<[u8]>, data: &[u8]) -> Self {
        let name = name.as_ref();
        Self::new(&name[..name.len().min(100)], b'0', data)
    }

    pub(crate) fn folder(name: impl AsRef<[u8]>) -> Self {
        Self::new(name, b'5', b"").put(100, b"0000755")
    }

    pub(crate) fn link(name: &str, kind: u8, target: &str) -> Self {
        Self::new(name, kind, b"").put(157, target.as_bytes())
    }

    /// PAX records about the next entry.
    pub(crate) fn pax(records: &[(&str, &str)]) -> Self {
        Self::new("PaxHeaders/x", b'x', &pax_records(records))
    }

    /// A long name as GNU writes it.
    pub(crate) fn long_name(name: impl AsRef<[u8]>) -> Self {
        Self::new("././@LongLink", b'L', &[name.as_ref(), b"\0"].concat()).put(257, GNU)
    }

    pub(crate) fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        self.block[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut block = self.block;
        if self.is_summed {
            block[148..156].fill(b' ');
            let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
            block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        }
        let mut bytes = [block.as_slice(), &self.data].concat();
        bytes.resize(bytes.len().next_multiple_of(512), self.padding);
        bytes
    }
}

pub(crate) fn pax_records(records: &[(&str, &str)]) -> Vec<u8> {
    let record = |(key, value): &(&str, &str)| {
        let rest = format!(" {key}={value}\n");
        let length =
            (1..1_000_000).find(|length: &usize| *length == length.to_string().len() + rest.len()).unwrap();
        format!("{length}{rest}").into_bytes()
    };
    records.iter().flat_map(record).collect()
}

/// Entries without an end.
pub(crate) fn blocks(entries: &[Entry]) -> Vec<u8> {
    entries.iter().flat_map(Entry::bytes).collect()
}

pub(crate) fn tar(entries: &[Entry]) -> Vec<u8> {
    [blocks(entries), vec![0; 1024]].concat()
}

pub(crate) fn tar_gz(entries: &[Entry]) -> Vec<u8> {
    gzip(&tar(entries))
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    gzip_with(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3], bytes)
}

pub(crate) fn gzip_with(header: &[u8], bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap();
    [header, &deflate(bytes), &crc(bytes).to_le_bytes(), &length.to_le_bytes()].concat()
}
