//! Routing over real folders and loopback servers; a test's name is what the contract says.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod classifier;
mod damage;
mod decider;
mod embeddings;
mod fixture;
mod persist;
mod processes;
mod property;
mod remembered;
mod search;
