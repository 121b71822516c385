//! Credentials: where secrets are kept, which program gets which of them, and how they stay out of what a
//! model reads.
//!
//! [`vault`] keeps secrets encrypted at rest. [`mod@env`] decides from the `env` of skills which variable goes
//! to the model, to every program, or to the programs of one skill. [`redaction`] takes secrets out of
//! output. [`proxy`] runs programs with their secrets for a model that has none; what it needs to know
//! about skills and sandboxes comes in through its traits [`proxy::Gate`] and [`proxy::Runner`].
//!
//! Invariants: a secret is a [`secrecy::SecretString`], which cannot be printed and is wiped when dropped;
//! no error, diagnostic or log holds a value; a damaged vault is never treated as an empty one; output
//! leaves the proxy only through the redactor. This crate knows `format` and no other crate of ours.

pub mod env;
pub mod proxy;
pub mod redaction;
pub mod vault;

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
