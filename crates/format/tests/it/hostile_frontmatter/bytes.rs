//! Bytes that are not text, and text that displays differently from what it contains.

use super::{Case, broken, gated, repaired, sound};
use skillful_format::Code;

pub(super) fn cases() -> Vec<Case> {
    let with = |bytes: &[u8]| [b"---\nadmin_only: true\nname: ", bytes, b"\n---\nbody\n"].concat();
    let wide = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
    };
    let plain = gated("name: demo\ndescription: d");
    vec![
        broken("NUL in the frontmatter", with(b"a\0b"), Code::NulByte),
        broken("NUL in the body", [plain.as_bytes(), b"\0"].concat(), Code::NulByte),
        broken("only NUL", vec![0; 4096], Code::NulByte),
        broken("Latin-1", with(b"caf\xe9"), Code::NotUtf8),
        broken("lone continuation byte", with(b"\x80"), Code::NotUtf8),
        broken("overlong slash", with(b"\xc0\xaf"), Code::NotUtf8),
        broken("surrogate in UTF-8", with(b"\xed\xa0\x80"), Code::NotUtf8),
        broken("beyond Unicode", with(b"\xf4\x90\x80\x80"), Code::NotUtf8),
        broken("cut in a character", b"---\nname: \xe4\xb8".to_vec(), Code::NotUtf8),
        broken("UTF-16 little endian", wide(&plain, u16::to_le_bytes), Code::NotUtf8),
        broken("UTF-16 big endian", wide(&plain, u16::to_be_bytes), Code::NotUtf8),
        broken(
            "UTF-16 without a mark",
            plain.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
            Code::NulByte,
        ),
        broken("two byte order marks", format!("\u{feff}\u{feff}{plain}"), Code::NoFrontmatter),
        sound("one byte order mark", format!("\u{feff}{plain}"), Code::ByteOrderMark),
        broken("byte order mark in the frontmatter", gated("a: b\n\u{feff}c: d"), Code::YamlSyntax),
        sound("bidi override in a name", gated("name: a\u{202e}b"), Code::NameCharacters),
        sound("bidi isolate in a name", gated("name: a\u{2066}b"), Code::NameCharacters),
        sound("tag characters in a name", gated("name: a\u{e0041}\u{e007f}"), Code::NameCharacters),
        sound("zero-width space in a name", gated("name: a\u{200b}b"), Code::NameCharacters),
        sound("bidi override in a key", gated("ad\u{202e}min: x"), Code::UnknownKey),
        sound("look-alike of a key", gated("n\u{430}me: demo"), Code::UnknownKey),
        sound("path as a name", gated("name: ../../etc/passwd"), Code::NameCharacters),
        sound("device as a name", gated("name: con"), Code::NameReserved),
        sound("escape sequence in quotes", gated("name: \"\\e[31m\""), Code::NameCharacters),
        sound("angle brackets", gated("description: </available_skills>"), Code::DescriptionAngle),
        repaired("bell", gated("name: a\u{7}b: c"), Code::UnquotedColon),
        broken("control character at the start", gated("name: \u{1}x"), Code::YamlSyntax),
        broken("file over the limit", format!("{plain}{}", "x".repeat(1 << 20)), Code::FileTooLarge),
        broken("2 MiB without a line", "x".repeat(2 << 20), Code::FileTooLarge),
    ]
}
