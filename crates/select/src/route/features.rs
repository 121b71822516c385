//! Evidence as numbers for the re-ranker.
//!
//! Most are shares of what the request is worth, so that they mean the same in a library of ten skills
//! and of a hundred thousand; six are relative to the best candidate.

use super::{
    evidence::{Evidence, Found},
    math::{float, ln},
    query::QueryTerm,
    weights::RANK,
};

pub(crate) const FEATURES: usize = 26;
/// How many of the first ones are divided by the best candidate's.
const RELATIVE: usize = 6;

/// The numbers of one candidate, in the order of [`RANK`].
pub(crate) type Features = [f32; FEATURES];

pub(crate) fn features(evidence: &Evidence<'_, '_>) -> Features {
    let record = &evidence.record;
    let known = evidence.known;
    let full = evidence.sum(|found| found.full);
    let name: Vec<u32> = record.name_terms.iter().collect();
    let early: Vec<u32> = record.description_terms.iter().collect();
    let names: f32 = evidence.found.iter().map(|found| found.names).sum();
    let descriptions: f32 = evidence.found.iter().map(|found| found.descriptions).sum();
    let early: f32 =
        evidence.query.terms.iter().filter(|term| early.contains(&term.key)).map(QueryTerm::worth).sum();
    let top = evidence.terms().map(|(term, found)| term.worth() * found.full).fold(0.0, f32::max);
    let (pair_name, pair_body) = pairs(evidence, &name);
    let (best_view, first_view) = views(evidence).unwrap_or((full / (known + VIEW_PRIOR), full / known));
    let (flat, flat_covered) = flat(evidence);
    [
        full,
        evidence.sum(|found| found.exact),
        evidence.sum(|found| found.description),
        evidence.sum(|found| found.body),
        best_view,
        pair_body,
        full / known,
        descriptions / f32::from(record.lengths.description.max(5)),
        best_view,
        first_view,
        names / f32::from(record.lengths.name.max(1)),
        rarest(evidence),
        evidence.sum(|found| found.trigger) / known,
        top / known,
        pair_body,
        ln(1.0 + f32::from(record.lengths.body)),
        evidence.covered(Found::in_head) / known,
        float(name.len().max(1)),
        evidence.sum(|found| found.heading) / known,
        evidence.sum(|found| found.body) / known,
        squares(evidence),
        flat,
        flat_covered,
        early / known,
        pair_name,
        evidence.covered(|found| found.in_body) / known,
    ]
}

/// Divides the relative ones by the largest among the candidates and weighs all.
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

/// A short sentence proves less than a long one.
const VIEW_PRIOR: f32 = 4.0;

/// The best sentence and the first one.
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

/// Shares of the neighbouring terms that are neighbours in the name and in the body.
fn pairs(evidence: &Evidence<'_, '_>, name: &[u32]) -> (f32, f32) {
    let (mut all, mut in_name, mut in_body) = (1e-3, 0.0, 0.0);
    for &(a, b, hash) in &evidence.query.pairs {
        let (first, second) = (&evidence.query.terms[a], &evidence.query.terms[b]);
        let worth = first.worth() + second.worth();
        all += worth;
        if evidence.found[a].full > 0.0 && evidence.found[b].full > 0.0 {
            if name.windows(2).any(|two| two == [first.key, second.key]) {
                in_name += worth;
            }
            if evidence.record.has_pair(hash) {
                in_body += worth;
            }
        }
    }
    (in_name / all, in_body / all)
}

/// Share found of the three rarest terms that the library knows.
fn rarest(evidence: &Evidence<'_, '_>) -> f32 {
    let mut known: Vec<(f32, bool)> = evidence
        .terms()
        .filter(|(term, _)| term.count > 0)
        .map(|(term, found)| (term.idf, found.full > 0.0))
        .collect();
    known.sort_by(|a, b| b.0.total_cmp(&a.0));
    known.truncate(3);
    let all: f32 = known.iter().map(|(idf, _)| idf).sum();
    let found: f32 = known.iter().filter(|(_, found)| *found).map(|(idf, _)| idf).sum();
    found / all.max(1e-3)
}

/// Share found with every worth squared: rare terms count more.
fn squares(evidence: &Evidence<'_, '_>) -> f32 {
    let (mut all, mut found) = (1e-3, 0.0);
    for (term, hit) in evidence.terms().filter(|(term, _)| term.count > 0) {
        let square = term.worth() * term.worth();
        all += square;
        found += if hit.full > 0.0 { square } else { 0.0 };
    }
    found / all
}

/// Score and share found when every term counts the same however rare.
fn flat(evidence: &Evidence<'_, '_>) -> (f32, f32) {
    let (mut all, mut score, mut found) = (1e-3, 0.0, 0.0);
    for (term, hit) in evidence.terms().filter(|(term, _)| term.count > 0) {
        all += term.weight;
        score += term.weight * hit.full;
        found += if hit.full > 0.0 { term.weight } else { 0.0 };
    }
    (score / all, found / all)
}
