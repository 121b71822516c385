//! The loop against a model that speaks over real HTTP, in both formats.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its stage must stop")]

mod compaction;
mod forks;
mod hooks;
mod pipelines;
mod stage;
mod steps;
mod tools;
