//! From text to terms: normalised words with a memory, so that each form is stemmed once.

use super::{
    alias, common,
    math::{hash, low_byte, low_half},
    stop,
    text::{Kind, Word, words},
};
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};

/// One normalised word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// What the index looks up: a hash of the stem.
    pub(crate) key: u32,
    /// A fingerprint of the word as written, to tell forms of one stem apart.
    pub(crate) form: u8,
    /// What the word is good for.
    pub(crate) class: Class,
    /// How much a request means by it, in hundredths.
    pub(crate) weight: u8,
}

/// What a word is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Says what a text is about.
    Content,
    /// Says that something is asked for.
    Request,
    /// Holds sentences together.
    Function,
}

/// Turns words into terms.
pub(crate) struct Analyser {
    stemmer: Stemmer,
    /// The last word of each slot. A word that was pushed out is read anew, which costs less than a memory too
    /// large for the cache.
    recent: Vec<(u64, Term)>,
}

/// The keys of the memory are hashes already.
#[derive(Default)]
struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Neighbouring pairs overlap, so that a word of three characters counts twice.
const PAIR_WEIGHT: u8 = 70;
/// A number seldom says what a request is about.
const NUMBER_WEIGHT: u8 = 60;
/// Slots of the short memory; powers of two. The small one is quickly made, the large one fits the cache of a
/// core.
const RECENT: usize = 1 << 8;
const RECENT_OF_MANY: usize = 1 << 16;
const NOTHING: Term = Term { key: 0, form: 0, class: Class::Function, weight: 0 };

/// Class of every stop word, by hash.
static STOP_WORDS: LazyLock<HashMap<u64, Class, BuildHasherDefault<Ready>>> = LazyLock::new(|| {
    let request = stop::REQUEST.split_whitespace().map(|word| (word, Class::Request));
    let function = stop::FUNCTION.split_whitespace().map(|word| (word, Class::Function));
    let foreign = stop::FOREIGN.split_whitespace().map(|word| (word, Class::Function));
    request.chain(foreign).chain(function).map(|(word, class)| (hash(word.as_bytes()), class)).collect()
});

/// The word to index instead, by hash of the word as written.
static ALIASES: LazyLock<HashMap<u64, &str, BuildHasherDefault<Ready>>> = LazyLock::new(|| {
    let lines = alias::ALIASES.lines().filter_map(|line| line.split_once(' '));
    lines
        .flat_map(|(word, others)| others.split(' ').map(move |other| (hash(other.as_bytes()), word)))
        .collect()
});

/// How many of a thousand skills have a term, by its key.
static COMMON: LazyLock<HashMap<u32, f32>> = LazyLock::new(|| {
    let mut analyser = Analyser::new();
    let mut all = HashMap::new();
    for group in common::COMMON.split('=').filter(|group| !group.is_empty()) {
        let (share, words) = group.split_once(' ').unwrap_or((group, ""));
        let share: f32 = share.parse().unwrap_or(RARE);
        analyser.terms(words, |term, _| {
            all.entry(term.key).or_insert(share);
        });
    }
    all
});
/// How many of a thousand skills have a word that is not in the table.
const RARE: f32 = 2.0;

/// Whether skills at large are known to have a term.
pub(crate) fn is_common(key: u32) -> bool {
    COMMON.contains_key(&key)
}

/// The share of skills at large that have a term.
pub(crate) fn common(key: u32) -> f32 {
    COMMON.get(&key).copied().unwrap_or(RARE) / 1000.0
}

impl Analyser {
    /// For one text.
    pub(crate) fn new() -> Self {
        Self::with_slots(RECENT)
    }

    /// For many texts.
    pub(crate) fn for_many() -> Self {
        Self::with_slots(RECENT_OF_MANY)
    }

    fn with_slots(slots: usize) -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        Self { stemmer, recent: vec![(0, NOTHING); slots] }
    }

    /// Gives every term of a text and its word to `each`, function words included.
    pub(crate) fn terms(&mut self, text: &str, mut each: impl FnMut(Term, Word<'_>)) {
        words(text, |word| {
            let slot = low_half(word.hash) as usize & (self.recent.len() - 1);
            let (hash, term) = self.recent[slot];
            let term = if hash == word.hash { term } else { self.learn(&word, slot) };
            each(term, word);
        });
    }

    /// The term of a word that is not among the recent ones.
    #[inline(never)]
    fn learn(&mut self, word: &Word<'_>, slot: usize) -> Term {
        let term = self.term_of(&word.small(), word.kind, word.hash);
        self.recent[slot] = (word.hash, term);
        term
    }

    /// The term of one word of small ASCII letters, without remembering it.
    pub(crate) fn term(&self, word: &str) -> Term {
        self.term_of(word, Kind::Ascii, hash(word.as_bytes()))
    }

    /// The key of one word of small ASCII letters that has no alias.
    pub(crate) fn key(&self, word: &str) -> u32 {
        low_half(hash(self.stem(word).as_bytes()))
    }

    /// The stem of a word. The stemmer keeps the plural of a word without vowels: `pdfs`, `csvs`.
    fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        let plural = word.strip_suffix('s').filter(|one| {
            one.len() >= 2
                && !one.ends_with('s')
                && !one.bytes().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
        });
        match plural {
            Some(one) => Cow::Borrowed(one),
            None => self.stemmer.stem(word),
        }
    }

    fn term_of(&self, word: &str, kind: Kind, exact: u64) -> Term {
        let alias = ALIASES.get(&exact);
        let key = match alias {
            None if kind != Kind::Ascii => exact,
            _ => hash(self.stem(alias.copied().unwrap_or(word)).as_bytes()),
        };
        let class = STOP_WORDS.get(&exact).copied().unwrap_or(Class::Content);
        let weight = match kind {
            Kind::Pair => PAIR_WEIGHT,
            _ if word.bytes().all(|b| b.is_ascii_digit()) => NUMBER_WEIGHT,
            _ => 100,
        };
        Term { key: low_half(key), form: low_byte(exact >> 40), class, weight }
    }
}
