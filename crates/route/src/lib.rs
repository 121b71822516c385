//! Routing: finds the skills of a catalog that a message is about.
//!
//! [`Router`] keeps the search index ([`ranking`]) in a cache folder, so that a search does not read skills
//! that have not changed. [`Decider`] decides whether to activate or suggest a skill: it joins messages that
//! belong together, caches verdicts, and asks the optional models.
//!
//! Invariants: a cache file is validated before use, and a damaged or foreign one costs only the time to
//! rebuild it; a failure never selects a skill; this crate does not print, does not read the process
//! environment, and uses the network only if the caller configured it.

mod cache_file;
mod decide;
mod difference;
mod embed;
mod hash;
mod index_file;
mod indexed_skills;
#[cfg(feature = "local-model")]
mod local;
mod mapped_file;
pub mod ranking;
#[cfg(feature = "remote")]
mod remote;
mod router;
mod search_result;

pub use crate::ranking::{
    MIN_SERVED, Reason, Restriction, WordPlace,
    fragments::{Author, Message},
};
pub use decide::{
    Chat, ClassifierSettings, Decider, Decision, DecisionRequest, EmbeddingSettings, Note, Route, Settings,
    Stage, Tier,
};
pub use embed::{Embed, EmbedError, Embeddings, Progress};
#[cfg(feature = "local-model")]
pub use local::{LocalModel, ModelError};
#[cfg(feature = "remote")]
pub use remote::{Endpoint, RemoteChat};
pub use router::Router;
pub use search_result::{Evidence, FoundSkill, Freshness, Judged};
