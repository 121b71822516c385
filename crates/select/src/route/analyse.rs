//! From text to terms: normalised words with a memory, so that each form is stemmed once.

use super::{
    alias,
    math::{hash, low_byte, low_half},
    stop,
    text::{Kind, words},
};
use rust_stemmers::{Algorithm, Stemmer};
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
    /// What kind of word it is.
    pub(crate) class: Class,
    pub(crate) digit: bool,
    pub(crate) pair: bool,
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
    seen: HashMap<u64, Term, BuildHasherDefault<Ready>>,
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

/// Forgotten when it has this many words, so that hostile text cannot fill the memory.
const MEMORY: usize = 1 << 20;

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
    lines.flat_map(|(word, others)| others.split(' ').map(move |other| (hash(other.as_bytes()), word))).collect()
});

impl Analyser {
    pub(crate) fn new() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), seen: HashMap::default() }
    }

    /// Gives every term of a text to `each`, function words included.
    pub(crate) fn terms(&mut self, text: &str, mut each: impl FnMut(Term)) {
        words(text, |word, kind| {
            let exact = hash(word.as_bytes());
            if let Some(&term) = self.seen.get(&exact) {
                return each(term);
            }
            if self.seen.len() >= MEMORY {
                self.seen.clear();
            }
            let term = self.term_of(word, kind, exact);
            self.seen.insert(exact, term);
            each(term);
        });
    }

    fn term_of(&self, word: &str, kind: Kind, exact: u64) -> Term {
        let alias = ALIASES.get(&exact);
        let key = match alias {
            None if kind != Kind::Ascii => exact,
            _ => hash(self.stemmer.stem(alias.copied().unwrap_or(word)).as_bytes()),
        };
        let class = STOP_WORDS.get(&exact).copied().unwrap_or(Class::Content);
        Term { key: low_half(key), form: low_byte(exact >> 40), class, digit: word.bytes().all(|b| b.is_ascii_digit()), pair: kind == Kind::Pair }
    }
}
