//! Routing: which skills a request in plain words is about, and how sure that is.
//!
//! An [`Index`] holds the library as one buffer. A request passes three stages: BM25F over name,
//! description and body finds 150 candidates, a linear re-ranker orders them by lexical evidence, and a
//! gate says how likely it is that any of them serves.
//!
//! Invariants: nothing here reads a file, a clock or the environment; the same library and request give
//! the same answer on every platform, whatever order the skills came in; a damaged buffer is an error or
//! a poorer answer, never a panic.

mod alias;
mod analyse;
mod base;
mod build;
mod common;
mod counts;
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
mod present;
mod query;
mod record;
mod restrict;
mod search;
mod skill;
mod spelled;
mod spelling;
mod stop;
mod text;
mod weights;

pub use base::Damage;
pub use extra::{Extra, SIMILAR_LIMIT, SIMILARITY};
pub use hit::{Hit, MIN_SERVED, Place, Reason, Route, SKIP_THRESHOLD, Settings};
pub use index::{CANDIDATES, Index};
pub use query::QUERY_LIMIT;
pub use restrict::{Restriction, Stale};
pub use search::Judged;
#[doc(hidden)]
pub use search::Numbers;
pub use skill::Skill;
