//! Searching and routing over an index: first stage, re-ranker, gate.

use super::{
    evidence::Evidence,
    extra::Extra,
    features::{Features, features, scores},
    gate,
    hit::{Hit, Reason, Route, Settings, WordPlace},
    index::{Candidate, Index},
    query::Query,
    restrict::Stale,
};
use std::collections::{HashMap, HashSet};

/// Largest number of words that a hit gives as reasons.
const REASONS: usize = 12;

/// Candidates in their final order.
struct Ranked<'q, 'i> {
    evidence: Vec<Evidence<'q, 'i>>,
    scores: Vec<f32>,
    /// The largest similarity that another stage found.
    similar: Option<f32>,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Probability that any skill serves the request.
    pub served: f32,
    /// The best skills, best first; equal ones by name, then id.
    pub hits: Vec<Hit>,
}

impl Judged {
    /// Decides from the result whether to suggest or activate. Hits beyond `top_k` are dropped.
    pub fn decide(mut self, settings: &Settings) -> Route {
        match self.hits.first() {
            None => Route::None,
            Some(_) if self.served < settings.min_served => Route::None,
            Some(best) if best.probability >= settings.skip_threshold => {
                Route::Activate(self.hits.swap_remove(0))
            }
            Some(_) => {
                self.hits.truncate(settings.top_k.max(1));
                Route::Suggest(self.hits)
            }
        }
    }
}

impl Index {
    /// The best `k` skills for a request, best first; equal ones by name, then id.
    pub fn search(&self, text: &str, k: usize) -> Vec<Hit> {
        self.judge(text, k).hits
    }

    /// Decides what to do about a request.
    pub fn route(&self, text: &str, settings: &Settings) -> Route {
        self.judge(text, settings.top_k.max(1)).decide(settings)
    }

    /// The best `k` skills and the probability that any serves.
    pub fn judge(&self, text: &str, k: usize) -> Judged {
        self.search_with(text, k, &Extra::default()).unwrap_or_default()
    }

    /// Like [`Index::judge`], restricted to allowed skills and with similarities of another stage. `k` may be
    /// up to [`CANDIDATES`](super::CANDIDATES). The only error is a stale restriction.
    pub fn search_with(&self, text: &str, k: usize, extra: &Extra<'_>) -> Result<Judged, Stale> {
        let query = self.query(text, extra.within)?;
        let candidates = self.gathered(&query, extra);
        let ranked = Ranked::within(&query, &candidates, extra);
        let Some(best) = ranked.evidence.first() else { return Ok(Judged::default()) };
        let signals = gate::signals(text, best, &ranked.scores);
        let served = gate::served(&signals, ranked.similar);
        let shares = gate::shares(&ranked.scores);
        let hits = ranked.evidence.iter().zip(&ranked.scores).zip(shares).take(k);
        let hits = hits.map(|((evidence, score), share)| hit(evidence, *score, share * served)).collect();
        Ok(Judged { served, hits })
    }

    /// The candidates by words, and those that another stage found.
    fn gathered(&self, query: &Query, extra: &Extra<'_>) -> Vec<Candidate<'_>> {
        let mut candidates = self.candidates(query, extra.within);
        let similar: HashMap<&str, f32> = extra.similarities().collect();
        if !similar.is_empty() {
            let records = candidates.iter().filter_map(Candidate::record);
            let known: HashSet<String> = records.map(|record| record.id.to_owned()).collect();
            let new = similar.keys().filter(|id| !known.contains(**id));
            let new = new.filter_map(|id| self.find(id, extra.within));
            candidates.extend(new.map(Candidate::any));
        }
        candidates
    }

    /// The numbers behind a search, for fitting the weights.
    #[doc(hidden)]
    pub fn numbers(&self, text: &str, extra: &Extra<'_>) -> Option<Numbers> {
        let query = self.query(text, extra.within).ok()?;
        let candidates = self.gathered(&query, extra);
        let ranked = Ranked::within(&query, &candidates, extra);
        let gate = gate::signals(text, ranked.evidence.first()?, &ranked.scores);
        let candidates = ranked.evidence.iter();
        let candidates =
            candidates.map(|evidence| (evidence.record.id.to_owned(), features(evidence).to_vec()));
        Some(Numbers {
            served: gate::served(&gate, ranked.similar),
            gate: gate.to_vec(),
            similar: ranked.similar,
            candidates: candidates.collect(),
        })
    }
}

/// The input of the re-ranker and the gate.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// Probability that the gate computed.
    pub served: f32,
    /// Signals of the gate.
    pub gate: Vec<f32>,
    /// The largest similarity that another stage found.
    pub similar: Option<f32>,
    /// Id and features of each candidate, best first.
    pub candidates: Vec<(String, Vec<f32>)>,
}

impl<'q, 'i> Ranked<'q, 'i> {
    /// Orders candidates by their words and by what another stage found.
    fn within(query: &'q Query, candidates: &'i [Candidate<'_>], extra: &Extra<'_>) -> Self {
        let similar: HashMap<&str, f32> = extra.similarities().collect();
        let (least, weight) = (extra.least(), extra.weight());
        let similarity = |id: &str| similar.get(id).map_or(0.0, |similarity| (similarity - least) * weight);
        let evidence: Vec<Evidence<'q, 'i>> =
            candidates.iter().filter_map(|candidate| Evidence::gather(query, candidate)).collect();
        let found = evidence.iter().filter_map(|evidence| similar.get(evidence.record.id).copied());
        let largest = found.reduce(f32::max);
        Self { similar: largest, ..Self::of(evidence, similarity) }
    }

    /// Orders candidates by the re-ranker's score plus the value of `extra` for their id.
    fn of(evidence: Vec<Evidence<'q, 'i>>, extra: impl Fn(&str) -> f32) -> Self {
        let numbers: Vec<Features> = evidence.iter().map(features).collect();
        let scored = scores(&numbers).into_iter().zip(&evidence);
        let scores: Vec<f32> = scored.map(|(score, evidence)| score + extra(evidence.record.id)).collect();
        // The evidence is large, so it is moved only once, when its position is known.
        let mut order: Vec<usize> = (0..evidence.len()).collect();
        order.sort_by(|&left, &right| {
            let name = |at: usize| (evidence[at].record.name, evidence[at].record.id);
            scores[right].total_cmp(&scores[left]).then_with(|| name(left).cmp(&name(right)))
        });
        let scores = order.iter().map(|&at| scores[at]).collect();
        let mut evidence: Vec<Option<Evidence<'q, 'i>>> = evidence.into_iter().map(Some).collect();
        let evidence = order.into_iter().filter_map(|at| evidence[at].take()).collect();
        Self { evidence, scores, similar: None }
    }
}

fn hit(evidence: &Evidence<'_, '_>, score: f32, probability: f32) -> Hit {
    let mut why: Vec<(f32, Reason)> = evidence
        .terms()
        .filter(|(_, found)| found.full > 0.0)
        .map(|(term, found)| {
            let place = match () {
                () if found.in_name() => WordPlace::Name,
                () if found.in_description() => WordPlace::Description,
                () if found.trigger > 0.0 => WordPlace::Trigger,
                () if found.heading > 0.0 => WordPlace::Heading,
                () => WordPlace::Body,
            };
            (term.worth(), Reason { word: term.word.clone(), place })
        })
        .collect();
    why.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.word.cmp(&b.1.word)));
    why.truncate(REASONS);
    Hit {
        id: evidence.record.id.to_owned(),
        name: evidence.record.name.to_owned(),
        score,
        probability,
        why: why.into_iter().map(|(_, reason)| reason).collect(),
    }
}
