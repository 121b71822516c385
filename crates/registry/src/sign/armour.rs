//! The signature's file, read strictly: one signature has one spelling, so that no byte of it is without meaning.

use super::{NAMESPACE, SIGNATURE_LIMIT, Signature};
use ssh_key::{LineEnding, SshSig};

/// Why a signature is not one of these files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFault {
    /// Too many bytes.
    #[error("is larger than {SIGNATURE_LIMIT} bytes, which no signature is")]
    TooLarge,
    /// Not what `ssh-keygen -Y sign` writes.
    #[error("is not in the form that `ssh-keygen -Y sign` writes ({0}); sign the skill again")]
    Form(String),
    /// Made for something else.
    #[error("was made for `{0}` and not for a skill (`{NAMESPACE}`)")]
    Namespace(String),
    /// A kind of key that cannot be checked.
    #[error(
        "was made with `{0}`, which cannot be checked; Ed25519, ECDSA (P-256, P-384), RSA from 2048 bits and hardware keys can"
    )]
    Key(String),
    /// The files are not those that were signed.
    #[error("does not fit the files: they or it were changed after the signing")]
    Mismatch,
    /// By another key than the one it is kept for.
    #[error("is of another key than the lock names")]
    OtherKey,
}

/// Reads the armour, and refuses what would be read another way elsewhere.
pub(super) fn read(signature: &Signature) -> Result<SshSig, SignatureFault> {
    let form = |why: &str| SignatureFault::Form(why.to_owned());
    if signature.as_bytes().len() > SIGNATURE_LIMIT {
        return Err(SignatureFault::TooLarge);
    }
    let text = std::str::from_utf8(signature.as_bytes()).map_err(|_| form("it is not text"))?;
    // A checkout may have written the other line ends.
    let text = text.replace("\r\n", "\n");
    let parsed = SshSig::from_pem(&text).map_err(|_| form("it cannot be read"))?;
    let again = parsed.to_pem(LineEnding::LF).map_err(|_| form("it cannot be read"))?;
    // The version and the reserved part are not signed, so they must be what they always are.
    if parsed.version() != SshSig::VERSION || !parsed.reserved().is_empty() {
        return Err(form("it is of another version"));
    }
    if again.trim_end() != text.strip_suffix('\n').unwrap_or(&text) {
        return Err(form("it is spelled another way"));
    }
    if parsed.namespace() != NAMESPACE {
        let shown = parsed.namespace().chars().filter(|c| !crate::source::is_unseen(*c)).take(60);
        return Err(SignatureFault::Namespace(shown.collect()));
    }
    Ok(parsed)
}
