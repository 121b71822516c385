//! Which names a skill may set.

/// Longest name.
const LONGEST: usize = 256;

/// Why a skill may not set a variable of that name.
pub(crate) fn fault(name: &str) -> Option<&'static str> {
    let mut bytes = name.bytes();
    let is_name = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        Some("is not made of letters, digits and underscores")
    } else if name.len() > LONGEST {
        Some("is too long")
    } else if skillful_format::is_steering(name) {
        Some("decides which code other programs run, so no skill may set it")
    } else {
        None
    }
}
