//! The forms in which a secret may appear. Each is what a common tool makes of it; an encoding that
//! works in groups is taken at every offset, without the letters that its neighbours decide.

use super::SHORTEST;

/// Bytes that every form may be broken up by.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0)
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Every form of a text, without blanks; forms too short to mean anything are skipped.
pub(super) fn of(text: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![
        text.iter().rev().copied().collect(),
        reversed_letters(text),
        text.iter().map(|byte| rotated(*byte)).collect(),
        spelled(text, "", |byte| Some(format!("\\x{byte:02x}"))),
        spelled(text, ",", |byte| Some(format!("0x{byte:02x}"))),
        spelled(text, ":", |byte| Some(format!("{byte:02x}"))),
        spelled(text, "-", |byte| Some(format!("{byte:02x}"))),
        spelled(text, "", |byte| Some(format!("\\{byte:03o}"))),
        spelled(text, "", |byte| Some(format!("{byte:03o}"))),
        spelled(text, "", |byte| Some(byte.to_string())),
        spelled(text, ",", |byte| Some(byte.to_string())),
        spelled(text, "", |byte| Some(format!("{byte:08b}"))),
        spelled(text, "", |byte| Some(format!("&#{byte};"))),
        spelled(text, "", |byte| Some(format!("&#x{byte:x};"))),
        spelled(text, "", |byte| Some(format!("%{byte:02x}"))),
        spelled(text, "", |byte| percent(byte, b"")),
        spelled(text, "", |byte| percent(byte, b"-_.~")),
        spelled(text, "", |byte| percent(byte, b"-_.~/")),
        spelled(text, "", |byte| percent(byte, b"-_.!~*'()")),
        spelled(text, "", |byte| if byte == b' ' { Some("+".to_owned()) } else { percent(byte, b"-_.~*") }),
        spelled(text, "", |byte| (!is_plain(byte)).then(|| format!("\\{}", char::from(byte)))),
        spelled(text, "", |byte| (byte == b'\'').then(|| "'\\''".to_owned())),
        spelled(text, "", |byte| (byte == b'\'').then(|| "'\"'\"'".to_owned())),
        spelled(text, "", |byte| b"\"\\$`".contains(&byte).then(|| format!("\\{}", char::from(byte)))),
    ];
    forms.extend(json(&String::from_utf8_lossy(text)));
    for alphabet in [STANDARD, URL] {
        for shift in 0..3 {
            let once = grouped(text, shift, alphabet, 6);
            forms.extend((0..3).map(|again| grouped(&once, again, alphabet, 6)));
            forms.push(spelled(&once, "", |byte| percent(byte, b"-_")));
            forms.push(once.iter().rev().copied().collect());
            forms.push(once);
        }
    }
    forms.extend((0..5).map(|shift| grouped(text, shift, BASE32, 5)));
    let mut forms = usable(forms);
    forms.extend(plain(text));
    forms
}

/// A text as it is and in hex.
pub(super) fn plain(text: &[u8]) -> Vec<Vec<u8>> {
    usable(vec![text.to_vec(), spelled(text, "", |byte| Some(format!("{byte:02x}")))])
}

fn usable(mut forms: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    for form in &mut forms {
        form.retain(|byte| !is_blank(*byte));
    }
    forms.retain(|form| form.len() >= SHORTEST);
    forms
}

/// Each byte in a spelling of its own, or as it is, with something between them.
fn spelled(text: &[u8], between: &str, spelling: impl Fn(u8) -> Option<String>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 4);
    for (at, byte) in text.iter().enumerate() {
        if at > 0 {
            out.extend_from_slice(between.as_bytes());
        }
        match spelling(*byte) {
            Some(spelling) => out.extend_from_slice(spelling.as_bytes()),
            None => out.push(*byte),
        }
    }
    out
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"-_./:=+,@%^".contains(&byte)
}

fn percent(byte: u8, kept: &[u8]) -> Option<String> {
    let keep = byte.is_ascii_alphanumeric() || kept.contains(&byte);
    (!keep).then(|| format!("%{byte:02x}"))
}

fn rotated(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => (byte - b'a' + 13) % 26 + b'a',
        b'A'..=b'Z' => (byte - b'A' + 13) % 26 + b'A',
        _ => byte,
    }
}

fn reversed_letters(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).chars().rev().collect::<String>().into_bytes()
}

/// As JSON writers put it: as little as needed, with slashes, only ASCII, and everything as numbers;
/// and the first of these inside another JSON text.
fn json(text: &str) -> Vec<Vec<u8>> {
    let least = text.chars().map(|c| escaped(c, false)).collect::<String>();
    let slashes = least.replace('/', "\\/");
    let ascii = text.chars().map(|c| escaped(c, true)).collect::<String>();
    let numbers = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    let twice = least.chars().map(|c| escaped(c, false)).collect::<String>();
    [least, slashes, ascii, numbers, twice].map(String::into_bytes).into()
}

fn escaped(c: char, ascii: bool) -> String {
    match c {
        '"' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        c if c.is_control() || ascii && !c.is_ascii() => {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
        }
        c => c.to_string(),
    }
}

/// The letters of an encoding of `bits` bits each that depend on nothing but `text`, when `shift`
/// bytes come before it in its group.
fn grouped(text: &[u8], shift: usize, alphabet: &[u8], bits: usize) -> Vec<u8> {
    let first = (shift * 8).div_ceil(bits);
    let last = (shift + text.len()) * 8 / bits;
    let bit = |at: usize| {
        let at = at - shift * 8;
        usize::from(text[at / 8] >> (7 - at % 8) & 1)
    };
    (first..last.max(first))
        .map(|letter| {
            alphabet[(letter * bits..(letter + 1) * bits).fold(0, |value, at| value << 1 | bit(at))]
        })
        .collect()
}
