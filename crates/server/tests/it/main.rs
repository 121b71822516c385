//! The server as clients meet it, over HTTP on this machine.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod isolation;
mod requests;
mod running;
mod sign_in;
