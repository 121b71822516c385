//! A value that cannot be printed.

use super::VALUE_LIMIT;
use std::fmt;

/// A secret. It has no text form: neither `Display` nor serialisation, and `Debug` shows stars, so
/// that no log, error or reply can hold it by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the value in.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the environment of a program that may have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Why no program could be given it.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if self.0.contains('\0') {
            Some("its value holds a NUL byte")
        } else if self.0.len() > VALUE_LIMIT {
            Some("its value is too long for an environment")
        } else {
            None
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}
