//! Calls to servers on this machine. The name of a test is the behaviour it checks.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod calls;
mod environment;
mod scripts;
mod secrets;
mod streams;
