//! Routing over a catalogue, with what that needs of the disk and the network.
//!
//! [`Router`] keeps the search index of `skillful-select` in a cache folder, so that asking costs no
//! reading of skills that did not change. [`Decider`] adds what a decision needs: fragments, a cache,
//! and the optional models.
//!
//! Invariants: a cache file is only a hint, checked before it is believed, and a damaged or foreign one
//! costs time and nothing else; no failure ever chooses a skill; nothing here prints, reads the process
//! environment, or uses the network unless a caller configured it.

mod decide;
mod difference;
mod embed;
mod found;
mod hash;
mod kept;
mod library;
#[cfg(feature = "local-model")]
mod local;
mod map;
pub mod ranking;
#[cfg(feature = "remote")]
mod remote;
mod router;
mod store;

pub use crate::ranking::{
    MIN_SERVED, Place, Reason, Restriction,
    fragments::{Author, Message},
};
pub use decide::{
    Asked, Chat, ClassifierSettings, Decider, Decision, EmbeddingSettings, Note, Route, Settings, Stage, Tier,
};
pub use embed::{Embed, EmbedError, Embeddings, Progress};
pub use found::{Evidence, Found, Freshness, Judged};
#[cfg(feature = "local-model")]
pub use local::{LocalModel, ModelError};
#[cfg(feature = "remote")]
pub use remote::{Endpoint, RemoteChat};
pub use router::Router;
