//! Finds and hashes runs of ASCII letters and digits, eight bytes at a time.

use super::math::{hash_longer, hash_short};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// A word at the start of a byte slice.
pub(crate) struct PlainWord {
    pub(crate) length: usize,
    /// The hash of the word in lower case.
    pub(crate) hash: u64,
}

/// The plain word that the bytes start with, if any. A plain word is a digit, or has two to fifteen ASCII letters and
/// digits, at most its first letter is upper case, and neither an apostrophe nor a character beyond ASCII
/// follows. Words of up to three letters with a capital are not plain, because they may be names such as
/// `Go`.
pub(crate) fn plain(bytes: &[u8]) -> Option<PlainWord> {
    let mut last = [0; 16];
    let bytes = match bytes.first_chunk::<16>() {
        Some(bytes) => bytes,
        // At the end of a text, zeros end the word.
        None => {
            last[..bytes.len()].copy_from_slice(bytes);
            &last
        }
    };
    let (first, rest) = bytes.split_first_chunk::<8>()?;
    let first = EightBytes::of(u64::from_le_bytes(*first));
    if first.length < 8 {
        let length = first.length;
        let long_enough = length > 1 || length == 1 && bytes[0].is_ascii_digit();
        let sound = long_enough && first.is_plain_but(length < 4) && ends(bytes[length]);
        return sound.then(|| PlainWord { length, hash: hash_short(first.small, length) });
    }
    let second = EightBytes::of(u64::from_le_bytes(*rest.first_chunk::<8>()?));
    let more = second.length;
    let sound = more < 8 && first.is_plain_but(false) && second.capitals == 0 && ends(rest[more]);
    sound.then(|| PlainWord { length: 8 + more, hash: hash_longer(first.small, second.small, more) })
}

/// Whether a word certainly ends before this byte.
fn ends(byte: u8) -> bool {
    byte.is_ascii() && byte != b'\''
}

/// Eight bytes that start with a word.
struct EightBytes {
    /// Length of the word in bytes.
    length: usize,
    /// The bytes with the letters of the word in lower case.
    small: u64,
    /// The high bit of each upper-case letter of the word.
    capitals: u64,
}

impl EightBytes {
    fn of(bytes: u64) -> Self {
        let other = !alphanumeric(bytes) & HIGH;
        let length = if other == 0 { 8 } else { first(other) };
        let inside = other.wrapping_sub(1) & !other;
        let capitals = between(bytes & !HIGH, b'A', b'Z') & HIGH & inside;
        Self { length, small: bytes | capitals >> 2, capitals }
    }

    /// Whether at most the first letter is upper case, or none at all if `short`.
    fn is_plain_but(&self, short: bool) -> bool {
        self.capitals & if short { HIGH } else { HIGH << 8 } == 0
    }
}

/// Number of bytes at the start that are ASCII letters or digits.
pub(crate) fn word(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (at, chunk) in (0..).step_by(8).zip(chunks) {
        let other = !alphanumeric(u64::from_le_bytes(*chunk)) & HIGH;
        if other != 0 {
            return at + first(other);
        }
    }
    chunks.len() * 8 + rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// Number of bytes at the start that are ASCII, but neither letters nor digits.
pub(crate) fn others(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<8>();
    for (at, chunk) in (0..).step_by(8).zip(chunks) {
        let chunk = u64::from_le_bytes(*chunk);
        let end = (alphanumeric(chunk) | chunk) & HIGH;
        if end != 0 {
            return at + first(end);
        }
    }
    let other = |byte: &&u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    chunks.len() * 8 + rest.iter().take_while(other).count()
}

/// The position of the first byte whose high bit is set; the first byte is the lowest.
fn first(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Sets the high bit of every byte that is an ASCII letter or digit and clears all others.
fn alphanumeric(bytes: u64) -> u64 {
    let low = bytes & !HIGH;
    let digits = between(low, b'0', b'9');
    let letters = between(low | (0x20 * ONES), b'a', b'z');
    (digits | letters) & !bytes & HIGH
}

/// Sets the high bit of every byte from `least` to `most`, given bytes below 128. The other bits are
/// undefined.
fn between(bytes: u64, least: u8, most: u8) -> u64 {
    let at_least = bytes + u64::from(0x80 - least) * ONES;
    let beyond = bytes + u64::from(0x7f - most) * ONES;
    at_least & !beyond
}

#[cfg(test)]
mod tests;
