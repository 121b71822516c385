//! The Model Context Protocol, in both directions: [`server`] offers skills to any agent, [`client`] speaks to
//! the servers that skills bring. The only crate that names `rmcp`.
//!
//! Invariants: a name of the protocol is written once, in [`names`]; every way to a skill asks the gate, as in
//! every other face; whatever does not come is in the answer with its reason.

pub mod client;
pub mod names;
pub mod server;
