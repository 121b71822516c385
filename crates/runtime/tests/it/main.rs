//! A skill at work, over small libraries on disk.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its library must stop")]

mod activation;
mod compose;
mod gates;
mod library;
mod resource;
mod transcribe;
mod work;
