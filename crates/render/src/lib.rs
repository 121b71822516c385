//! Words for the model.
//!
//! Invariants: no disk, clock, network or environment. The same set of skills gives the same bytes,
//! whatever order they come in. Nothing an author wrote can end the envelope it stands in. Whatever
//! a budget costs is in the report.

pub mod arguments;
pub mod budget;
pub mod compaction;
pub mod envelope;
pub mod escape;
pub mod menu;
pub mod news;
pub mod preprocess;
pub mod shell;
pub mod substitution;

pub use arguments::Arguments;
pub use budget::{Budget, Unit};
pub use menu::{Menu, MenuItem, MenuLoss, menu};
