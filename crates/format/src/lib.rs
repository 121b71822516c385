//! Reads, checks, repairs, writes and digests one skill.
//!
//! Invariants: this crate uses no disk, clock, network or environment. Reading never fails: it
//! returns a value and the diagnostics about it. Every limit is a named constant.

pub mod body_commands;
pub mod check;
pub mod code_spans;
pub mod diagnostic;
pub mod digest;
pub mod document;
pub mod field;
pub mod fix;
pub mod hidden;
pub mod lint;
pub mod manifest;
pub mod outline;
mod path_text;
mod repair;
pub mod resources;
pub mod scaffold;
pub mod sidecar;
pub mod source;
pub mod steering;
pub mod tree;
pub mod write;
pub mod yaml;

/// A hash of this crate's sources: a cache of parsed skills is valid only for the code that parsed them.
pub const SOURCES_HASH: &str = env!("SOURCES_HASH");

pub use check::{LENIENT, Profile, SPEC, check};
pub use diagnostic::{Code, Diagnostic, Severity, Span};
pub use digest::{Digest, TreeDigest, digest_bytes};
pub use document::{Document, Soundness};
pub use fix::{Fix, TextEdit};
pub use manifest::{Manifest, RareFields, ToolGrant};
pub use path_text::path_text;
pub use sidecar::{Sidecar, Sidecars};
pub use steering::is_steering;
pub use tree::{Limits, Tree, TreeFile, TreePath};
pub use yaml::Data;

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
