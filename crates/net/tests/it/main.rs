//! Downloads from misbehaving servers on this machine, and URLs that disguise their address.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod disguised_addresses;
mod download;
