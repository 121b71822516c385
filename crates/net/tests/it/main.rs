//! The way out, against servers of this machine that misbehave and addresses that pretend.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod download;
mod tricks;
