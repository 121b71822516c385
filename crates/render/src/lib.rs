//! Renders the text that a model reads: menu, skill envelopes, arguments, news.
//!
//! Invariants: no disk, clock, network or environment. The same set of skills gives the same bytes,
//! in any order of input. Text of an author cannot close the envelope that contains it. Everything
//! that a budget removes is reported.

pub mod arguments;
pub mod budget;
pub mod compaction;
pub mod envelope;
pub mod escape;
pub mod menu;
pub mod news;
pub mod shell;
pub mod substitution;

pub use arguments::Arguments;
pub use budget::{Budget, Unit};
pub use menu::{Menu, MenuItem, MenuLoss, menu};
