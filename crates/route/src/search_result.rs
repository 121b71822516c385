//! Input and results of a search with the router.

use crate::ranking::{Reason, Restriction};

/// How the search index of a router was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The stored index matched the current skills; no skill was read.
    Reopened,
    /// The stored index was older; only the skills that differ were read.
    Updated {
        /// Number of new or changed skills.
        changed: usize,
        /// Number of skills that no longer exist.
        removed: usize,
    },
    /// No stored index could be used, or too much had changed.
    Built {
        /// Number of skills that were read.
        skills: usize,
    },
}

/// One skill that a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSkill {
    /// Position of the skill in the catalog.
    pub entry: usize,
    /// The re-ranker's score. Scores are comparable only within one search.
    pub score: f32,
    /// Probability that the request is served, and by this skill.
    pub probability: f32,
    /// Words of the request that the skill contains, rarest first.
    pub why: Vec<Reason>,
}

/// What a search takes into account besides the words of the request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Skills that the user may use; all when absent.
    pub within: Option<&'a Restriction>,
    /// Similarities from 0 to 1 that another stage computed, by entry. These entries join the candidates, and
    /// the similarity is one more feature of the re-ranker.
    pub similar: &'a [(usize, f32)],
    /// What a similarity of 1 adds to a score; the fitted weight when absent.
    pub weight: Option<f32>,
}

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Probability that any skill serves the request.
    pub served: f32,
    /// The best skills, best first.
    pub found: Vec<FoundSkill>,
}
