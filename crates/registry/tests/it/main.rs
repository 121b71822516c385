//! Skills on their way: what is kept, what is noted, what is fetched, what is installed, and what is left
//! when any of it is stopped at any point.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod clean;
mod content_store;
mod edits;
mod fetch;
mod fixture;
mod git_addresses;
mod hostile_lock;
mod install;
mod install_faults;
mod processes;
mod publish;
mod replay;
mod review;
mod sign;
mod sources;
mod update;
mod update_faults;
mod web;
