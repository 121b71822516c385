//! The evidence of a skill for a request: each term looked up in the record, part by part.

use super::{
    impact::{Norms, saturate},
    index::Candidate,
    query::{Query, QueryTerm},
    record::Record,
};

/// Evidence for one term; each part is saturated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TermEvidence {
    /// All parts by BM25F.
    pub(crate) full: f32,
    /// The same for the word exactly as written.
    pub(crate) exact: f32,
    pub(crate) description: f32,
    pub(crate) body: f32,
    pub(crate) trigger: f32,
    pub(crate) heading: f32,
    /// How often it occurs in the name.
    pub(crate) names: f32,
    /// How often it occurs in the description.
    pub(crate) descriptions: f32,
}

impl TermEvidence {
    fn of(term: &QueryTerm, record: &Record<'_>, norms: &Norms) -> Self {
        let mut found = Self::default();
        record.find(term.key, |counts| {
            let frequency = norms.frequency(counts);
            found.full += frequency;
            if counts.is_form(term.form) {
                found.exact += frequency;
            }
            found.description += norms.description * f32::from(counts.description);
            found.body += norms.body * f32::from(counts.body);
            found.trigger += f32::from(counts.trigger);
            found.heading += f32::from(counts.heading);
            found.names += f32::from(counts.name);
            found.descriptions += f32::from(counts.description);
        });
        for part in [&mut found.full, &mut found.exact, &mut found.description, &mut found.body] {
            *part = saturate(*part);
        }
        for part in [&mut found.trigger, &mut found.heading] {
            *part /= 1.0 + *part;
        }
        found
    }

    pub(crate) fn in_name(&self) -> bool {
        self.names > 0.0
    }

    pub(crate) fn in_description(&self) -> bool {
        self.descriptions > 0.0
    }

    /// Whether the term occurs in the name or the description.
    pub(crate) fn in_head(&self) -> bool {
        self.in_name() || self.in_description() || self.heading > 0.0 || self.trigger > 0.0
    }
}

/// The evidence of one skill for one request.
pub(crate) struct Evidence<'q, 'r> {
    pub(crate) query: &'q Query,
    pub(crate) record: Record<'r>,
    pub(crate) found: Vec<TermEvidence>,
}

impl<'q, 'r> Evidence<'q, 'r> {
    /// None when the record is damaged.
    pub(crate) fn gather(query: &'q Query, candidate: &'r Candidate<'_>) -> Option<Self> {
        let (record, present) = (candidate.record()?, candidate.present);
        let norms = Norms::of(&record);
        let mut found = vec![TermEvidence::default(); query.terms.len()];
        for &at in query.sums.by_key.iter().filter(|at| present.may_have(**at)) {
            found[at] = TermEvidence::of(&query.terms[at], &record, &norms);
        }
        Some(Self { query, record, found })
    }

    /// Terms with the evidence for each.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&QueryTerm, &TermEvidence)> {
        self.query.terms.iter().zip(&self.found)
    }

    /// The sum over all terms of their worth times the value of `of`.
    pub(crate) fn sum(&self, of: impl Fn(&TermEvidence) -> f32) -> f32 {
        self.terms().map(|(term, found)| term.worth() * of(found)).sum()
    }

    /// Worth of the terms for which `of` holds.
    pub(crate) fn covered(&self, of: impl Fn(&TermEvidence) -> bool) -> f32 {
        self.terms().filter(|(_, found)| of(found)).map(|(term, _)| term.worth()).sum()
    }

    /// The share of the objects of the request's orders that the name, the description, headings or triggers contain.
    pub(crate) fn objects(&self) -> f32 {
        let objects = || self.terms().filter(|(term, _)| term.is_object);
        let all: f32 = objects().map(|(term, _)| term.worth()).sum();
        let found: f32 = objects().filter(|(_, found)| found.in_head()).map(|(term, _)| term.worth()).sum();
        found / all.max(1e-3)
    }

    /// The share of the words of the name that the request contains.
    pub(crate) fn name_share(&self) -> f32 {
        let found: f32 = self.found.iter().map(|found| found.names).sum();
        (found / f32::from(self.record.lengths.name.max(1))).min(1.0)
    }
}
