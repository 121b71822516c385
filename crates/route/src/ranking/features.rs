//! Turns evidence into numbers for the re-ranker.
//!
//! Most features are shares of the request's worth, so that they mean the same with ten skills and with a
//! hundred thousand; six are relative to the best candidate.

use super::{
    evidence::Evidence,
    math::{float, ln},
    weights::RANK,
};

pub(crate) const FEATURES: usize = 26;
/// The first so many features are divided by those of the best candidate.
const RELATIVE: usize = 6;

/// The features of one candidate, in the order of [`RANK`].
pub(crate) type Features = [f32; FEATURES];

pub(crate) fn features(evidence: &Evidence<'_, '_>) -> Features {
    let record = &evidence.record;
    let sums = &evidence.query.sums;
    let known = sums.worth;
    let name: Vec<u32> = record.name_terms.iter().collect();
    let totals = Totals::of(evidence);
    let (pair_name, pair_body) = pairs(evidence, &name);
    let whole = (totals.full / (known + VIEW_PRIOR), totals.full / known);
    let (best_view, first_view) = views(evidence).unwrap_or(whole);
    [
        totals.full,
        totals.exact,
        totals.description,
        totals.body,
        best_view,
        pair_body,
        totals.full / known,
        totals.descriptions / f32::from(record.lengths.description.max(5)),
        best_view,
        first_view,
        totals.names / f32::from(record.lengths.name.max(1)),
        rarest(evidence),
        totals.trigger / known,
        totals.top / known,
        pair_body,
        ln(1.0 + f32::from(record.lengths.body)),
        totals.in_head / known,
        float(name.len().max(1)),
        totals.heading / known,
        totals.body / known,
        totals.squares / sums.squares,
        totals.flat / sums.weight,
        totals.flat_found / sums.weight,
        totals.early / known,
        pair_name,
        totals.in_body / known,
    ]
}

/// Sums over the terms that were found, in one pass.
#[derive(Default)]
struct Totals {
    full: f32,
    exact: f32,
    description: f32,
    body: f32,
    trigger: f32,
    heading: f32,
    names: f32,
    descriptions: f32,
    /// The largest single term.
    top: f32,
    in_head: f32,
    in_body: f32,
    /// Worth of the terms that occur at the start of the description.
    early: f32,
    /// Sum of the squared worths, so that rare terms count more.
    squares: f32,
    /// Sum in which every term counts the same, however rare.
    flat: f32,
    flat_found: f32,
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
            totals.trigger += worth * found.trigger;
            totals.heading += worth * found.heading;
            totals.names += found.names;
            totals.descriptions += found.descriptions;
            totals.top = totals.top.max(worth * found.full);
            totals.in_head += if_so(found.in_head());
            totals.in_body += if_so(found.in_body);
            let early = || evidence.record.description_terms.iter().any(|key| key == term.key);
            totals.early += if_so(found.in_description() && early());
            totals.squares += worth * worth;
            totals.flat += term.weight * found.full;
            totals.flat_found += term.weight;
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

/// Added to the worth of a sentence, because a short sentence proves less than a long one.
const VIEW_PRIOR: f32 = 4.0;

/// Scores of the best sentence and of the first one.
fn views(evidence: &Evidence<'_, '_>) -> Option<(f32, f32)> {
    let mut best = 0.0_f32;
    let mut first = None;
    for view in &evidence.query.views {
        let (mut worth, mut score) = (0.0, 0.0);
        for &at in view {
            let term = evidence.query.terms[at].worth();
            worth += term;
            score += term * evidence.found[at].full;
        }
        best = best.max(score / (worth + VIEW_PRIOR));
        first.get_or_insert(score / f32::max(worth, 1e-3));
    }
    first.map(|first| (best, first))
}

/// Shares of the neighbouring terms that are also neighbours in the name and in the body.
fn pairs(evidence: &Evidence<'_, '_>, name: &[u32]) -> (f32, f32) {
    let (mut in_name, mut in_body) = (0.0, 0.0);
    for &(a, b, hash) in &evidence.query.pairs {
        if evidence.found[a].full > 0.0 && evidence.found[b].full > 0.0 {
            let (first, second) = (&evidence.query.terms[a], &evidence.query.terms[b]);
            let worth = first.worth() + second.worth();
            if name.windows(2).any(|two| two == [first.key, second.key]) {
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
