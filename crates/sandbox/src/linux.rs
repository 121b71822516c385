//! Linux: the tiers, and the supervisor they all use.

mod bubblewrap;
mod cgroup;
mod child_setup;
mod filter;
mod landlock;
mod owner;
mod prepared;
mod probe;
mod process;
mod run;
mod scratch;
mod sealed_file;
mod started;
mod supervisor;
mod tree;
mod view;

pub(crate) use cgroup::CgroupParents;
pub(crate) use probe::probe;
pub(crate) use process::{Process, spawn};
pub(crate) use run::{run, run_until};
