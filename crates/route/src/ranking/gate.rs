//! The gate: the probability that any skill serves a request.

use super::{
    evidence::{Evidence, TermEvidence},
    form::Form,
    math::{float, ln, logistic},
    weights::{GATE, GATE_BIAS, GATE_SIGNALS, GATE_SIMILAR, GATE_SIMILAR_FROM},
};

/// The signals of a request and its best candidate, in the order of [`GATE`].
pub(crate) fn signals(message: &str, best: &Evidence<'_, '_>, scores: &[f32]) -> [f32; GATE_SIGNALS] {
    let worth = best.query.worth().max(1e-3);
    // A skill without any evidence has a score of about zero: that is what a missing candidate counts.
    let score = |at: usize| scores.get(at).copied().unwrap_or(0.0);
    let pairs = best.query.pairs.iter().filter(|(a, b, hash)| {
        best.found[*a].full > 0.0 && best.found[*b].full > 0.0 && best.record.has_pair(*hash)
    });
    let form = Form::of(message);
    let asked = f32::from(u8::from(form.is_request()));
    let evidence = [
        best.sum(|found| found.full) / worth,
        ln(1.0 + best.query.length()),
        ln(1.0 + best.sum(|found| found.full)),
        ln(1.0 + float(pairs.count())),
        score(0) - score(1),
        asked * best.covered(|found| found.in_name() || found.in_description()) / worth,
        best.covered(TermEvidence::in_name) / worth,
        score(0),
        best.objects(),
        asked * best.name_share(),
    ];
    let mut signals = [0.0; GATE_SIGNALS];
    let all = evidence.into_iter().chain(form.signals());
    signals.iter_mut().zip(all).for_each(|(signal, value)| *signal = value);
    signals
}

/// The probability that any skill serves the request, given the largest similarity that another stage found.
pub(crate) fn served(signals: &[f32; GATE_SIGNALS], similar: Option<f32>) -> f32 {
    let sum: f32 = signals.iter().zip(&GATE).map(|(signal, (_, weight))| signal * weight).sum();
    let similar = similar.map_or(0.0, |similar| (similar - GATE_SIMILAR_FROM) * GATE_SIMILAR);
    logistic(sum + GATE_BIAS + similar)
}

/// The share of each candidate, given scores in falling order; the shares sum to one. The re-ranker was
/// fitted with a softmax, so its scores are log odds.
pub(crate) fn shares(scores: &[f32]) -> Vec<f32> {
    let best = scores.first().copied().unwrap_or(0.0);
    // exp(-x) from the logistic function: p / (1 - p) at -x.
    let weights: Vec<f32> = scores
        .iter()
        .map(|score| {
            let p = logistic(score - best);
            p / (1.0 - p).max(1e-6)
        })
        .collect();
    let all: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / all.max(1e-6)).collect()
}
