//! The index: a base buffer plus the few skills that changed since.

use super::{
    analyse::Analyser,
    base::{Base, Buffer, Damage},
    build,
    features::{Features, features},
    impact::impacts,
    math::{hash, u32_of},
    query::Query,
    record::{self, Record},
    skill::Skill,
};
use std::collections::{BTreeMap, BTreeSet};

/// Skills that the first stage hands to the re-ranker.
const CANDIDATES: usize = 150;

/// A searchable library of skills.
pub struct Index {
    base: Base,
    /// Skills of the base that were replaced or removed.
    dead: BTreeSet<usize>,
    /// How many dead skills have a term.
    dead_counts: BTreeMap<u32, usize>,
    fresh: Vec<Fresh>,
}

/// A skill that is not in the base yet.
struct Fresh {
    id: u64,
    record: Vec<u8>,
    impacts: Vec<(u32, u8)>,
}

impl Fresh {
    fn impact(&self, key: u32) -> Option<u8> {
        self.impacts.binary_search_by_key(&key, |(key, _)| *key).ok().map(|at| self.impacts[at].1)
    }
}

impl Index {
    /// Reads a library on `threads` threads. Of two skills with one id the later stands.
    pub fn build(skills: &[Skill<'_>], threads: usize) -> Self {
        let bytes = build::build(skills, threads);
        Self::from_bytes(bytes).unwrap_or_else(|_| Self::empty())
    }

    fn empty() -> Self {
        unreachable!()
    }

    /// Opens a buffer that [`Index::to_bytes`] wrote; a mapped file will do.
    pub fn from_bytes(buffer: impl AsRef<[u8]> + Send + Sync + 'static) -> Result<Self, Damage> {
        let buffer: Buffer = Box::new(buffer);
        Ok(Self {
            base: Base::open(buffer)?,
            dead: BTreeSet::new(),
            dead_counts: BTreeMap::new(),
            fresh: Vec::new(),
        })
    }

    /// Number of skills.
    pub fn len(&self) -> usize {
        self.base.skills - self.dead.len() + self.fresh.len()
    }

    /// Whether there is no skill.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn count(&self, key: u32) -> usize {
        let base = self.base.postings(key).map_or(0, |postings| postings.count);
        let dead = self.dead_counts.get(&key).copied().unwrap_or(0);
        let fresh = self.fresh.iter().filter(|fresh| fresh.impact(key).is_some()).count();
        base.saturating_sub(dead) + fresh
    }

    /// Experiment: candidates with features.
    pub fn candidates(&self, text: &str) -> Vec<(String, Features)> {
        let query = Query::read(text, self.len(), |key| self.count(key));
        let mut scores = vec![0_u32; self.base.skills];
        for term in &query.terms {
            if let Some(postings) = self.base.postings(term.key) {
                postings.add_to(&mut scores, term.whole_worth());
            }
        }
        let mut found: Vec<(u32, usize)> = scores.iter().copied().zip(0..).filter(|(s, _)| *s > 0).collect();
        found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(CANDIDATES);
        found
            .iter()
            .filter_map(|&(_, at)| {
                let record = self.base.record(at)?;
                Some((record.id.to_owned(), features(&query, &record)))
            })
            .collect()
    }
}
