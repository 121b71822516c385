//! The tokenizer for requests and skills.

use super::{
    ascii_words::{self, PlainWord},
    math::hash,
};
use std::{borrow::Cow, ops::Range};

/// How a word is normalised further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordKind {
    /// ASCII letters and digits: stemmed as English.
    Ascii,
    /// Another alphabet: used unchanged.
    Other,
    /// Two neighbouring characters of a script without spaces between words.
    Pair,
}

/// Longest run that counts as a word; longer ones are keys, digests or encoded data.
const LONGEST_WORD: usize = 40;

/// One word of a text.
#[derive(Clone, Copy)]
pub(crate) struct Word<'a> {
    /// The word; may contain upper-case ASCII letters.
    written: &'a str,
    /// Hash of the word in lower case.
    pub(crate) hash: u64,
    pub(crate) kind: WordKind,
}

impl<'a> Word<'a> {
    fn of(written: &'a str, kind: WordKind) -> Self {
        Self { written, hash: hash(written.as_bytes()), kind }
    }

    /// The word in lower case.
    pub(crate) fn small(&self) -> Cow<'a, str> {
        if self.written.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(self.written.to_ascii_lowercase())
        } else {
            Cow::Borrowed(self.written)
        }
    }
}

/// Passes every word of a text to `each`, in order.
///
/// A camel-case name is passed as a whole and then in parts: `GitHub` gives `github`, `git`, `hub`.
pub(crate) fn words(text: &str, mut each: impl FnMut(Word<'_>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += ascii_words::others(&bytes[at..]);
        if let Some(PlainWord { length, hash }) = ascii_words::plain(&bytes[at..]) {
            each(Word { written: &text[at..at + length], hash, kind: WordKind::Ascii });
            at += length;
        } else {
            let Some(&byte) = bytes.get(at) else { return };
            at = if byte.is_ascii() {
                spelled_run(text, at, &mut each)
            } else {
                other_run(text, at, &mut each)
            };
        }
    }
}

/// Reads a run that starts with an ASCII letter or digit.
fn spelled_run(text: &str, at: usize, each: &mut impl FnMut(Word<'_>)) -> usize {
    let bytes = text.as_bytes();
    let end = at + ascii_words::word(&bytes[at..]);
    if !bytes.get(end).is_none_or(u8::is_ascii) && continues(&text[end..]) {
        return mixed_run(text, at, each);
    }
    if let Some((name, next)) = sign_name(bytes, at, end) {
        each(Word::of(name, WordKind::Ascii));
        return next;
    }
    ascii_run(&text[at..end], each);
    after_suffix(bytes, end)
}

/// Reads a run that starts with a character beyond ASCII.
fn other_run(text: &str, at: usize, each: &mut impl FnMut(Word<'_>)) -> usize {
    match text[at..].chars().next() {
        Some(c) if is_symbol(c) => at + c.len_utf8(),
        Some(c) if is_unspaced(c) => unspaced_run(text, at, each),
        Some(c) if c.is_alphanumeric() => mixed_run(text, at, each),
        Some(c) => at + c.len_utf8(),
        None => text.len(),
    }
}

/// Whether a character belongs to a script without spaces between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{323af}')
}

/// Whether a character is certainly a sign: dashes, quotes, arrows, mathematics, frames and icons. Tables of all letters
/// answer the same, more slowly.
fn is_symbol(c: char) -> bool {
    matches!(c,
        '\u{2000}'..='\u{206f}' | '\u{2190}'..='\u{22ff}' | '\u{2500}'..='\u{2775}' | '\u{2794}'..='\u{27ff}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{1f300}'..='\u{1faff}')
}

/// The longest prefix of at most `limit` bytes that ends at a character boundary.
pub(crate) fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// Names of languages that contain signs or are common words: `C#`, `C++`, `.NET`, `Go`.
fn sign_name(bytes: &[u8], at: usize, end: usize) -> Option<(&'static str, usize)> {
    match (&bytes[at..end], bytes.get(end), bytes.get(end + 1)) {
        (b"C" | b"c", Some(b'+'), Some(b'+')) => Some(("cpp", end + 2)),
        (b"C" | b"c", Some(b'#'), _) => Some(("csharp", end + 1)),
        (b"F" | b"f", Some(b'#'), _) => Some(("fsharp", end + 1)),
        (b"NET" | b"Net", _, _) if at > 0 && bytes[at - 1] == b'.' => Some(("dotnet", end)),
        (b"Go", _, _) if is_proper(bytes, at, end) => Some(("golang", end)),
        _ => None,
    }
}

/// Whether a capital is part of a name and not just the start of a sentence.
fn is_proper(bytes: &[u8], at: usize, end: usize) -> bool {
    let inside =
        at >= 2 && bytes[at - 1] == b' ' && (bytes[at - 2].is_ascii_alphanumeric() || bytes[at - 2] == b',');
    let before_name = bytes.get(end) == Some(&b' ')
        && bytes.get(end + 1).is_some_and(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
    inside || before_name
}

fn continues(rest: &str) -> bool {
    rest.chars().next().is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c))
}

