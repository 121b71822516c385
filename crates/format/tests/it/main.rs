//! The format as its users see it: hostile headers are refused, and promises hold for any text.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod hostile_headers;
mod properties;
mod resources;
