//! The server as a client sees it, over a pipe in this process.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]

#[path = "server/extension.rs"]
mod extension;
#[path = "server/gates.rs"]
mod gates;
#[path = "server/manage.rs"]
mod manage;
#[path = "server/prompts.rs"]
mod prompts;
#[path = "server/tools.rs"]
mod tools;
#[path = "server/world.rs"]
mod world;
