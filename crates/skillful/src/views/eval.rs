//! How well requests find their skills.

use super::{DiagnosticView, SCHEMA, answer::UsageView};
use schemars::JsonSchema;
use serde::Serialize;
use skillful_route::ranking::{
    evalset::Case,
    metrics::{CaseResult, Figures, Report},
    selections::Selections,
};
use std::{collections::BTreeMap, time::Duration};

/// The result of judged requests.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvalReport {
    /// The version of this object.
    pub schema: u32,
    /// Skills that were searched.
    pub skills: usize,
    /// Requests that were judged.
    pub requests: usize,
    /// Requests about skills that are not here.
    pub left_out: usize,
    /// By source, for requests that some skill serves.
    pub sources: BTreeMap<String, FiguresView>,
    /// The mean over the sources, each with the same weight; absent without a source.
    pub mean: Option<FiguresView>,
    /// By source, for requests that no skill serves.
    pub no_skill: BTreeMap<String, NoSkillView>,
    /// Requests that name a skill that must not be selected; absent when there are none.
    pub near_misses: Option<NearMissesView>,
    /// Which skills were found instead of others, the most frequent first.
    pub confused: Vec<ConfusedView>,
    /// Requests for which the router did not select what the author wants, in the order of the files.
    pub mistakes: Vec<MistakeView>,
    /// What the router and the model chose, side by side; empty unless a model was asked.
    pub selectors: Vec<SelectorView>,
    /// Times.
    pub milliseconds: TimesView,
    /// What is wrong with the files of requests.
    pub diagnostics: Vec<DiagnosticView>,
}

/// The figures of one source, each between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FiguresView {
    /// Requests that some skill serves.
    pub requests: usize,
    /// Share with a right skill first.
    pub hit_1: f64,
    /// Share with a right skill among the first five.
    pub hit_5: f64,
    /// Mean of 1 / rank of the first right skill; 0 beyond rank ten.
    pub mrr_10: f64,
    /// Gain of the first ten, discounted by rank, divided by the best possible gain.
    pub ndcg_10: f64,
    /// Share of the requests that the gate let through.
    pub kept: f64,
}

/// Requests that no skill serves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NoSkillView {
    /// How many there are.
    pub requests: usize,
    /// The share that the gate let through.
    pub let_through: f64,
}

/// Requests that name a skill that must not be selected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct NearMissesView {
    /// How many there are.
    pub requests: usize,
    /// The share with that skill first.
    pub first: f64,
    /// The share with that skill among the first five.
    pub among_five: f64,
}

/// A skill that was found instead of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConfusedView {
    /// The skill that was wanted.
    pub wanted: String,
    /// The skill that was found.
    pub found: String,
    /// How often.
    pub times: usize,
}

/// A request for which the router did not select what the author of the request wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MistakeView {
    /// The request.
    pub query: String,
    /// The skill that should be selected; absent when none should be, or a certain one should not be.
    pub wanted: Option<String>,
    /// The skill that the router ranks first; absent when no word of the request is in any skill.
    pub best: Option<String>,
    /// Whether the gate let that skill through, so that it is selected.
    pub selected: bool,
}

impl MistakeView {
    /// The mistakes of the answers to `cases`, in the same order.
    pub fn all(cases: &[Case], answers: &[CaseResult]) -> Vec<Self> {
        let wrong = |(case, answer): (&Case, &CaseResult)| {
            let best = answer.ranked.first();
            let selected = best.filter(|_| answer.let_through);
            let right = match selected {
                Some(skill) if case.relevant.is_empty() && !case.refused.is_empty() => {
                    !case.refused.contains(skill)
                }
                Some(skill) => case.accepts(skill),
                None => case.relevant.is_empty(),
            };
            (!right).then(|| Self {
                query: case.query.clone(),
                wanted: case.relevant.first().cloned(),
                best: best.cloned(),
                selected: selected.is_some(),
            })
        };
        cases.iter().zip(answers).filter_map(wrong).collect()
    }
}

/// What the router or a model chose for the requests.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SelectorView {
    /// `router`, or the name of the model.
    pub by: String,
    /// Skills that were selected.
    pub selected: usize,
    /// The share of the selected skills that are right; absent when nothing was selected.
    pub precision: Option<f64>,
    /// The share of the requests that some skill serves for which a right one was selected; absent without such requests.
    pub recall: Option<f64>,
    /// Requests that name a skill that must not be selected.
    pub near_misses: TakenView,
    /// Requests that no skill serves.
    pub no_skill: TakenView,
    /// Which skills were selected instead of others, the most frequent first.
    pub confused: Vec<ConfusedView>,
    /// Tokens; absent for the router.
    pub usage: Option<UsageView>,
    /// The cost, when prices are known.
    pub cost: Option<f64>,
    /// Requests that the model did not answer. They count as requests without a selection.
    pub unanswered: usize,
}

/// Requests for which a selection is a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TakenView {
    /// How many there are.
    pub requests: usize,
    /// How many got the skill.
    pub taken: usize,
}

impl SelectorView {
    /// The view of what was selected, without tokens and cost.
    pub fn new(by: &str, selections: &Selections) -> Self {
        let taken = |(requests, taken): (usize, usize)| TakenView { requests, taken };
        Self {
            by: by.to_owned(),
            selected: selections.selected,
            precision: selections.precision,
            recall: selections.recall,
            near_misses: taken(selections.near_misses),
            no_skill: taken(selections.no_skill),
            confused: confused(&selections.confused),
            usage: None,
            cost: None,
            unanswered: 0,
        }
    }
}

fn confused(pairs: &[(String, String, usize)]) -> Vec<ConfusedView> {
    let one = |(wanted, found, times): &(String, String, usize)| ConfusedView {
        wanted: wanted.clone(),
        found: found.clone(),
        times: *times,
    };
    pairs.iter().map(one).collect()
}

/// Times in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TimesView {
    /// The median request.
    pub median: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// Until the index was ready.
    pub index: f64,
}

impl EvalReport {
    /// The report of a run: `skills` searched, `asked` requests of which `judged` could be judged, an index that
    /// was ready after `index`.
    pub fn new(
        [skills, asked, judged]: [usize; 3],
        index: Duration,
        report: &Report,
        diagnostics: Vec<DiagnosticView>,
    ) -> Self {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let no_skill = report.no_skill.iter().map(|(name, (requests, let_through))| {
            (name.clone(), NoSkillView { requests: *requests, let_through: *let_through })
        });
        let (requests, first, among_five) = report.refused;
        Self {
            schema: SCHEMA,
            skills,
            requests: judged,
            left_out: asked - judged,
            sources: report.sources.iter().map(|(name, one)| (name.clone(), one.into())).collect(),
            mean: (!report.sources.is_empty()).then(|| (&report.mean).into()),
            no_skill: no_skill.collect(),
            near_misses: (requests > 0).then_some(NearMissesView { requests, first, among_five }),
            confused: confused(&report.confused),
            mistakes: Vec::new(),
            selectors: Vec::new(),
            milliseconds: TimesView {
                median: milliseconds(report.time.0),
                p99: milliseconds(report.time.1),
                index: milliseconds(index),
            },
            diagnostics,
        }
    }
}

impl From<&Figures> for FiguresView {
    fn from(of: &Figures) -> Self {
        Self {
            requests: of.cases,
            hit_1: of.hit_1,
            hit_5: of.hit_5,
            mrr_10: of.mrr_10,
            ndcg_10: of.ndcg_10,
            kept: of.kept,
        }
    }
}
