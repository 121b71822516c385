//! A request, analysed once: its terms, their worth and its pairs.

use super::{
    analyse::{Analyser, Class, Term, common, is_common},
    form::objects as objects_of,
    math::{float, ln, quantise},
    record::pair,
    spelling,
    text::{Word, is_unspaced, prefix},
};
use std::collections::HashMap;

/// Bytes of a request that are read.
pub const QUERY_LIMIT: usize = 4096;
/// Number of distinct terms that are counted.
const TERMS: usize = 256;
/// Number of terms that are looked up: those with the largest worth.
const KEPT: usize = 36;
/// Weight of a word with a corrected typo, in hundredths.
const TYPO_WEIGHT: u8 = 60;
/// Number of terms that count as the rarest.
const RAREST: usize = 3;
/// Factor for terms that occur only in a fenced block: code is usually the object of a request and not its
/// topic.
const FENCED: f32 = 0.2;

/// A request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) terms: Vec<QueryTerm>,
    /// Neighbouring terms: positions in `terms` and the hash of the pair.
    pub(crate) pairs: Vec<(usize, usize, u64)>,
    /// Sums that the evidence of every candidate is divided by.
    pub(crate) sums: Sums,
}

/// Sums over the terms that occur in the index; never zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) worth: f32,
    pub(crate) weight: f32,
    /// Worth of both terms of every pair.
    pub(crate) pairs: f32,
    /// Positions of the three rarest terms.
    pub(crate) rarest: Vec<usize>,
    /// Positions of all terms that occur in the index, sorted by key: the order in which records are read.
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
    /// The word as it was first written, in lower case.
    pub(crate) word: String,
    /// 1 + ln of how often it occurs, reduced for numbers, pairs and code.
    pub(crate) weight: f32,
    /// Rarity in the index.
    pub(crate) idf: f32,
    /// Number of skills that contain it.
    pub(crate) count: usize,
    /// Whether an order of the request is about it: "timeline" in "write a timeline of the outage".
    pub(crate) is_object: bool,
}

impl QueryTerm {
    /// The worth of the term: its weight times its rarity.
    pub(crate) fn worth(&self) -> f32 {
        self.weight * self.idf
    }

    /// The worth as an integer, for the first stage; 36 of them times 255 fit a `u32`.
    pub(crate) fn whole_worth(&self) -> u32 {
        quantise(self.worth() * 256.0, 1 << 15)
    }
}

/// Number of public skills that are mixed into the counts of the index, because a few skills cannot show
/// which words are rare.
const PRIOR: f32 = 300.0;

/// Rarity of a term that `count` of `skills` contain, and the share `common` of public skills.
pub(crate) fn idf(count: usize, skills: usize, common: f32) -> f32 {
    let (count, skills) = (float(count) + PRIOR * common, float(skills) + PRIOR);
    ln(1.0 + ((skills - count).max(0.0) + 0.5) / (count + 0.5))
}

/// A term while the request is being read.
struct DraftTerm {
    term: Term,
    word: String,
    times: usize,
    outside_code: bool,
}

#[derive(Default)]
struct Reader {
    drafts: Vec<DraftTerm>,
    places: HashMap<u32, usize>,
    query: Query,
}

impl Query {
    /// Analyses a request; `count` returns how many skills contain a term.
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
        let mut objects = Vec::new();
        analyser.terms(&objects_of(text), |term, _| objects.push(term.key));
        let short = reader.drafts.len() <= spelling::LONGEST;
        let mut typos = if short { spelling::TYPOS } else { 0 };
        let terms = reader.drafts.into_iter().map(|mut draft| {
            let is_object = objects.contains(&draft.term.key);
            let mut found = count(draft.term.key);
            if found == 0 && typos > 0 && !is_common(draft.term.key) {
                typos -= 1;
                if let Some((term, skills)) = spelling::meant(&draft.word, &analyser, &count) {
                    draft.term = Term { weight: TYPO_WEIGHT, ..term };
                    found = skills;
                }
            }
            let place = if draft.outside_code { 1.0 } else { FENCED };
            QueryTerm {
                key: draft.term.key,
                form: draft.term.form,
                word: draft.word,
                weight: (1.0 + ln(float(draft.times))) * place * f32::from(draft.term.weight) / 100.0,
                idf: idf(found, skills, common(draft.term.key)),
                count: found,
                is_object,
            }
        });
        let mut query = Self { terms: terms.collect(), ..reader.query };
        query.keep(KEPT);
        query.sums = Sums::of(&query.terms, &query.pairs);
        query
    }

    /// Keeps the terms with the largest worth, in their order.
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
        self.terms = order.iter().map(|&at| self.terms[at].clone()).collect();
    }

    /// Length of the request in words; a pair of characters of a script without spaces counts half a word,
    /// and a number none.
    pub(crate) fn length(&self) -> f32 {
        let length = |term: &QueryTerm| match term.word.chars().next() {
            Some(first) if is_unspaced(first) => 0.5,
            Some(first) if first.is_ascii_digit() => 0.0,
            _ => 1.0,
        };
        self.terms.iter().map(length).sum()
    }

    /// Worth of all terms together.
    pub(crate) fn worth(&self) -> f32 {
        self.terms.iter().map(QueryTerm::worth).sum()
    }
}

impl Reader {
    fn sentence(&mut self, sentence: &str, analyser: &mut Analyser, fenced: bool) {
        let mut previous: Option<usize> = None;
        analyser.terms(sentence, |term, word| {
            if term.class != Class::Content {
                return;
            }
            let Some(at) = self.place(term, &word) else { return };
            self.drafts[at].times += 1;
            self.drafts[at].outside_code |= !fenced;
            if let Some(before) = previous.filter(|&before| before != at)
                && !self.query.pairs.iter().any(|&(a, b, _)| (a, b) == (before, at))
            {
                self.query.pairs.push((before, at, pair(self.drafts[before].term.key, term.key)));
            }
            previous = Some(at);
        });
    }

    fn place(&mut self, term: Term, word: &Word<'_>) -> Option<usize> {
        if let Some(&at) = self.places.get(&term.key) {
            return Some(at);
        }
        if self.drafts.len() >= TERMS {
            return None;
        }
        self.places.insert(term.key, self.drafts.len());
        self.drafts.push(DraftTerm { term, word: word.small().into_owned(), times: 0, outside_code: false });
        Some(self.drafts.len() - 1)
    }
}
