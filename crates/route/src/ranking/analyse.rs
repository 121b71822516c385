//! Turns text into terms. A cache of recent words avoids stemming the same word twice.

use super::{
    alias, common,
    math::{hash, low_byte, low_half},
    stop,
    text::{Word, WordKind, words},
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
    /// The key of the index: a hash of the stem.
    pub(crate) key: u32,
    /// A fingerprint of the word as written; distinguishes the forms of one stem.
    pub(crate) form: u8,
    /// The role of the word.
    pub(crate) class: Class,
    /// Weight of the word in a request, in hundredths.
    pub(crate) weight: u8,
}

/// The role of a word in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Names what the text is about.
    Content,
    /// Belongs to the phrasing of a request, such as "please".
    Request,
    /// A function word, such as "the".
    Function,
}

/// Turns words into terms.
pub(crate) struct Analyser {
    stemmer: Stemmer,
    /// The most recent word of each slot, by its hash. Small, so that it stays in the fastest cache of a core: most words of a
    /// text are a few frequent ones.
    frequent: Vec<(u64, Term)>,
    /// The same for the other words. Looking one up waits for the memory, which takes less time than stemming; empty in an analyser
    /// for one text.
    others: Vec<(u64, Term)>,
}

/// A hasher for keys that are hashes already.
#[derive(Default)]
struct PrehashedHasher(u64);

impl Hasher for PrehashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Pairs overlap, so that a word of three characters gives two of them; each counts less.
const PAIR_WEIGHT: u8 = 70;
/// A number is seldom what a request is about.
const NUMBER_WEIGHT: u8 = 60;
/// Slots for words, powers of two. An analyser for one text has few, which are quick to allocate.
const FREQUENT_OF_ONE: usize = 1 << 8;
const FREQUENT: usize = 1 << 11;
const OTHERS: usize = 1 << 17;
const NOTHING: Term = Term { key: 0, form: 0, class: Class::Function, weight: 0 };

/// The class of each stop word, by its hash.
static STOP_WORDS: LazyLock<HashMap<u64, Class, BuildHasherDefault<PrehashedHasher>>> = LazyLock::new(|| {
    let request = stop::REQUEST.split_whitespace().map(|word| (word, Class::Request));
    let function = stop::FUNCTION.split_whitespace().map(|word| (word, Class::Function));
    let foreign = stop::FOREIGN.split_whitespace().map(|word| (word, Class::Function));
    request.chain(foreign).chain(function).map(|(word, class)| (hash(word.as_bytes()), class)).collect()
});

/// The word to index instead, by the hash of the alias.
static ALIASES: LazyLock<HashMap<u64, &str, BuildHasherDefault<PrehashedHasher>>> = LazyLock::new(|| {
    let lines = alias::ALIASES.lines().filter_map(|line| line.split_once(' '));
    lines
        .flat_map(|(word, others)| others.split(' ').map(move |other| (hash(other.as_bytes()), word)))
        .collect()
});

/// How many of a thousand public skills contain a term, by its key.
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
/// How many of a thousand public skills contain a word that is not in the table.
const RARE: f32 = 2.0;

/// Whether the table of public skills has a term.
pub(crate) fn is_common(key: u32) -> bool {
    COMMON.contains_key(&key)
}

/// The share of public skills that contain a term.
pub(crate) fn common(key: u32) -> f32 {
    COMMON.get(&key).copied().unwrap_or(RARE) / 1000.0
}

impl Analyser {
    /// An analyser for one text.
    pub(crate) fn new() -> Self {
        Self::with_slots(FREQUENT_OF_ONE, 0)
    }

    /// An analyser for many texts.
    pub(crate) fn for_many() -> Self {
        Self::with_slots(FREQUENT, OTHERS)
    }

    fn with_slots(frequent: usize, others: usize) -> Self {
        let stemmer = Stemmer::create(Algorithm::English);
        Self { stemmer, frequent: vec![(0, NOTHING); frequent], others: vec![(0, NOTHING); others] }
    }

    /// Passes every term of a text and its word to `each`, function words included.
    pub(crate) fn terms(&mut self, text: &str, mut each: impl FnMut(Term, Word<'_>)) {
        words(text, |word| {
            let slot = low_half(word.hash) as usize & (self.frequent.len() - 1);
            let (hash, term) = self.frequent[slot];
            let term = if hash == word.hash { term } else { self.learn(&word, slot) };
            each(term, word);
        });
    }

    /// Finds or computes the term of a word that is not among the frequent ones.
    #[inline(never)]
    fn learn(&mut self, word: &Word<'_>, slot: usize) -> Term {
        let other = self.others.len().checked_sub(1).map(|mask| low_half(word.hash) as usize & mask);
        let known = other.map(|other| self.others[other]).filter(|(hash, _)| *hash == word.hash);
        let term = known.map_or_else(|| self.term_of(&word.small(), word.kind, word.hash), |(_, term)| term);
        self.frequent[slot] = (word.hash, term);
        if let Some(other) = other {
            self.others[other] = (word.hash, term);
        }
        term
    }

    /// The term of one word of lower-case ASCII letters; the tables are not used.
    pub(crate) fn term(&self, word: &str) -> Term {
        self.term_of(word, WordKind::Ascii, hash(word.as_bytes()))
    }

    /// The key of one word of lower-case ASCII letters that has no alias.
    pub(crate) fn key(&self, word: &str) -> u32 {
        low_half(hash(self.stem(word).as_bytes()))
    }

    /// The stem of a word. Adds a rule for plurals of words without vowels (`pdfs`, `csvs`), which the
    /// stemmer leaves unchanged.
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

    fn term_of(&self, word: &str, kind: WordKind, exact: u64) -> Term {
        let alias = ALIASES.get(&exact);
        let key = match alias {
            None if kind != WordKind::Ascii => exact,
            _ => hash(self.stem(alias.copied().unwrap_or(word)).as_bytes()),
        };
        let class = STOP_WORDS.get(&exact).copied().unwrap_or(Class::Content);
        let weight = match kind {
            WordKind::Pair => PAIR_WEIGHT,
            _ if word.bytes().all(|b| b.is_ascii_digit()) => NUMBER_WEIGHT,
            _ => 100,
        };
        Term { key: low_half(key), form: low_byte(exact >> 40), class, weight }
    }
}
