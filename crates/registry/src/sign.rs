//! Who signed a skill. `SKILL.sig` at the top of a skill is an SSH signature of all its other files.
//!
//! What is signed is one line, the digest of the tree, in the namespace `skillful`. So nothing of ours is needed
//! to check it:
//!
//! ```sh
//! printf 'sha256:…\n' | ssh-keygen -Y verify -f allowed_signers -I WHO -n skillful -s SKILL.sig
//! ```
//!
//! The file is not part of the tree: it is split off when a skill is fetched, is never installed, and is kept
//! beside the tree in the content store. The user names the owners of keys in a file of OpenSSH's own format.

mod allowed;
mod armour;
mod judge;
mod make;
mod program;
mod recheck;
mod signer;
#[cfg(test)]
mod tests;
mod verify;

pub use allowed::{
    ALLOWED_FILE, ALLOWED_LIMIT, Allowed, AllowedError, AllowedLine, AllowedLoss, KeyFileError,
};
pub use armour::SignatureFault;
pub use judge::{SignatureDecision, Signing, UNSIGNED};
pub use make::{SignError, sign};
pub use recheck::{Rechecked, recheck, recheck_one};
pub use signer::{Fingerprint, NotASigner, Signer};

use crate::atomic_write::AtomicWriter;
use cap_std::{ambient_authority, fs::Dir};
use skillful_format::{Digest, Limits, Tree};
use std::{io, path::Path};

/// The name of the signature, at the top of a skill.
pub const SIGNATURE_FILE: &str = "SKILL.sig";
/// A larger file is not a signature; the largest real ones, of RSA keys with 16,384 bits, are half of it.
pub const SIGNATURE_LIMIT: usize = 16 << 10;
/// What signatures are made for, so that none for something else passes for one of a skill.
pub const NAMESPACE: &str = "skillful";

/// A signature as it arrived: any bytes. Only [`check`] verifies them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature(Vec<u8>);

impl Signature {
    /// Takes the bytes of a file.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes of the file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The result of checking a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signed {
    /// There is none.
    Unsigned,
    /// By a signer that the user's file of signers names.
    Known(Signer),
    /// By a key that the file does not name, or no longer.
    Unknown {
        /// The key.
        fingerprint: Fingerprint,
        /// Lines of the file that name the key and do not count, each with the reason.
        unfit: Vec<String>,
    },
    /// It does not match these files. Nothing with such a signature is installed.
    Bad(SignatureFault),
}

impl Signed {
    /// Who signed, when it is signed.
    pub fn signer(&self) -> Option<Signer> {
        match self {
            Self::Known(signer) => Some(signer.clone()),
            Self::Unknown { fingerprint, .. } => Some(Signer { principal: None, fingerprint: *fingerprint }),
            Self::Unsigned | Self::Bad(_) => None,
        }
    }
}

/// What is signed for a tree, byte for byte.
pub fn message(tree: &Digest) -> String {
    format!("{tree}\n")
}

/// Checks the signature of a tree at a time, in seconds since 1970.
pub fn check(tree: &Digest, signature: Option<&Signature>, allowed: &Allowed, now: i64) -> Signed {
    let Some(signature) = signature else { return Signed::Unsigned };
    match armour::read(signature).and_then(|parsed| verify::verify(&parsed, message(tree).as_bytes())) {
        Ok(fingerprint) => allowed.find(fingerprint, now),
        Err(fault) => Signed::Bad(fault),
    }
}

/// Writes the signature of the skill in a folder: staged beside it, synced, renamed.
pub fn write(folder: &Path, signature: &Signature, writer: &AtomicWriter) -> io::Result<()> {
    let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
    writer.write_file(&folder, SIGNATURE_FILE, signature.as_bytes())
}

/// Takes the signature out of the files of a skill.
pub fn split(tree: &mut Tree) -> Option<Signature> {
    let signature = Signature::new(tree.get(SIGNATURE_FILE)?.bytes.clone());
    let limits = Limits::default();
    let mut rest = Tree::default();
    for (path, file) in tree.iter().filter(|(path, _)| path.as_str() != SIGNATURE_FILE) {
        // What was in a tree fits into one with fewer files.
        drop(rest.insert(path.clone(), file.clone(), &limits));
    }
    *tree = rest;
    Some(signature)
}
