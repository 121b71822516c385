//! The key of a provider: pasted by a user, hidden in the messages of a server.

use secrecy::{ExposeSecret, SecretString};

/// What stands in the place of a key.
const MARK: &str = "[key]";

/// The key without the blanks and line ends that come with pasting; `None` when nothing is left.
pub(crate) fn pasted(key: SecretString) -> Option<SecretString> {
    let text = key.expose_secret().trim();
    match text.len() {
        0 => None,
        length if length == key.expose_secret().len() => Some(key),
        _ => Some(SecretString::from(text)),
    }
}

/// A text of a server without the key.
pub(crate) fn hide(key: Option<&SecretString>, text: &str) -> String {
    match key.map(ExposeSecret::expose_secret).filter(|key| !key.is_empty()) {
        Some(key) => text.replace(key, MARK),
        None => text.to_owned(),
    }
}
