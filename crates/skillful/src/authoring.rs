//! Help for the author of a skill while the text is written: what can be written at a place, and what is wrong at which line
//! with the edits that correct it. Editors ask the same functions through the language server, the page through its API.
//!
//! No disk: files, skills and agents come in as values.

pub mod check;
pub mod completion;
pub mod field_help;
pub mod place;

pub use check::{CheckedFile, ProblemFix, TextChange, TextProblem};
pub use completion::{Completer, Completion, CompletionItem, CompletionKind, OfferedSkill};
