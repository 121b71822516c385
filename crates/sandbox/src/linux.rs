//! Linux: the tiers, and the supervisor under all of them.

mod bubblewrap;
mod filter;
mod inside;
mod landlock;
mod memory;
mod probe;
mod run;
mod supervisor;
mod tree;
mod view;

pub(crate) use probe::probe;
pub(crate) use run::run;
