//! What the credential proxy needs to know about skills: which it may serve, which variables their
//! programs get, and how these run in their sandbox.
//!
//! The proxy itself is [`skillful_credentials::proxy`]; here are the implementations of its traits over a
//! catalog and the sandbox.

mod catalog_gate;
mod sandbox_runner;
mod variables;

pub use catalog_gate::{CalledSkills, CatalogGate};
pub use sandbox_runner::SandboxRunner;
pub use variables::program_variables;
