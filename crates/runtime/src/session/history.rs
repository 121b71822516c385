//! What happened in a run, bounded.

use super::event::{Stay, Undirected};
use serde::{Deserialize, Serialize};

/// Records that are kept; older ones leave and are counted.
pub const HISTORY_LIMIT: usize = 512;
/// Bytes of an answer that are kept.
pub const ANSWER_LIMIT: usize = 64 << 10;

/// What caused a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransitionCause {
    /// The skill, with `next_skill`.
    Next,
    /// The model, with `skill_transition`.
    Explicit,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "record")]
pub enum Record {
    /// A turn began.
    Turn {
        /// From 1.
        number: u64,
    },
    /// A skill was loaded.
    Activated {
        /// Its address.
        skill: String,
    },
    /// A sub-agent was started.
    Forked {
        /// Its skill.
        skill: String,
        /// For this call.
        call: String,
    },
    /// A directive was given in its place.
    Directed {
        /// Its skill.
        skill: String,
        /// Why.
        why: Undirected,
    },
    /// A final answer; blank ones are not kept.
    Answer {
        /// The skill that led.
        skill: Option<String>,
        /// The text.
        text: String,
        /// Whether its end was cut off.
        cut: bool,
    },
    /// Another skill took over.
    Moved {
        /// The skill before.
        from: Option<String>,
        /// The skill after.
        to: String,
        /// What caused it.
        kind: TransitionCause,
        /// Why, in the model's words.
        reason: Option<String>,
    },
    /// A transition that did not happen.
    Stayed(Stay),
    /// The run became untrusted.
    Untrusted {
        /// By this source.
        source: String,
    },
}

/// The newest records, and how many left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    /// Oldest first.
    pub records: Vec<Record>,
    /// Records that left because of the limit.
    pub dropped: u64,
}

impl History {
    pub(super) fn push(&mut self, record: Record) {
        if self.records.len() >= HISTORY_LIMIT {
            self.records.remove(0);
            self.dropped = self.dropped.saturating_add(1);
        }
        self.records.push(record);
    }

    pub(super) fn answer(&mut self, skill: Option<String>, text: &str) {
        if !text.trim().is_empty() {
            let kept = &text[..text.floor_char_boundary(ANSWER_LIMIT)];
            self.push(Record::Answer { skill, text: kept.to_owned(), cut: kept.len() < text.len() });
        }
    }
}
