//! Many skills in real folders: what is found, who wins, who may use it, and what is said about it.
//!
//! The modules are named after the contracts of discovery and of the gate; a test's name is what
//! the contract says.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod cache;
mod cache_property;
mod capability;
mod collisions;
mod disk;
mod fixture;
mod gate;
mod growth;
mod inspect;
mod links;
mod overrides;
mod plugins;
mod reload;
mod scopes;
mod sources;
mod switches;
mod system;
mod trust;
mod variables;
mod watch;
