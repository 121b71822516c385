//! A request, read once: its terms, what each is worth, its pairs and its sentences.

use super::{
    analyse::{Analyser, Class, Term, common, is_common},
    math::{float, ln, quantise},
    record::pair,
    spelling,
    text::{Word, is_unspaced, prefix},
};
use std::collections::HashMap;

/// Bytes of a request that are read.
pub const QUERY_LIMIT: usize = 4096;
/// Distinct terms of a request that are counted.
const TERMS: usize = 256;
/// Terms that are looked up: those worth most.
const KEPT: usize = 36;
/// What a word counts whose spelling was mended, in hundredths.
const SLIP_WEIGHT: u8 = 60;
/// Terms that count as the rarest.
const RAREST: usize = 3;
/// Sentences that are scored on their own.
const VIEWS: usize = 16;
/// What a term counts that stands only in a fenced block: code is what the request is done to.
const FENCED: f32 = 0.2;

/// A request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) terms: Vec<QueryTerm>,
    /// Neighbouring terms: places in `terms` and the hash of the pair.
    pub(crate) pairs: Vec<(usize, usize, u64)>,
    /// The terms of each sentence.
    pub(crate) views: Vec<Vec<usize>>,
    /// What every candidate is held against.
    pub(crate) sums: Sums,
}

/// Sums over the terms that the library knows; never zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) worth: f32,
    pub(crate) squares: f32,
    pub(crate) weight: f32,
    /// Both terms of every pair.
    pub(crate) pairs: f32,
    /// Places of the three rarest.
    pub(crate) rarest: Vec<usize>,
    /// Places of all that the library knows, by key: the order in which records are read.
    pub(crate) by_key: Vec<usize>,
}

impl Sums {
    fn of(terms: &[QueryTerm], pairs: &[(usize, usize, u64)]) -> Self {
        let known = || terms.iter().filter(|term| term.count > 0);
        let pair_worth = |&(a, b, _): &(usize, usize, u64)| terms[a].worth() + terms[b].worth();
        let mut by_key: Vec<usize> = (0..terms.len()).filter(|&at| terms[at].count > 0).collect();
        let mut rarest = by_key.clone();
        by_key.sort_by_key(|&at| terms[at].key);
        rarest.sort_by(|&a, &b| terms[b].idf.total_cmp(&terms[a].idf));
        rarest.truncate(RAREST);
        Self {
            worth: known().map(QueryTerm::worth).sum::<f32>().max(1e-3),
            squares: 1e-3 + known().map(|term| term.worth() * term.worth()).sum::<f32>(),
            weight: 1e-3 + known().map(|term| term.weight).sum::<f32>(),
            pairs: 1e-3 + pairs.iter().map(pair_worth).sum::<f32>(),
            rarest,
            by_key,
        }
    }
}

/// One distinct term of a request.
#[derive(Clone, Debug)]
pub(crate) struct QueryTerm {
    pub(crate) key: u32,
    pub(crate) form: u8,
    /// The word as first said, in small letters.
    pub(crate) word: String,
    /// 1 + ln of how often it was said, less for numbers, pairs and code.
    pub(crate) weight: f32,
    /// Rarity in the library.
    pub(crate) idf: f32,
    /// How many skills have it.
    pub(crate) count: usize,
}

impl QueryTerm {
    /// What the term is worth.
    pub(crate) fn worth(&self) -> f32 {
        self.weight * self.idf
    }

    /// The same in whole numbers, for the first stage; 36 of them times 255 fit a `u32`.
    pub(crate) fn whole_worth(&self) -> u32 {
        quantise(self.worth() * 256.0, 1 << 15)
    }
}

/// Skills at large that are mixed into the library's own counts: ten skills cannot tell a rare word.
const PRIOR: f32 = 300.0;

/// Rarity of a term that `count` of `skills` have, and `common` of the skills at large.
pub(crate) fn idf(count: usize, skills: usize, common: f32) -> f32 {
    let (count, skills) = (float(count) + PRIOR * common, float(skills) + PRIOR);
    ln(1.0 + ((skills - count).max(0.0) + 0.5) / (count + 0.5))
}

/// A term while the request is being read.
struct Said {
    term: Term,
    word: String,
    times: usize,
    outside_code: bool,
}

#[derive(Default)]
struct Reader {
    said: Vec<Said>,
    places: HashMap<u32, usize>,
    query: Query,
}

