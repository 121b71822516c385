//! Patterns that are made fast: letters, digits and borders of words are those of ASCII.
//!
//! Commands and addresses are ASCII, and the tables of Unicode would cost more time than all of the
//! rest when a program that judges one small skill starts.

use regex::Regex;

/// A pattern of ours; `None` only when it is written wrongly, on which every test that uses it stops.
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
