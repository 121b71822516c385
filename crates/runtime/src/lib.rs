//! A skill at work: what a turn gets to read, what a skill brings, what its programs get.
//!
//! Invariants: every way to a skill asks the gate; a file is reached through the handle of its
//! skill's folder and never outside it; a secret is held in a type that cannot be printed, and no
//! set of variables that a model can see holds one; whatever does not come is in the result with its
//! reason.

pub mod activation;
pub mod approvals;
pub mod authored_skills;
pub mod compose;

pub mod credential_proxy;
pub mod curate;
pub mod exec;
pub mod files;
pub mod hooks;
pub mod menu;
pub mod past_turns;
pub mod perform;
pub mod policy;
pub mod propose;
pub mod requirements;
pub mod resource;
pub mod room;
pub mod session;
pub mod transcribe;

pub use activation::{Activation, ActivationError, BodyExecution, Engine, activate};
pub use compose::{Composition, compose};
