//! The kind of a file that is not text.

/// Bytes that are inspected.
pub(super) const LOOKED_AT: usize = 8 << 10;

/// First bytes of file formats that are not text.
const KINDS: [(&[u8], &str); 19] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a RIFF file (WebP, WAV or AVI)"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive (or an office document)"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ\0", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "a program (ELF)"),
    (b"\xcf\xfa\xed\xfe", "a program (Mach-O)"),
    (b"MZ", "a program (PE)"),
    (b"\0asm", "a WebAssembly module"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"OggS", "an Ogg file"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

/// The format of a file by its first bytes; `None` when it looks like text.
pub(super) fn kind(head: &[u8]) -> Option<&'static str> {
    let head = &head[..head.len().min(LOOKED_AT)];
    let known = KINDS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, kind)| *kind);
    match (known, head.contains(&0)) {
        (Some(kind), true) => Some(kind),
        // Text may begin with `MZ` or `BZh`, but never with `%PDF-`.
        (Some(kind), false) => std::str::from_utf8(head)
            .is_err_and(|error| error.error_len().is_some())
            .then_some(kind)
            .or(head.starts_with(b"%PDF-").then_some(kind)),
        (None, true) => Some("binary data"),
        (None, false) => None,
    }
}

/// A number of bytes with its unit.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} bytes"),
        10_240..10_485_760 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / (1024 * 1024)),
    }
}

/// The beginning of a text, at most that long, whole characters only.
pub(super) fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}
