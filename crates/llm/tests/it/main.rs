//! Calls against servers on this machine; a test's name is what the contract says.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod calls;
mod environment;
mod scripts;
mod secrets;
mod streams;
