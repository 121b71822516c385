//! The server as clients meet it, over HTTP on this machine.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

mod acceptance;
mod device;
mod isolation;
mod mcp;
mod page;
mod page_attacks;
mod page_data;
mod page_lists;
mod publishing;
mod requests;
mod running;
mod secrets;
mod seeds;
mod sign_in;
mod writing;
