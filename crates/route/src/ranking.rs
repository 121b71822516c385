//! Ranking: finds the skills that a request in natural language is about, with a probability.
//!
//! An [`Index`] holds the indexed skills in one buffer. A request passes three stages: BM25F over name,
//! description and body finds up to 150 candidates, a linear re-ranker orders them by lexical evidence, and a
//! gate computes the probability that any of them serves the request.
//!
//! Invariants: this module does not read files, the clock or the environment; the same skills and request
//! give the same result on every platform, in whatever order the skills were added; a damaged buffer causes
//! an error or worse results, never a panic.

mod alias;
mod analyse;
mod ascii_words;
mod base;
mod build;
mod common;
mod counts;
mod dictionary;
pub mod evalset;
mod evidence;
mod extra;
mod features;
mod field;
mod form;
pub mod fragments;
mod gate;
mod hit;
mod impact;
mod index;
mod math;
pub mod metrics;
mod packed_counts;
mod postings;
mod present;
mod query;
mod record;
mod restrict;
mod search;
pub mod selections;
mod skill;
mod sorted_keys;
mod spelling;
mod stop;
mod text;
mod weights;

pub use base::{Buffer, Damage};
pub use build::Header;
pub use extra::{Extra, SIMILAR_LIMIT, SIMILARITY};
pub use hit::{Hit, MIN_SERVED, Reason, Route, SKIP_THRESHOLD, Settings, WordPlace};
pub use index::{CANDIDATES, Index, ReadSkill};
pub use query::QUERY_LIMIT;
pub use restrict::{Restriction, Stale};
pub use search::Judged;
#[doc(hidden)]
pub use search::Numbers;
pub use skill::Skill;
