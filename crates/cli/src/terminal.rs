//! What only a person at a terminal gets: Markdown as it comes, a line editor, a status line, questions.
//!
//! Invariants: whatever a model or a skill wrote is made harmless before it is styled, so that the only escape
//! sequences that leave are our own; nothing that scrolled by is written again.

pub(crate) mod complete;
pub(crate) mod editor;
pub(crate) mod markdown;
pub(crate) mod preview;
pub(crate) mod screen;
pub(crate) mod status;
