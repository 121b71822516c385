//! The catalog of skills: roots, scanning, precedence, trust, states, the gate, watching.
//!
//! Invariants: no terminal, no process environment and no clock but for the age of a cache; the
//! outside comes in as an [`Environment`]. Every walk is bounded and in a fixed order. A broken
//! skill hides no other, and a skill that is not in use is still in the list with its reason.

pub mod access;
mod admitted_skill;
pub mod approvals;
pub mod asked_server;
pub mod body;
pub mod bounded;
mod cache;
pub mod capability;
pub mod catalog;
pub mod command;
mod confusable;
pub mod disk;
pub mod entry;
pub mod environment;
pub mod folder;
pub mod gate;
pub mod inspect;
pub mod load;
pub mod names;
mod overrides;
pub mod packages;
pub mod parallel;
pub mod plugin;
pub mod reload;
pub mod roots;
mod scan;
pub mod settings;
pub mod skipped_place;
pub mod state;
pub mod system;
pub mod trust;
pub mod variables;
pub mod walked;
pub mod watch;

pub use admitted_skill::AdmittedSkill;
pub use approvals::Approvals;
pub use catalog::{Catalog, Inputs};
pub use entry::{Entry, Placement};
pub use environment::{Environment, Principal};
pub use load::{Loaded, LoadedSidecar};
pub use settings::Settings;
pub use skillful_profiles as profile;
pub use skillful_profiles::{AgentProfile, AgentProfiles, Scope};
pub use state::SkillState;
pub use trust::TrustStore;
