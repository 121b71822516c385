//! Tests of routing over real folders and loopback servers. The name of a test is the behaviour it checks.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod classifier;
mod concurrency;
mod damaged_files;
mod decider;
mod embeddings;
mod fixture;
mod index_file;
mod property;
mod ranking;
mod sample;
mod search;
mod verdict_cache;
