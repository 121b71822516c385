//! From text to terms: normalised words with a memory, so that each form is stemmed once.

use super::{
    math::{hash, low_byte, low_half},
    stop,
    text::{Kind, words},
};
use rust_stemmers::{Algorithm, Stemmer};
use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
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

impl Analyser {
    pub(crate) fn new() -> Self {
        let mut analyser = Self { stemmer: Stemmer::create(Algorithm::English), seen: HashMap::default() };
        analyser.learn_stop_words();
        analyser
    }

    fn learn_stop_words(&mut self) {
        for (list, class) in [(stop::FUNCTION, Class::Function), (stop::REQUEST, Class::Request)] {
            for word in list.split_whitespace() {
                let term = Term { class, ..self.term_of(word, Kind::Ascii) };
                self.seen.insert(hash(word.as_bytes()), term);
            }
        }
    }

    /// Gives every term of a text to `each`, function words included.
    pub(crate) fn terms(&mut self, text: &str, mut each: impl FnMut(Term)) {
        words(text, |word, kind| {
            let key = hash(word.as_bytes());
            let term = match self.seen.get(&key) {
                Some(&term) => term,
                None => {
                    if self.seen.len() >= MEMORY {
                        self.seen.clear();
                        self.learn_stop_words();
                    }
                    let term = self.term_of(word, kind);
                    self.seen.insert(key, term);
                    term
                }
            };
            each(term);
        });
    }

    fn term_of(&self, word: &str, kind: Kind) -> Term {
        let form = low_byte(hash(word.as_bytes()) >> 40);
        let key = if kind == Kind::Ascii {
            low_half(hash(self.stemmer.stem(word).as_bytes()))
        } else {
            low_half(hash(word.as_bytes()))
        };
        Term { key, form, class: Class::Content }
    }
}
