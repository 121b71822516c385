//! A skill at work: what its programs get, and what they may do.
//!
//! Invariants: a secret is held in a type that cannot be printed, and no set of variables that a
//! model can see holds one.

pub mod env;
