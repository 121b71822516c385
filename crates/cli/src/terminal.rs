//! Parts for a terminal only: streaming Markdown, a line editor, a status line, previews.
//!
//! Invariants: text of a model or a skill is escaped before it is styled, so that only our own escape sequences are
//! printed; text that was printed is not printed again, except for lines that still change (`live`).

pub(crate) mod complete;
pub(crate) mod editor;
pub(crate) mod keys;
pub(crate) mod live;
pub(crate) mod markdown;
mod picking;
pub(crate) mod preview;
pub(crate) mod screen;
pub(crate) mod status;
