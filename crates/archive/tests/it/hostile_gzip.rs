//! Gzip streams that are more or less than one, and files that are not a package at all.

use crate::{
    SKILL,
    hostile::{Case, case},
    noise,
    raw_tar::{Entry, gzip, gzip_with, tar, tar_gz},
};
use skillful_format::Code::{
    self, ArchiveMethod, ArchiveTooLarge, ArchiveTrailing, ArchiveUnreadable, FileTooLarge,
};

fn good() -> Vec<u8> {
    tar_gz(&[Entry::file("s/SKILL.md", SKILL)])
}

pub(crate) fn cases() -> Vec<Case> {
    let good = good();
    let last = good.len();
    let inner = tar(&[Entry::file("s/SKILL.md", SKILL)]);
    let changed = |at: usize, bit: u8| {
        let mut bytes = good.clone();
        bytes[at] ^= bit;
        bytes
    };
    let headed = |flags: u8, fields: &[u8]| {
        gzip_with(&[&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3], fields].concat(), &inner)
    };
    let (first, second) = inner.split_at(600);
    let mut rows: Vec<(String, Vec<u8>, Code)> = [
        ("two streams", [gzip(first), gzip(second)].concat(), ArchiveTrailing),
        ("second stream behind", [good.clone(), good.clone()].concat(), ArchiveTrailing),
        ("empty stream behind", [good.clone(), gzip(b"")].concat(), ArchiveTrailing),
        ("bytes behind", [good.clone(), b"hidden".to_vec()].concat(), ArchiveTrailing),
        ("zeros behind", [good.clone(), vec![0; 512]].concat(), ArchiveTrailing),
        ("zip behind", [good.clone(), crate::raw_zip::zip(&[])].concat(), ArchiveTrailing),
        ("checksum wrong", changed(last - 8, 1), ArchiveUnreadable),
        ("length wrong", changed(last - 4, 1), ArchiveUnreadable),
        ("method 7", changed(2, 15), ArchiveMethod),
        ("reserved flag", headed(0x80, b""), ArchiveUnreadable),
        ("reserved flag 5", headed(0x20, b""), ArchiveUnreadable),
        ("extra field", headed(4, b"\x04\0hide"), ArchiveUnreadable),
        ("comment", headed(16, b"hidden\0"), ArchiveUnreadable),
        ("header checksum", headed(2, b"\0\0"), ArchiveUnreadable),
        ("name too long", headed(8, &[vec![b'n'; 300], vec![0]].concat()), ArchiveUnreadable),
        (
            "name without an end",
            [&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3], b"name".as_slice()].concat(),
            ArchiveUnreadable,
        ),
        ("deflate of nonsense", [&good[..10], &[0xff; 300]].concat(), ArchiveUnreadable),
        ("wrong block type", changed(10, 6), ArchiveUnreadable),
        (
            "stored block of a wrong length",
            [&good[..10], &[1, 5, 0, 0, 0, 1, 2, 3, 4, 5]].concat(),
            ArchiveUnreadable,
        ),
    ]
    .map(|(name, bytes, expected)| (format!("gzip {name}"), bytes, expected))
    .into();
    for at in [2, 5, 9, 10, 12, 40, last - 9, last - 8, last - 4, last - 1] {
        rows.push((format!("gzip cut at {at}"), good[..at].to_vec(), ArchiveUnreadable));
    }
    rows.extend(
        [
            ("nothing", Vec::new(), ArchiveUnreadable),
            ("noise", [vec![0xff], noise(1000)].concat(), ArchiveUnreadable),
            ("zeros", vec![0; 1000], ArchiveUnreadable),
            ("tar without gzip", inner.clone(), ArchiveUnreadable),
            ("7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), ArchiveUnreadable),
            ("rar", b"Rar!\x1a\x07\x01\0".to_vec(), ArchiveUnreadable),
            ("xz", b"\xfd7zXZ\0\0\x04".to_vec(), ArchiveUnreadable),
            ("zstd", b"\x28\xb5\x2f\xfd\x24\0\0\0".to_vec(), ArchiveUnreadable),
            ("bzip2", b"BZh91AY&SY\0\xff".to_vec(), ArchiveUnreadable),
            ("text with a NUL", [SKILL, b"\0"].concat(), ArchiveUnreadable),
            ("text in latin-1", [SKILL, b"caf\xe9"].concat(), ArchiveUnreadable),
            ("text in utf-16", b"\xff\xfe-\0-\0-\0".to_vec(), ArchiveUnreadable),
            ("text of 17 MiB", vec![b'a'; 17 << 20], FileTooLarge),
            ("file of 51 MiB", vec![b'a'; 51 << 20], ArchiveTooLarge),
        ]
        .map(|(name, bytes, expected)| (format!("file {name}"), bytes, expected)),
    );
    rows.into_iter().map(|(name, bytes, expected)| case(name, bytes, expected)).collect()
}
