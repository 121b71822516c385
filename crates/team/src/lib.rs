//! A team's skills: versions that never change, reviews bound to digests, preferences, and who may do what.
//!
//! [`Team`] is the whole of it, on SQLite or PostgreSQL and a folder or an S3-compatible store. It knows no HTTP. What a skill
//! is, what it can do and what the audit says of it comes from the engine.
//!
//! Invariants: [`permission::may`] is asked before anything is read or written; what a caller may not read does not exist
//! for them. Contents are written before rows, rows before what points to them. Every deed is in the audit log in the same
//! transaction.

pub mod actor;
pub mod adoptions;
pub mod authoring;
pub mod backup;
pub mod catalog;
pub mod credentials;
pub mod db;
pub mod device;
pub mod drafts;
pub mod error;
pub mod groups;
mod id;
pub mod idle;
pub mod integrations;
pub mod judged;
pub mod listing;
pub mod log;
pub mod model_made;
pub mod objects;
pub mod organisation;
pub mod outbound;
pub mod own_skills;
pub mod people;
pub mod permission;
pub mod preferences;
pub mod preview;
pub mod proposals;
pub mod publishers;
pub mod quotas;
mod review_queue;
pub mod revocations;
pub mod runtime_settings;
mod search;
pub mod skills;
pub mod sources;
mod sweep;
pub mod team;
pub mod upload;
pub mod usage;
pub mod versions;
mod waivers;
pub mod webhooks;

pub use actor::{Actor, GroupRole, Role, TokenScope};
pub use db::Db;
pub use error::TeamError;
pub use objects::{Objects, S3};
pub use outbound::Outbound;
pub use permission::{Openness, Scope};
pub use team::{FIRST_ORG, Team};
