//! The credential proxy over real sockets, with programs that are functions.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod client;
mod fixture;
mod socket;
