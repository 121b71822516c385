//! A request, read once: its terms, what each is worth, its pairs and its sentences.

use super::{
    analyse::{Analyser, Class, Term},
    math::{float, ln, quantise},
    record::{pair, unspaced_share},
    text::prefix,
};

/// Bytes of a request that are read.
pub const QUERY_LIMIT: usize = 4096;
/// Terms of a request that are looked up; the rarest are kept.
const TERMS: usize = 96;
const VIEWS: usize = 16;

/// A request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) terms: Vec<QueryTerm>,
    /// Neighbouring terms: places in `terms` and the hash of the pair.
    pub(crate) pairs: Vec<(usize, usize, u16)>,
    /// The terms of each sentence.
    pub(crate) views: Vec<Vec<usize>>,
    /// All content terms in order, as keys.
    pub(crate) sequence: Vec<u32>,
    pub(crate) unspaced: u8,
    /// Words of any class.
    pub(crate) words: usize,
    /// Words that ask for something.
    pub(crate) requests: usize,
}

/// One distinct term of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueryTerm {
    pub(crate) key: u32,
    pub(crate) form: u8,
    /// 1 + ln of how often it was said.
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

    /// The same in whole numbers, for the first stage.
    pub(crate) fn whole_worth(&self) -> u32 {
        quantise(self.worth() * 256.0, 1 << 15)
    }
}

/// Rarity of a term that `count` of `skills` have.
pub(crate) fn idf(count: usize, skills: usize) -> f32 {
    let (count, skills) = (float(count), float(skills));
    ln(1.0 + (skills - count).max(0.0) / (count + 0.5) + 0.5 / (count + 0.5))
}

impl Query {
    /// Reads a request; `count` tells how many skills have a term.
    pub(crate) fn read(text: &str, skills: usize, count: impl Fn(u32) -> usize) -> Self {
        let text = prefix(text, QUERY_LIMIT);
        let mut query = Self { unspaced: unspaced_share(text), ..Self::default() };
        let mut analyser = Analyser::new();
        let mut said: Vec<(Term, usize, usize)> = Vec::new();
        let mut fenced = false;
        for line in text.split_inclusive('\n') {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            for sentence in line.split_inclusive(['.', '?', '!', ';', '。', '？', '！', '；']) {
                query.read_sentence(sentence, &mut analyser, &mut said, fenced);
            }
        }
        query.terms = said
            .iter()
            .map(|&(term, times, plain)| {
                let found = count(term.key);
                QueryTerm {
                    key: term.key,
                    form: term.form,
                    weight: (1.0 + ln(float(times))) * if plain == 0 { env(0, 0.2) } else { 1.0 } * if query.views.first().is_some_and(|v| v.iter().any(|&t| said[t].0.key == term.key)) { env(1, 1.0) } else { 1.0 } * if term.digit { env(2, 0.6) } else { 1.0 } * if term.pair { env(4, 1.0) } else { 1.0 },
                    idf: { let x = idf(found, skills); x * (x / 4.0).powf(env(3, 0.0)) },
                    count: found,
                }
            })
            .collect();
        query
    }

    fn read_sentence(&mut self, sentence: &str, analyser: &mut Analyser, said: &mut Vec<(Term, usize, usize)>, fenced: bool) {
        let mut view = Vec::new();
        let mut previous: Option<usize> = None;
        let (mut words, mut requests) = (0, 0);
        let (sequence, pairs) = (&mut self.sequence, &mut self.pairs);
        analyser.terms(sentence, |term| {
            words += 1;
            if term.class != Class::Content {
                requests += usize::from(term.class == Class::Request);
                return;
            }
            sequence.push(term.key);
            let at = match said.iter().position(|(known, ..)| known.key == term.key) {
                Some(at) => {
                    said[at].1 += 1;
                    said[at].2 += usize::from(!fenced);
                    at
                }
                None if said.len() < TERMS => {
                    said.push((term, 1, usize::from(!fenced)));
                    said.len() - 1
                }
                None => return,
            };
            if !view.contains(&at) {
                view.push(at);
            }
            if let Some(before) = previous.filter(|&before| before != at) {
                let hash = pair(said[before].0.key, term.key);
                if !pairs.iter().any(|&(a, b, _)| (a, b) == (before, at)) {
                    pairs.push((before, at, hash));
                }
            }
            previous = Some(at);
        });
        self.words += words;
        self.requests += requests;
        if !fenced && view.len() >= 2 && self.views.len() < VIEWS {
            self.views.push(view);
        }
    }

    /// What all terms are worth together.
    pub(crate) fn worth(&self) -> f32 {
        self.terms.iter().map(QueryTerm::worth).sum()
    }
}

fn env(i: usize, default: f32) -> f32 {
    static E: std::sync::LazyLock<Vec<Option<f32>>> = std::sync::LazyLock::new(|| (0..8).map(|i| std::env::var(format!("RT{i}")).ok().and_then(|v| v.parse().ok())).collect());
    E[i].unwrap_or(default)
}
