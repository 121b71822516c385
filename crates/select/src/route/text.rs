//! Words: one tokenizer for requests and skills.

/// How a word may be normalised further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// ASCII letters and digits: stemmed as English.
    Ascii,
    /// Another alphabet: taken as it is.
    Other,
    /// Two neighbouring characters of a script that puts no blanks between words.
    Pair,
}

/// Longest run that is still a word; longer ones are keys, digests and encoded data.
const LONGEST_WORD: usize = 40;

/// Gives every word of a text to `each`, in lower case and in order.
///
/// A camel-case name is given whole and then in parts: `GitHub` is `github`, `git`, `hub`.
pub(crate) fn words(text: &str, mut each: impl FnMut(&str, Kind)) {
    let bytes = text.as_bytes();
    let mut buffer = String::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_alphanumeric() {
            let mut end = at + 1;
            while bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
                end += 1;
            }
            if bytes.get(end).is_none_or(u8::is_ascii) || !continues(&text[end..]) {
                at = match sign_name(bytes, at, end) {
                    Some((name, next)) => {
                        each(name, Kind::Ascii);
                        next
                    }
                    None => {
                        ascii_run(&text[at..end], &mut buffer, &mut each);
                        after_suffix(bytes, end)
                    }
                };
            } else {
                at = mixed_run(text, at, &mut buffer, &mut each);
            }
        } else if byte.is_ascii() {
            at += 1;
        } else {
            at = match text[at..].chars().next() {
                Some(c) if is_unspaced(c) => unspaced_run(text, at, &mut buffer, &mut each),
                Some(c) if c.is_alphanumeric() => mixed_run(text, at, &mut buffer, &mut each),
                Some(c) => at + c.len_utf8(),
                None => break,
            };
        }
    }
}

/// Whether a character belongs to a script without blanks between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{323af}')
}

/// The longest prefix of at most `limit` bytes that ends at a character.
pub(crate) fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// Languages whose names are not words: `C#`, `C++`, `.NET`, `Go`.
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

/// Whether a capital is more than the start of a sentence.
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

fn ascii_run(run: &str, buffer: &mut String, each: &mut impl FnMut(&str, Kind)) {
    if run.len() > LONGEST_WORD {
        return;
    }
    let bytes = run.as_bytes();
    if !bytes.iter().any(u8::is_ascii_uppercase) {
        each(run, Kind::Ascii);
        return;
    }
    buffer.clear();
    buffer.push_str(run);
    buffer.make_ascii_lowercase();
    each(buffer, Kind::Ascii);
    let mut start = 0;
    for at in 1..=bytes.len() {
        let boundary = at == bytes.len() || is_hump(bytes, at);
        if boundary {
            if at - start >= 2 && at - start < bytes.len() {
                each(&buffer[start..at], Kind::Ascii);
            }
            start = at;
        }
    }
}

/// Whether a part of a camel-case name starts here: `fooBar`, `HTTPServer`.
fn is_hump(bytes: &[u8], at: usize) -> bool {
    let upper = bytes[at].is_ascii_uppercase();
    upper
        && (bytes[at - 1].is_ascii_lowercase()
            || (bytes[at - 1].is_ascii_uppercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)))
}

fn mixed_run(text: &str, at: usize, buffer: &mut String, each: &mut impl FnMut(&str, Kind)) -> usize {
    buffer.clear();
    let mut end = at;
    for c in text[at..].chars().take_while(|&c| c.is_alphanumeric() && !is_unspaced(c)) {
        end += c.len_utf8();
        if buffer.len() <= 2 * LONGEST_WORD {
            buffer.extend(c.to_lowercase());
        }
    }
    if buffer.len() <= 2 * LONGEST_WORD {
        each(buffer, Kind::Other);
    }
    end
}

fn unspaced_run(text: &str, at: usize, buffer: &mut String, each: &mut impl FnMut(&str, Kind)) -> usize {
    let mut end = at;
    let mut previous: Option<char> = None;
    let mut alone = true;
    for c in text[at..].chars().take_while(|&c| is_unspaced(c)) {
        end += c.len_utf8();
        if let Some(before) = previous {
            buffer.clear();
            buffer.push(before);
            buffer.push(c);
            each(buffer, Kind::Pair);
            alone = false;
        }
        previous = Some(c);
    }
    if let (true, Some(only)) = (alone, previous) {
        buffer.clear();
        buffer.push(only);
        each(buffer, Kind::Pair);
    }
    end
}
