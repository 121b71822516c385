//! Words of commands that users copy.

/// A word as a shell reads it back: names and paths are chosen by authors of skills.
pub fn shell_word(text: &str) -> String {
    let is_plain = |one: char| one.is_alphanumeric() || "._/:@%+-".contains(one);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
