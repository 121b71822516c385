//! Findings and diagnostics as text, as JSON and as SARIF.
//!
//! Invariants: nothing here prints, reads a file or looks at the environment; the caller gives the
//! findings, a way to the text of a file, and the look. What a skill's author wrote is never sent
//! to a terminal as it is: it may hold escape sequences.

pub(crate) mod audit;
pub(crate) mod capability;
pub(crate) mod card;
pub(crate) mod difference;
pub mod docs;
mod excerpt;
pub mod json;
mod path;
pub mod pretty;
pub mod sarif;
mod sources;
mod summary;

pub use docs::{audit_markdown, diagnostics_markdown};
pub use pretty::{Colour, Look};
pub(crate) use skillful::visible;
pub use summary::summary;