/// Skips the `'s` of "user's" and the `'t` of "don't".
fn after_suffix(bytes: &[u8], end: usize) -> usize {
    let letters = |from: usize| bytes[from..].iter().take(3).take_while(|b| b.is_ascii_alphabetic()).count();
    match bytes.get(end) {
        Some(b'\'') if matches!(letters(end + 1), 1 | 2) => end + 1 + letters(end + 1),
        _ => end,
    }
}

fn ascii_run(run: &str, each: &mut impl FnMut(Word<'_>)) {
    let mut small = [0; LONGEST_WORD];
    let Some(small) = small.get_mut(..run.len()) else { return };
    small.copy_from_slice(run.as_bytes());
    small.make_ascii_lowercase();
    let word = |part: Range<usize>| Word {
        written: &run[part.clone()],
        hash: hash(&small[part]),
        kind: WordKind::Ascii,
    };
    let bytes = run.as_bytes();
    each(word(0..bytes.len()));
    // Most words have no parts.
    if !bytes[1..].iter().any(u8::is_ascii_uppercase) {
        return;
    }
    let mut start = 0;
    for at in 1..=bytes.len() {
        let boundary = at == bytes.len() || is_hump(bytes, at);
        if boundary {
            if at - start >= 2 && at - start < bytes.len() {
                each(word(start..at));
            }
            start = at;
        }
    }
}

/// Whether a part of a camel-case name starts here: true in `fooBar` and `HTTPServer`, false in `PDFs`.
fn is_hump(bytes: &[u8], at: usize) -> bool {
    let upper = bytes[at].is_ascii_uppercase();
    let plural = bytes.get(at + 1..) == Some(b"s");
    upper
        && (bytes[at - 1].is_ascii_lowercase()
            || (bytes[at - 1].is_ascii_uppercase()
                && !plural
                && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)))
}

fn mixed_run(text: &str, at: usize, each: &mut impl FnMut(Word<'_>)) -> usize {
    let mut buffer = String::new();
    let mut end = at;
    for c in text[at..].chars().take_while(|&c| c.is_alphanumeric() && !is_unspaced(c)) {
        end += c.len_utf8();
        if buffer.len() <= 2 * LONGEST_WORD {
            buffer.extend(c.to_lowercase());
        }
    }
    if buffer.len() <= 2 * LONGEST_WORD {
        each(Word::of(&buffer, WordKind::Other));
    }
    end
}

fn unspaced_run(text: &str, at: usize, each: &mut impl FnMut(Word<'_>)) -> usize {
    let mut buffer = String::new();
    let mut end = at;
    let mut previous: Option<char> = None;
    let mut alone = true;
    for c in text[at..].chars().take_while(|&c| is_unspaced(c)) {
        end += c.len_utf8();
        if let Some(before) = previous {
            buffer.clear();
            buffer.push(before);
            buffer.push(c);
            each(Word::of(&buffer, WordKind::Pair));
            alone = false;
        }
        previous = Some(c);
    }
    if let (true, Some(only)) = (alone, previous) {
        buffer.clear();
        buffer.push(only);
        each(Word::of(&buffer, WordKind::Pair));
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_not_part_of_a_word() {
        for c in ('\0'..=char::MAX).filter(|c| is_symbol(*c)) {
            assert!(!c.is_alphanumeric() && !is_unspaced(c), "{c:?}");
        }
    }
}
