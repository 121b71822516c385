//! The skills engine: finds, checks, selects, discloses, runs, limits and installs agent skills, for any agent.
//!
//! [`Workspace`] is one folder and one user, read once. Everything that a command line, a server, a page or an
//! assistant shows about skills comes from it.
//!
//! Invariants: no terminal, no process environment, no clock. What goes in is a value and what comes out is a value.

pub mod agent_links;
pub mod agent_sets;
pub mod audited_files;
pub mod authoring;
pub mod bindings;
mod blocked_skills;
pub mod calendar;
pub mod config;
pub mod decide;
pub mod execution;
mod git_head;
pub mod library;
pub mod numbers;
pub mod paths;
pub mod programs;
pub mod refusal;
pub mod settings_edit;
pub mod shell_word;
pub mod side_by_side;
pub mod skills_api;
pub mod team_server;
pub mod team_usage;
pub mod turn;
pub mod views;
pub mod visible;
pub mod workspace;

pub use library::Library;
pub use skillful_catalog::{
    Catalog, Entry, Environment, SkillState,
    access::{Admitted, Way},
};
pub use skillful_route::ranking::SKIP_THRESHOLD;
pub use skillful_select::{selection::Selection, turn::Turn};
pub use workspace::{Options, Workspace};

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
