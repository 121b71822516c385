//! This turn: which skills apply, and why.
//!
//! Invariants: no disk, clock, network or environment; the same turn over the same catalog gives
//! the same selection, with every reason recorded.

pub use skillful_catalog::access;

pub mod mention;
pub mod selection;
pub mod turn;
