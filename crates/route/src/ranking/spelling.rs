//! Corrects typos: replaces a word that no skill contains by a word one edit away that some skill contains.
//!
//! The index holds only hashes of stems and no words, so every possible correction is generated and looked
//! up.

use super::analyse::{Analyser, Term};

/// Length of words that are corrected; shorter words have too many neighbours.
const LETTERS: std::ops::RangeInclusive<usize> = 6..=18;
/// Number of typos that are corrected in one request.
pub(crate) const TYPOS: usize = 2;
/// Requests with more terms are clear without the misspelled word.
pub(crate) const LONGEST: usize = 12;

/// The intended term, if one edit gives a known one; of several, the one that most skills contain.
pub(crate) fn meant(word: &str, analyser: &Analyser, count: impl Fn(u32) -> usize) -> Option<(Term, usize)> {
    if !LETTERS.contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let mut best: Option<(Term, usize)> = None;
    let mut look = |guess: &str| {
        let found = count(analyser.key(guess));
        if found > best.map_or(0, |(_, most)| most) {
            best = Some((analyser.term(guess), found));
        }
    };
    let mut guess = String::with_capacity(word.len() + 1);
    // The first letter is seldom wrong.
    for at in 1..=word.len() {
        let (start, end) = word.split_at(at);
        let mut try_with = |parts: [&str; 3]| {
            guess.clear();
            for part in parts {
                guess.push_str(part);
            }
            look(&guess);
        };
        if let (Some(one), Some(two)) = (end.get(..1), end.get(1..2)) {
            try_with([&format!("{start}{two}"), one, &end[2..]]);
        }
        if !end.is_empty() {
            try_with([start, "", &end[1..]]);
        }
        for letter in letters(OFTEN) {
            try_with([start, letter, end]);
        }
        for letter in end.bytes().next().map(beside).into_iter().flat_map(letters) {
            try_with([start, letter, &end[1..]]);
        }
    }
    best
}

/// Letters that are often left out; other letters are seldom missing.
const OFTEN: &str = "aeiourstlncdmphg";

fn letters(all: &'static str) -> impl Iterator<Item = &'static str> {
    (0..all.len()).filter_map(move |at| all.get(at..=at))
}

/// Letters that are often confused with this one, on the keyboard or by ear.
fn beside(letter: u8) -> &'static str {
    match letter {
        b'a' => "eiousqz",
        b'b' => "vghnp",
        b'c' => "kxsdfv",
        b'd' => "serfcxt",
        b'e' => "aiouwrd",
        b'f' => "drtgvcp",
        b'g' => "ftyhbvj",
        b'h' => "gyujnb",
        b'i' => "aeouyjk",
        b'j' => "huikmng",
        b'k' => "jiolmc",
        b'l' => "kopr",
        b'm' => "njk",
        b'n' => "bhjm",
        b'o' => "aeuipkl",
        b'p' => "olb",
        b'q' => "wak",
        b'r' => "edftl",
        b's' => "awedxzc",
        b't' => "rfgyd",
        b'u' => "aeioyhj",
        b'v' => "cfgbw",
        b'w' => "qasev",
        b'x' => "zsdc",
        b'y' => "tghui",
        b'z' => "asxc",
        _ => "",
    }
}
