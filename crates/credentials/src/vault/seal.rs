//! Encrypting bytes with a key: XChaCha20-Poly1305 behind a header that names the version.
//!
//! The header is part of what is authenticated, so a file cannot be passed off as one of another
//! version. A nonce is random and long enough never to repeat.

use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use zeroize::Zeroizing;

/// What a vault begins with; the number is the version of all that follows.
const HEADER: &[u8] = b"skillful secrets 1\n";
/// The part of the header that every version shares.
const FAMILY: &[u8] = b"skillful secrets ";
/// Bytes of a nonce.
const NONCE: usize = 24;
/// Bytes of a key.
pub(super) const KEY: usize = 32;

/// Why encrypted bytes do not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SealError {
    /// They do not begin with our header.
    Foreign,
    /// Their version is unknown.
    Version,
    /// The key is another one, or the bytes were changed.
    Key,
}

/// A key; wiped when dropped.
pub(super) struct Key(Zeroizing<[u8; KEY]>);

impl Key {
    /// The key in the bytes of a key file.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut key = Zeroizing::new([0; KEY]);
        (bytes.len() == KEY).then(|| key.copy_from_slice(bytes))?;
        Some(Self(key))
    }

    /// A new key, from the system's randomness.
    pub(super) fn random() -> Result<Self, std::io::Error> {
        let mut key = Zeroizing::new([0; KEY]);
        getrandom::fill(&mut *key).map_err(std::io::Error::other)?;
        Ok(Self(key))
    }

    /// The bytes for a key file.
    pub(super) fn bytes(&self) -> &[u8] {
        &*self.0
    }

    /// Encrypts bytes.
    pub(super) fn seal(&self, plain: &[u8]) -> Result<Vec<u8>, std::io::Error> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(std::io::Error::other)?;
        let payload = Payload { msg: plain, aad: HEADER };
        let locked = self.cipher()?.encrypt(&XNonce::from(nonce), payload);
        let locked = locked.map_err(|_| std::io::Error::other("the secrets could not be encrypted"))?;
        Ok([HEADER, &nonce, &locked].concat())
    }

    /// Decrypts what [`Self::seal`] encrypted.
    pub(super) fn open(&self, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let Some(rest) = sealed.strip_prefix(HEADER) else {
            return Err(if sealed.starts_with(FAMILY) { SealError::Version } else { SealError::Foreign });
        };
        let (nonce, locked) = rest.split_first_chunk::<NONCE>().ok_or(SealError::Key)?;
        let payload = Payload { msg: locked, aad: HEADER };
        let cipher = self.cipher().map_err(|_| SealError::Key)?;
        cipher.decrypt(&XNonce::from(*nonce), payload).map(Zeroizing::new).map_err(|_| SealError::Key)
    }

    fn cipher(&self) -> Result<XChaCha20Poly1305, std::io::Error> {
        XChaCha20Poly1305::new_from_slice(&*self.0).map_err(std::io::Error::other)
    }
}
