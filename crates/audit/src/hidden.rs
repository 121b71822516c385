//! Finds invisible characters, and letters that look like others.
//!
//! There are two results: the hidden parts, decoded if they contain text; and the plain text as a
//! model reads it, without hidden characters and with look-alikes replaced by the letters they
//! resemble. All other rules use the plain text.

use crate::{lines, report::Severity, rule::Rule};
use skillful_format::hidden::is_hidden;
use std::ops::Range;

/// A hidden part of a text.
#[derive(Debug)]
pub(crate) struct Hidden {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    pub(crate) range: Range<usize>,
    /// Its decoded text or a description of it, safe to print.
    pub(crate) shown: String,
}

/// A text without its hidden parts, with the source offset of each byte.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    pub(crate) text: String,
    /// Source offset of each byte of `text`; empty when nothing changed.
    map: Vec<u32>,
}

impl Plain {
    /// Converts a range of the plain text to a range of the file.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        if self.map.is_empty() {
            return range.clone();
        }
        let at = |index: usize| self.map.get(index).map(|at| *at as usize);
        let last = self.map.last().map_or(0, |at| *at as usize + 1);
        let start = at(range.start).unwrap_or(last);
        start..range.end.checked_sub(1).and_then(at).map_or(start, |end| end + 1).max(start)
    }
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

fn is_late_selector(c: char) -> bool {
    matches!(c, '\u{e0100}'..='\u{e01ef}')
}

fn is_early_selector(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}')
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_zero_width(c: char) -> bool {
    matches!(
        c,
        '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}'
            ..='\u{2064}'
                | '\u{feff}'
                | '\u{ad}'
                | '\u{180e}'
                | '\u{34f}'
                | '\u{3164}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{ffa0}'
    )
}

/// The Latin letter that a letter of another script resembles.
fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' => 'e',
        'һ' => 'h',
        'і' | 'ι' => 'i',
        'ј' => 'j',
        'κ' => 'k',
        'ⅼ' | 'ӏ' => 'l',
        'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'υ' | 'ս' => 'u',
        'ν' => 'v',
        'ԝ' => 'w',
        'х' | 'χ' => 'x',
        'у' => 'y',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0)?,
        _ => return None,
    })
}

/// Finds hidden parts and returns the text without them. Most texts have none.
pub(crate) fn look(text: &str) -> (Vec<Hidden>, Option<Plain>) {
    if text.is_ascii()
        || !text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r') || look_alike(c).is_some())
    {
        return (Vec::new(), None);
    }
    let mut found = Vec::new();
    runs(text, &mut found);
    words(text, &mut found);
    (found, Some(plain(text)))
}

fn plain(text: &str) -> Plain {
    let mut plain = Plain { text: String::with_capacity(text.len()), map: Vec::with_capacity(text.len()) };
    for (word_at, word) in pieces(text) {
        let mixed = is_mixed(word);
        for (at, c) in word.char_indices() {
            let c = match c {
                c if is_tag(c)
                    || is_late_selector(c)
                    || is_early_selector(c)
                    || is_bidi(c)
                    || is_zero_width(c) =>
                {
                    continue;
                }
                '\u{ff01}'..='\u{ff5e}' => look_alike(c).unwrap_or(c),
                c if mixed => look_alike(c).unwrap_or(c),
                c => c,
            };
            let from = u32::try_from(word_at + at).unwrap_or(u32::MAX);
            plain.text.push(c);
            plain.map.extend(std::iter::repeat_n(from, c.len_utf8()));
        }
    }
    plain
}

/// The words and the text between them, with their offsets.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive(|c: char| !(c.is_alphanumeric() || is_hidden(c)) || c == '\n').map(move |piece| {
        let start = at;
        at += piece.len();
        (start, piece)
    })
}

/// Whether a word consists of Latin letters and look-alikes of Latin letters only.
fn is_mixed(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    let mut latin = 0;
    let mut alike = 0;
    for c in word.chars() {
        match c {
            'a'..='z' | 'A'..='Z' => latin += 1,
            '\u{ff01}'..='\u{ff5e}' => {}
            c if look_alike(c).is_some() => alike += 1,
            c if c.is_alphabetic() && !c.is_ascii() => return false,
            _ => {}
        }
    }
    latin >= 2 && alike >= 1 && alike <= latin
}

