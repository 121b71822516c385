//! Compiles fast patterns: letters, digits and word boundaries are limited to ASCII.
//!
//! Commands and addresses are ASCII, and the Unicode tables would dominate the start-up time of an
//! audit of one small skill.

use regex::Regex;

/// Compiles one of our patterns; `None` only when the pattern is invalid, which every test that
/// uses it detects.
pub(crate) fn pattern(text: &str) -> Option<Regex> {
    let plain = text
        .replace("\\w", "[0-9A-Za-z_]")
        .replace("\\d", "[0-9]")
        .replace("\\s", "[ \\t\\r\\n]")
        .replace("\\W", "[^0-9A-Za-z_]")
        .replace("\\S", "[^ \\t\\r\\n]")
        .replace("\\b", "(?-u:\\b)");
    let made = Regex::new(&plain);
    debug_assert!(made.is_ok(), "{text}: {made:?}");
    made.ok()
}
