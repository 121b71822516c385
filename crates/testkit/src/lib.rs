//! Test context.
