#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must stop")]
//! The built-in tools: what they plan, and what comes of it.

mod command;
mod files;
mod ground;
mod harness;
mod search;
mod web;
