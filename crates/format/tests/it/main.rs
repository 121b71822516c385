//! Tests of the public interface: hostile frontmatter is refused, and the properties hold for any
//! text.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails the test")]

mod hostile_frontmatter;
mod properties;
mod resources;
