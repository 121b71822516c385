//! The loop against a model that speaks over real HTTP, in both formats.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its harness must stop")]

mod again;
mod compaction;
mod forks;
mod harness;
mod hooks;
mod pipelines;
mod steps;
mod tools;
