//! Running skills: composition of a turn, activation, tool policy, hooks, programs, sessions.
//!
//! Invariants: every way to a skill asks the gate; a file is reached through the handle of its
//! skill's folder and never outside it; a secret is held in a type that cannot be printed, and no
//! set of variables that a model can see holds one; whatever does not come is in the result with its
//! reason.

pub mod activation;
pub mod authored_skills;
pub mod compose;

pub mod credential_proxy;
pub mod curate;
pub mod exec;
pub mod files;
pub mod git_environment;
pub mod git_places;
pub mod hooks;
pub mod implicit_use;
pub mod key_files;
pub mod menu;
pub mod mounted_place;
mod own_files;
pub mod past_turns;
pub mod perform;
pub mod policy;
pub mod project_scan;
pub mod propose;
pub mod requirements;
pub mod resource;
pub mod room;
pub mod session;
mod sha1;
pub mod skill_copy;
pub mod transcribe;

pub use activation::{Activation, ActivationError, BodyExecution, Engine, activate};
pub use compose::{Composition, compose};
