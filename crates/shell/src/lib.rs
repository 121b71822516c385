//! One reader of shell commands, for tool policy, audit and substitution.
//!
//! Invariants: no disk, clock, network or environment; nothing here knows of skills or judges a command. One
//! lexer knows where quotes, expansions and words end, and everything else is made from it: [`word`] (the
//! pieces of a word), [`literal`] (a word whose value is certain), [`strict`] (commands with one meaning, or
//! the reason why not), [`loose`] (commands of text that may not be shell), [`slots`] (how a shell reads each
//! placeholder) and [`typed`] (words that a user types). Only `grammar` names the parser of the grammar.

mod bounds;
mod grammar;
mod lexer;
pub mod literal;
pub mod loose;
pub mod script;
pub mod slots;
pub mod strict;
mod tokens;
pub mod typed;
mod unreadable;
pub mod word;

pub use literal::Literal;
pub use unreadable::Unreadable;
pub use word::{Piece, Pieces, Word};

/// The example of the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
