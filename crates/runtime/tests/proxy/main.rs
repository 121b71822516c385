//! The credential proxy over a catalog, real sockets and real programs.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod canary;
mod contract;
mod gates;
mod model;
mod process;
mod sandbox_runner;
mod world;
