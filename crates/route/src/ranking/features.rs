//! Turns evidence into numbers for the re-ranker.
//!
//! Most features are shares of the request's worth, so that they mean the same with ten skills and with a
//! hundred thousand; five are relative to the best candidate.

use super::{evidence::Evidence, weights::RANK};

pub(crate) const FEATURES: usize = 12;
/// The first so many features are divided by those of the best candidate.
const RELATIVE: usize = 5;

/// The features of one candidate, in the order of [`RANK`].
pub(crate) type Features = [f32; FEATURES];

pub(crate) fn features(evidence: &Evidence<'_, '_>) -> Features {
    let record = &evidence.record;
    let sums = &evidence.query.sums;
    let known = sums.worth;
    let totals = Totals::of(evidence);
    let (pair_name, pair_body) = pairs(evidence);
    [
        totals.full,
        totals.exact,
        totals.description,
        totals.body,
        pair_body,
        totals.descriptions / f32::from(record.lengths.description.max(5)),
        totals.names / f32::from(record.lengths.name.max(1)),
        rarest(evidence),
        totals.in_head / known,
        totals.flat / sums.weight,
        totals.early / known,
        pair_name,
    ]
}

/// Sums over the terms that were found, in one pass.
#[derive(Default)]
struct Totals {
    full: f32,
    exact: f32,
    description: f32,
    body: f32,
    names: f32,
    descriptions: f32,
    in_head: f32,
    /// Worth of the terms that occur at the start of the description.
    early: f32,
    /// Sum in which every term counts the same, however rare.
    flat: f32,
}

impl Totals {
    fn of(evidence: &Evidence<'_, '_>) -> Self {
        let mut totals = Self::default();
        for (term, found) in evidence.terms().filter(|(_, found)| found.full > 0.0) {
            let worth = term.worth();
            let if_so = |holds: bool| if holds { worth } else { 0.0 };
            totals.full += worth * found.full;
            totals.exact += worth * found.exact;
            totals.description += worth * found.description;
            totals.body += worth * found.body;
            totals.names += found.names;
            totals.descriptions += found.descriptions;
            totals.in_head += if_so(found.in_head());
            let early = || evidence.record.is_early(term.key);
            totals.early += if_so(found.in_description() && early());
            totals.flat += term.weight * found.full;
        }
        totals
    }
}

/// Divides the relative features by the largest value among the candidates, and computes the weighted sums.
pub(crate) fn scores(candidates: &[Features]) -> Vec<f32> {
    let mut best = [1e-3_f32; RELATIVE];
    for features in candidates {
        for (best, value) in best.iter_mut().zip(features) {
            *best = best.max(*value);
        }
    }
    let score = |features: &Features| {
        let scale = best.iter().copied().chain(std::iter::repeat(1.0));
        features
            .iter()
            .zip(scale)
            .zip(&RANK)
            .map(|((value, scale), (_, weight))| value / scale * weight)
            .sum()
    };
    candidates.iter().map(score).collect()
}

/// Shares of the neighbouring terms that are also neighbours in the name and in the body.
fn pairs(evidence: &Evidence<'_, '_>) -> (f32, f32) {
    let (mut in_name, mut in_body) = (0.0, 0.0);
    for &(a, b, hash) in &evidence.query.pairs {
        if evidence.found[a].full > 0.0 && evidence.found[b].full > 0.0 {
            let (first, second) = (&evidence.query.terms[a], &evidence.query.terms[b]);
            let worth = first.worth() + second.worth();
            if evidence.record.has_name_pair(first.key, second.key) {
                in_name += worth;
            }
            if evidence.record.has_pair(hash) {
                in_body += worth;
            }
        }
    }
    let all = evidence.query.sums.pairs;
    (in_name / all, in_body / all)
}

/// The share found of the rarest terms that the index knows.
fn rarest(evidence: &Evidence<'_, '_>) -> f32 {
    let (mut all, mut found) = (1e-3, 0.0);
    for &at in &evidence.query.sums.rarest {
        let idf = evidence.query.terms[at].idf;
        all += idf;
        found += if evidence.found[at].full > 0.0 { idf } else { 0.0 };
    }
    found / all
}
