//! Measures the quality of a router over judged requests.

use super::evalset::Case;
use std::{collections::BTreeMap, time::Duration};

/// What a router returned for one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaseResult {
    /// Ids, best first.
    pub ranked: Vec<String>,
    /// Whether the gate let any skill through.
    pub let_through: bool,
    /// How long it took, measured by the caller.
    pub took: Duration,
}

/// Metrics of one source, each between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Number of requests that some skill serves.
    pub cases: usize,
    /// Share with an accepted skill first.
    pub hit_1: f64,
    /// Share with an accepted skill among the first five.
    pub hit_5: f64,
    /// Mean of 1 / rank of the first accepted skill, 0 beyond rank ten.
    pub mrr_10: f64,
    /// Gain of the first ten, discounted by rank, divided by the best possible gain.
    pub ndcg_10: f64,
    /// Share of the answerable requests that passed the gate.
    pub kept: f64,
}

/// Metrics of a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// By source, for requests that some skill serves.
    pub sources: BTreeMap<String, Figures>,
    /// Mean over the sources, each with the same weight.
    pub mean: Figures,
    /// By source, for requests that no skill serves: their number, and the share let through.
    pub no_skill: BTreeMap<String, (usize, f64)>,
    /// Near misses: their number, the share with the refused skill first, and the share with it among the
    /// first five.
    pub refused: (usize, f64, f64),
    /// The wanted skill, the skill given instead, and how often; most frequent first.
    pub confused: Vec<(String, String, usize)>,
    /// Time of the median request and of the 99th percentile.
    pub time: (Duration, Duration),
}

/// Computes the metrics of the answers to `cases`, given in the same order.
pub fn report(cases: &[Case], answers: &[CaseResult]) -> Report {
    let mut report = Report::default();
    let mut confused: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut times: Vec<Duration> = answers.iter().map(|answer| answer.took).collect();
    for (case, answer) in cases.iter().zip(answers) {
        let source = case.source.clone();
        if !case.relevant.is_empty() {
            add(report.sources.entry(source).or_default(), case, answer);
            if let (Some(first), Some(wanted)) = (answer.ranked.first(), case.relevant.first())
                && !case.accepts(first)
            {
                *confused.entry((wanted, first)).or_default() += 1;
            }
        } else if case.refused.is_empty() {
            let (count, through) = report.no_skill.entry(source).or_default();
            *count += 1;
            *through += one_if(answer.let_through);
        }
        if !case.refused.is_empty() {
            let holds = |within: usize| answer.ranked.iter().take(within).any(|id| case.refused.contains(id));
            report.refused.0 += 1;
            report.refused.1 += one_if(answer.let_through && holds(1));
            report.refused.2 += one_if(answer.let_through && holds(5));
        }
    }
    for figures in report.sources.values_mut() {
        *figures = figures.scaled(figures.cases);
    }
    for (count, through) in report.no_skill.values_mut() {
        *through /= whole(*count);
    }
    report.refused.1 /= whole(report.refused.0);
    report.refused.2 /= whole(report.refused.0);
    let all = report.sources.values().fold(Figures::default(), |all, one| all.plus(*one));
    report.mean = Figures { cases: all.cases, ..all.scaled(report.sources.len()) };
    report.confused = confused.into_iter().map(|((a, b), n)| (a.to_owned(), b.to_owned(), n)).collect();
    report.confused.sort_by_key(|(_, _, times)| std::cmp::Reverse(*times));
    times.sort_unstable();
    let at = |hundredth: usize| {
        times.get(times.len().saturating_sub(1) * hundredth / 100).copied().unwrap_or_default()
    };
    report.time = (at(50), at(99));
    report
}

fn add(figures: &mut Figures, case: &Case, answer: &CaseResult) {
    let rank = answer.ranked.iter().position(|id| case.accepts(id));
    let accepted = case.relevant.len().max(1);
    let mut gain = 0.0;
    let mut found = 0;
    for (at, id) in answer.ranked.iter().take(10).enumerate() {
        if found < accepted && case.accepts(id) {
            found += 1;
            gain += discount(at);
        }
    }
    let best: f64 = (0..accepted.min(10)).map(discount).sum();
    *figures = figures.plus(Figures {
        cases: 1,
        hit_1: one_if(rank == Some(0)),
        hit_5: one_if(rank.is_some_and(|rank| rank < 5)),
        mrr_10: rank.filter(|rank| *rank < 10).map_or(0.0, |rank| 1.0 / whole(rank + 1)),
        ndcg_10: gain / best,
        kept: one_if(answer.let_through),
    });
}

fn discount(at: usize) -> f64 {
    1.0 / (whole(at) + 2.0).log2()
}

fn one_if(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn whole(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Figures {
    fn plus(self, other: Self) -> Self {
        Self {
            cases: self.cases + other.cases,
            hit_1: self.hit_1 + other.hit_1,
            hit_5: self.hit_5 + other.hit_5,
            mrr_10: self.mrr_10 + other.mrr_10,
            ndcg_10: self.ndcg_10 + other.ndcg_10,
            kept: self.kept + other.kept,
        }
    }

    fn scaled(self, by: usize) -> Self {
        let by = whole(by.max(1));
        Self {
            cases: self.cases,
            hit_1: self.hit_1 / by,
            hit_5: self.hit_5 / by,
            mrr_10: self.mrr_10 / by,
            ndcg_10: self.ndcg_10 / by,
            kept: self.kept / by,
        }
    }
}