/// Finds runs of tags, selectors and controls.
fn runs(text: &str, found: &mut Vec<Hidden>) {
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let class: Option<fn(char) -> bool> = match c {
            c if is_tag(c) => Some(is_tag),
            c if is_late_selector(c) => Some(is_late_selector),
            c if is_early_selector(c) => Some(is_early_selector),
            c if is_bidi(c) => Some(is_bidi),
            _ => None,
        };
        let Some(class) = class else {
            before = c;
            continue;
        };
        let mut run = String::from(c);
        let mut end = at + c.len_utf8();
        while let Some((next_at, next)) = chars.peek().copied().filter(|(_, next)| class(*next)) {
            run.push(next);
            end = next_at + next.len_utf8();
            chars.next();
        }
        let range = at..end;
        let count = run.chars().count();
        if is_tag(c) {
            let says: String = run
                .chars()
                .filter_map(|c| char::from_u32(u32::from(c) - 0xe0000))
                .filter(|c| !c.is_control())
                .collect();
            // Flags of regions are a black flag followed by a few tags and an end tag.
            if before != '\u{1f3f4}' || count > 8 {
                let shown = format!("hidden text: \"{}\"", lines::evidence(&says));
                found.push(Hidden { rule: Rule::InvisibleTags, severity: Severity::Block, range, shown });
            }
        } else if is_late_selector(c) || (is_early_selector(c) && count >= 3) {
            let bytes: Vec<u8> = run.chars().filter_map(selector_byte).collect();
            let says = String::from_utf8_lossy(&bytes);
            let shown = format!("{count} selectors carrying \"{}\"", lines::evidence(&says));
            // One selector after an ideograph selects its form.
            let form = count == 1 && matches!(before, '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}');
            if !form {
                found.push(Hidden {
                    rule: Rule::InvisibleSelectors,
                    severity: Severity::Block,
                    range,
                    shown,
                });
            }
        } else if is_bidi(c) {
            // Only controls that reverse Latin text deceive a reader; isolates around foreign words
            // do not.
            let overrides = run.chars().any(|c| matches!(c, '\u{202d}' | '\u{202e}'));
            let severity = if overrides { Severity::Block } else { Severity::Warn };
            found.push(Hidden {
                rule: Rule::Bidi,
                severity,
                range: range.clone(),
                shown: around(text, range),
            });
        }
        before = c;
    }
}

fn selector_byte(c: char) -> Option<u8> {
    let code = u32::from(c);
    let byte = if is_late_selector(c) { code.checked_sub(0xe0100)? + 16 } else { code.checked_sub(0xfe00)? };
    u8::try_from(byte).ok()
}

/// Finds words that are split by zero-width characters or written in two scripts.
fn words(text: &str, found: &mut Vec<Hidden>) {
    for (at, word) in pieces(text) {
        let word = word.trim_end_matches(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric());
        if word.is_ascii() {
            continue;
        }
        let latin_around = |place: usize| {
            let left = word[..place]
                .chars()
                .rev()
                .find(|c| !is_zero_width(*c))
                .is_some_and(|c| c.is_ascii_alphanumeric());
            let right =
                word[place..].chars().find(|c| !is_zero_width(*c)).is_some_and(|c| c.is_ascii_alphanumeric());
            left && right
        };
        let splits = |place: usize, c: char| is_zero_width(c) && c != '\u{ad}' && latin_around(place);
        if word.char_indices().any(|(place, c)| splits(place, c)) {
            let severity = Severity::Warn;
            found.push(Hidden {
                rule: Rule::ZeroWidth,
                severity,
                range: at..at + word.len(),
                shown: lines::evidence(word),
            });
        }
        if is_mixed(word) {
            let shown = format!("{} with letters of another script", lines::evidence(word));
            found.push(Hidden {
                rule: Rule::LookAlike,
                severity: Severity::Warn,
                range: at..at + word.len(),
                shown,
            });
        }
    }
}

fn around(text: &str, range: Range<usize>) -> String {
    let from = lines::floor(text, range.start.saturating_sub(30));
    let to = lines::floor(text, range.end + 40);
    lines::evidence(&text[from..to.max(range.end)])
}
