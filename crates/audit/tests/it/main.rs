//! Tests of the public interface: examples of the rules, hostile skills and their twins,
//! invariants.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod hostile;
mod promises;
mod rules;
