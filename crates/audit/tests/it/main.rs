//! The audit through its door: examples of the rules, hostile skills and their twins, promises.

mod hostile;
mod promises;
mod rules;
