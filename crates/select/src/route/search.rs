//! Search and routing over an index: first stage, re-ranker, gate.

use super::{
    evidence::Evidence,
    features::{Features, features, scores},
    gate,
    hit::{Hit, Place, Reason, Route, Settings},
    index::Index,
};

/// Words that a hit gives as its reasons at most.
const REASONS: usize = 12;

/// Candidates in their final order.
struct Ranked<'q, 'i> {
    evidence: Vec<Evidence<'q, 'i>>,
    scores: Vec<f32>,
}

impl Index {
    /// The best `k` skills for a request, best first; equal ones by name, then id.
    pub fn search(&self, text: &str, k: usize) -> Vec<Hit> {
        self.judge(text, k).1
    }

    /// What to do about a request.
    pub fn route(&self, text: &str, settings: &Settings) -> Route {
        let (served, mut hits) = self.judge(text, settings.top_k.max(1));
        match hits.first() {
            None => Route::None,
            Some(_) if served < settings.min_served => Route::None,
            Some(best) if best.probability >= settings.skip_threshold => Route::Activate(hits.swap_remove(0)),
            Some(_) => Route::Suggest(hits),
        }
    }

    /// The probability that some skill serves the request, and the best `k` hits.
    pub fn judge(&self, text: &str, k: usize) -> (f32, Vec<Hit>) {
        let query = self.query(text);
        let ranked =
            Ranked::of(self.candidates(&query).into_iter().map(|record| Evidence::gather(&query, record)));
        let Some(best) = ranked.evidence.first() else { return (0.0, Vec::new()) };
        let served = gate::served(&gate::signals(text, best, &ranked.scores, self.len()));
        let shares = gate::shares(&ranked.scores);
        let hits = ranked.evidence.iter().zip(&ranked.scores).zip(shares).take(k);
        (served, hits.map(|((evidence, score), share)| hit(evidence, *score, share * served)).collect())
    }

    /// The numbers behind a search, for fitting.
    #[doc(hidden)]
    pub fn numbers(&self, text: &str) -> Option<Numbers> {
        let query = self.query(text);
        let ranked =
            Ranked::of(self.candidates(&query).into_iter().map(|record| Evidence::gather(&query, record)));
        let gate = gate::signals(text, ranked.evidence.first()?, &ranked.scores, self.len()).to_vec();
        let candidates = ranked.evidence.iter();
        let candidates =
            candidates.map(|evidence| (evidence.record.id.to_owned(), features(evidence).to_vec()));
        Some(Numbers { gate, candidates: candidates.collect() })
    }
}

/// What the re-ranker and the gate saw.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// Signals of the gate.
    pub gate: Vec<f32>,
    /// Id and features of each candidate, best first.
    pub candidates: Vec<(String, Vec<f32>)>,
}

impl<'q, 'i> Ranked<'q, 'i> {
    fn of(candidates: impl Iterator<Item = Evidence<'q, 'i>>) -> Self {
        let evidence: Vec<Evidence<'q, 'i>> = candidates.collect();
        let numbers: Vec<Features> = evidence.iter().map(features).collect();
        let mut ranked: Vec<(f32, Evidence<'q, 'i>)> = scores(&numbers).into_iter().zip(evidence).collect();
        ranked.sort_by(|(a, left), (b, right)| {
            let names = || (left.record.name, left.record.id).cmp(&(right.record.name, right.record.id));
            b.total_cmp(a).then_with(names)
        });
        let (scores, evidence) = ranked.into_iter().unzip();
        Self { evidence, scores }
    }
}

fn hit(evidence: &Evidence<'_, '_>, score: f32, probability: f32) -> Hit {
    let mut why: Vec<(f32, Reason)> = evidence
        .terms()
        .filter(|(_, found)| found.full > 0.0)
        .map(|(term, found)| {
            let place = match () {
                () if found.in_name() => Place::Name,
                () if found.in_description() => Place::Description,
                () if found.trigger > 0.0 => Place::Trigger,
                () if found.heading > 0.0 => Place::Heading,
                () => Place::Body,
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
