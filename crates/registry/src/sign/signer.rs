//! Who signed: a key by its fingerprint, and the name that a user gave it.

use super::Allowed;
use ssh_key::HashAlg;
use std::{fmt, str::FromStr};

/// Bytes of a name.
pub(super) const PRINCIPAL_LIMIT: usize = 512;
/// How fingerprints begin.
const PREFIX: &str = "SHA256:";

/// The SHA-256 of a public key, written as `ssh-keygen -l` does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    pub(super) fn of(key: &ssh_key::public::KeyData) -> Self {
        Self(key.fingerprint(HashAlg::Sha256).sha256().unwrap_or_default())
    }

    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ssh_key::Fingerprint::Sha256(self.0).fmt(f)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text names no signer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a signer is the fingerprint of a key, `SHA256:` and 43 characters, with a name before it or without"
)]
pub struct NotASigner;

impl FromStr for Fingerprint {
    type Err = NotASigner;

    fn from_str(text: &str) -> Result<Self, NotASigner> {
        let read: ssh_key::Fingerprint = text.parse().map_err(|_| NotASigner)?;
        let fingerprint = Self(read.sha256().ok_or(NotASigner)?);
        // One spelling only, so that one key is never two.
        if fingerprint.to_string() == text { Ok(fingerprint) } else { Err(NotASigner) }
    }
}

/// Who signed. Written `NAME SHA256:…`, or `SHA256:…` for a key without a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// As the user's file of signers names them, when it does.
    pub principal: Option<String>,
    /// The key.
    pub fingerprint: Fingerprint,
}

impl Signer {
    /// Whether this is the one that a lock names: the same key, or another one where the user's own file gives
    /// both keys to one name; the old one need not count any more. The name in the lock is not trusted and
    /// decides nothing. A name with wildcards means many signers, so it does not count.
    pub fn is_same(&self, locked: &Self, allowed: &Allowed) -> bool {
        let name = self.principal.as_deref().filter(|name| !name.contains(['*', '?', '!', ',']));
        self.fingerprint == locked.fingerprint
            || name.is_some_and(|name| {
                let mut lines = allowed.lines.iter();
                lines.any(|line| line.fingerprint == locked.fingerprint && line.principals == name)
            })
    }

    /// Whether a user means this one by a word: its name, or the fingerprint of its key.
    pub fn is_named(&self, word: &str) -> bool {
        self.principal.as_deref() == Some(word) || self.fingerprint.to_string() == word
    }

    /// The word that names it best.
    pub fn word(&self) -> String {
        self.principal.clone().unwrap_or_else(|| self.fingerprint.to_string())
    }
}

impl fmt::Display for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.principal {
            Some(principal) => write!(f, "{principal} {}", self.fingerprint),
            None => self.fingerprint.fmt(f),
        }
    }
}

impl FromStr for Signer {
    type Err = NotASigner;

    fn from_str(text: &str) -> Result<Self, NotASigner> {
        let Some((principal, fingerprint)) = text.rsplit_once(' ') else {
            return Ok(Self { principal: None, fingerprint: text.parse()? });
        };
        if !is_principal(principal) {
            return Err(NotASigner);
        }
        Ok(Self { principal: Some(principal.to_owned()), fingerprint: fingerprint.parse()? })
    }
}

/// Whether a name can be shown and written on one line, and never passes for a fingerprint.
pub(super) fn is_principal(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= PRINCIPAL_LIMIT
        && text.trim() == text
        && text != super::UNSIGNED
        && !text.contains(PREFIX)
        && !text.contains(crate::source::is_unseen)
}
