//! What a router is asked and what it answers.

use crate::ranking::{Reason, Restriction};

/// How an index came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The stored index was that of these skills; no skill was read.
    Reopened,
    /// The stored index was of an earlier time, and only what differs was read.
    Updated {
        /// Skills that are new or changed.
        changed: usize,
        /// Skills that are gone.
        removed: usize,
    },
    /// There was no index to use, or little of it.
    Built {
        /// Skills that were read.
        skills: usize,
    },
}

/// A skill found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its place in the catalogue.
    pub entry: usize,
    /// The re-ranker's score; only its order means anything.
    pub score: f32,
    /// How likely it is that the request is served, and by this skill.
    pub probability: f32,
    /// Words of the request that were found, rarest first.
    pub why: Vec<Reason>,
}

/// What a search takes into account besides the words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Skills that the asker may use; all when absent.
    pub within: Option<&'a Restriction>,
    /// What another stage found: entries with a similarity from 0 to 1. They join the candidates, and the
    /// similarity is one more feature of the re-ranker.
    pub similar: &'a [(usize, f32)],
    /// What a similarity of 1 adds to a score; the fitted weight when absent.
    pub weight: Option<f32>,
}

/// What was found, and whether it serves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// How likely it is that some skill serves the request.
    pub served: f32,
    /// The best skills, best first.
    pub found: Vec<Found>,
}
