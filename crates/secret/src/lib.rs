//! A value that cannot be printed.
//!
//! One type for every key, token and password, so that there is one place to look at: no text form,
//! no serialisation, and memory that is wiped when the value is dropped.

use std::fmt;
use zeroize::Zeroizing;

/// A secret. It has neither `Display` nor serialisation, and `Debug` shows stars whatever its length,
/// so that no log, error or reply can hold it by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the value in, as it is.
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// Without the blanks and line ends that come with pasting.
    #[must_use]
    pub fn trimmed(self) -> Self {
        if self.0.trim().len() == self.0.len() { self } else { Self::new(self.0.trim()) }
    }

    /// The value, for whoever may have it. Whoever calls this answers for where it goes.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing to hide.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of the value.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Takes the value out of a text that somebody else wrote.
    pub fn redact(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(self.0.as_str(), "[key]") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn nothing_that_is_printed_tells_a_secret_or_its_length() {
        let (long, short) = (Secret::new("a-long-secret-value"), Secret::new("x"));
        assert_eq!(format!("{long:?} {:#?}", Some(&long)), format!("{short:?} {:#?}", Some(&short)));
        assert!(!format!("{long:?}").contains("long"));
    }

    #[test]
    fn only_who_asks_for_it_gets_a_secret_trimmed() {
        assert_eq!(Secret::new(" k \n").trimmed(), Secret::new("k"));
        assert_ne!(Secret::new(" k \n"), Secret::new("k"));
        assert_eq!(Secret::new("k").trimmed().reveal(), "k");
    }
}
