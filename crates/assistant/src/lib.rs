//! The assistant: a model loop in which every feature of skills works.
//!
//! A [`ChatSession`](session::ChatSession) holds a session; [`turn::turn`] composes what a model reads, streams
//! its answer, runs its calls when they are allowed, and follows the transitions of its skills. Everything from
//! outside comes in as a [`setup::TurnSetup`]; results go out as [`event::Event`]s and into a [`journal::Journal`].
//!
//! Invariants: no tool runs before the policy of the active skill allowed it and, where the mode requires it,
//! the user approved it; every call gets exactly one result; every loop is bounded; the journal is enough to
//! continue after a crash.

pub mod agent_definitions;
pub mod approval;
mod compaction;
mod dispatch;
pub mod event;
pub mod first_load;
mod fork;
mod half_answer;
pub mod history;
pub mod image;
pub mod instructions;
pub mod journal;
pub mod model_set;
pub mod models;
mod only_tools;
pub mod programs;
pub mod project;
mod prompts;
mod run_skill_program;
mod save_skill;
mod server_tools;
pub mod servers;
pub mod session;
pub mod setup;
mod skill_management;
pub mod skill_review;
mod skills;
pub mod tool;
pub mod tool_environment;
pub mod tools;
pub mod touched_files;
pub mod turn;
mod turn_loop;
mod uses;
pub mod worked_folders;