impl Query {
    /// Reads a request; `count` tells how many skills have a term.
    pub(crate) fn read(text: &str, skills: usize, count: impl Fn(u32) -> usize) -> Self {
        let mut analyser = Analyser::new();
        let mut reader = Reader::default();
        let mut fenced = false;
        for line in prefix(text, QUERY_LIMIT).split_inclusive('\n') {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            for sentence in line.split_inclusive(['.', '?', '!', ';', '。', '？', '！', '；']) {
                reader.sentence(sentence, &mut analyser, fenced);
            }
        }
        let short = reader.said.len() <= spelling::LONGEST;
        let mut slips = if short { spelling::SLIPS } else { 0 };
        let terms = reader.said.into_iter().map(|mut said| {
            let mut found = count(said.term.key);
            if found == 0 && slips > 0 && !is_common(said.term.key) {
                slips -= 1;
                if let Some((term, skills)) = spelling::meant(&said.word, &analyser, &count) {
                    said.term = Term { weight: SLIP_WEIGHT, ..term };
                    found = skills;
                }
            }
            let place = if said.outside_code { 1.0 } else { FENCED };
            QueryTerm {
                key: said.term.key,
                form: said.term.form,
                word: said.word,
                weight: (1.0 + ln(float(said.times))) * place * f32::from(said.term.weight) / 100.0,
                idf: idf(found, skills, common(said.term.key)),
                count: found,
            }
        });
        let mut query = Self { terms: terms.collect(), ..reader.query };
        query.keep(KEPT);
        query.sums = Sums::of(&query.terms, &query.pairs);
        query
    }

    /// Keeps the terms that are worth most, in the order they were said.
    fn keep(&mut self, most: usize) {
        if self.terms.len() <= most {
            return;
        }
        let mut order: Vec<usize> = (0..self.terms.len()).collect();
        let worth = |at: usize| if self.terms[at].count > 0 { self.terms[at].worth() } else { 0.0 };
        order.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)).then(a.cmp(&b)));
        order.truncate(most);
        order.sort_unstable();
        let place = |old: usize| order.binary_search(&old).ok();
        self.pairs =
            self.pairs.iter().filter_map(|&(a, b, hash)| Some((place(a)?, place(b)?, hash))).collect();
        for view in &mut self.views {
            *view = view.iter().filter_map(|&at| place(at)).collect();
        }
        self.views.retain(|view| view.len() >= 2);
        self.terms = order.iter().map(|&at| self.terms[at].clone()).collect();
    }

    /// How much was said, in words; two characters of a script without blanks are half a word.
    pub(crate) fn length(&self) -> f32 {
        let half = |term: &QueryTerm| term.word.chars().next().is_some_and(is_unspaced);
        self.terms.iter().map(|term| if half(term) { 0.5 } else { 1.0 }).sum()
    }

    /// What all terms are worth together.
    pub(crate) fn worth(&self) -> f32 {
        self.terms.iter().map(QueryTerm::worth).sum()
    }
}

impl Reader {
    fn sentence(&mut self, sentence: &str, analyser: &mut Analyser, fenced: bool) {
        let mut view = Vec::new();
        let mut previous: Option<usize> = None;
        analyser.terms(sentence, |term, word| {
            if term.class != Class::Content {
                return;
            }
            let Some(at) = self.place(term, &word) else { return };
            self.said[at].times += 1;
            self.said[at].outside_code |= !fenced;
            if !view.contains(&at) {
                view.push(at);
            }
            if let Some(before) = previous.filter(|&before| before != at)
                && !self.query.pairs.iter().any(|&(a, b, _)| (a, b) == (before, at))
            {
                self.query.pairs.push((before, at, pair(self.said[before].term.key, term.key)));
            }
            previous = Some(at);
        });
        if !fenced && view.len() >= 2 && self.query.views.len() < VIEWS {
            self.query.views.push(view);
        }
    }

    fn place(&mut self, term: Term, word: &Word<'_>) -> Option<usize> {
        if let Some(&at) = self.places.get(&term.key) {
            return Some(at);
        }
        if self.said.len() >= TERMS {
            return None;
        }
        self.places.insert(term.key, self.said.len());
        self.said.push(Said { term, word: word.small().into_owned(), times: 0, outside_code: false });
        Some(self.said.len() - 1)
    }
}
