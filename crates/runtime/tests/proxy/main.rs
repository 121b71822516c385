//! The credential proxy, over real sockets and real programs.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod canary;
mod client;
mod contract;
mod gates;
mod model;
mod process;
mod rooms;
mod socket;
mod world;
