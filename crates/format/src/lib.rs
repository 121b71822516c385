//! One skill: parse, check, repair, write, pack, digest.
//!
//! Invariants: nothing here touches a disk, a clock, the network or the environment. Reading never
//! fails; it returns a value and what is wrong with it. Every bound is a named constant.

pub mod diagnostic;
pub mod tree;

pub use diagnostic::{Code, Diagnostic, Severity, Span};
pub use tree::{Limits, Tree, TreeFile, TreePath};
