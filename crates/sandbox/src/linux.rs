//! Linux: the tiers, and the supervisor under all of them.

mod bubblewrap;
mod filter;
mod group;
mod inside;
mod landlock;
mod memory;
mod owner;
mod probe;
mod process;
mod ready;
mod run;
mod scratch;
mod started;
mod supervisor;
mod tree;
mod view;

pub(crate) use group::Places;
pub(crate) use probe::probe;
pub(crate) use process::{Process, spawn};
pub(crate) use run::{run, run_until};
