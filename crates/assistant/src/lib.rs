//! An agent whose point is that skills work fully in it.
//!
//! A [`Run`](run::Run) holds a conversation; a turn composes what a model reads, streams its answer, has its
//! calls judged and done, and follows the pipeline of its skills. Everything it needs from outside comes in
//! as values; what happens goes out as [`event::Event`]s and into a [`journal::Journal`].
//!
//! Invariants: no tool runs before the policy of the active skill let it through and, where the mode asks
//! for it, a person agreed; every call gets exactly one result; every loop is bounded; what was journaled is
//! enough to go on after a crash.

pub mod approval;
mod compaction;
pub mod conversation;
mod dispatch;
pub mod event;
mod flow;
mod fork;
pub mod journal;
pub mod models;
pub mod project;
pub mod roster;
pub mod run;
mod save;
pub mod scene;
pub mod servers;
mod skills;
pub mod tool;
pub mod tools;
pub mod turn;
mod words;
