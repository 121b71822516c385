//! Keys that cannot be printed.

use std::fmt;

/// A key. It can be sent and nothing else: there is no `Display`, no serialisation, and `Debug` tells
/// nothing, not even its length.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key, without the blanks and line ends that come with pasting.
    pub fn new(value: impl Into<String>) -> Self {
        let value: String = value.into();
        Self(value.trim().to_owned())
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key, for a header.
    #[cfg(feature = "remote")]
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Takes the key out of a text that somebody else wrote.
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}
