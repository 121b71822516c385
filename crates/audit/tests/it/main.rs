//! The audit through its door: examples of the rules, hostile skills and their twins, promises.

#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

mod hostile;
mod promises;
mod rules;
