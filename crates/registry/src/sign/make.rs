//! Making a signature: here for a plain Ed25519 key, by `ssh-keygen` for all that needs a passphrase, an agent or a
//! hand on a piece of hardware. Either way it is checked before it is given out.

use super::{
    Fingerprint, NAMESPACE, Signature, SignatureFault, armour, message,
    program::{self, ProgramError},
    verify,
};
use ring::signature::Ed25519KeyPair;
use skillful_format::Digest;
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, SshSig, private::Ed25519Keypair, public::KeyData};
use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// A larger file is not a key.
const KEY_LIMIT: u64 = 64 << 10;

/// Why there is no signature.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// There is no key.
    #[error("there is no key `{}`; name one, or make one with `ssh-keygen -t ed25519`", .0.display())]
    NoKey(PathBuf),
    /// The disk refused.
    #[error("the key `{}` cannot be read: {error}", path.display())]
    Disk {
        /// The key's file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// `ssh-keygen` did not sign.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// What was made would not be accepted.
    #[error("the signature with `{}` {fault}", key.display())]
    Unfit {
        /// The key's file.
        key: PathBuf,
        /// Why.
        fault: SignatureFault,
    },
}

/// Signs a tree with the key in a file: a private one, or the public one of a key that an agent holds. Whatever
/// needs a user is left to `ssh-keygen`, which gets a few of the variables by name and speaks with the terminal.
pub fn sign(
    tree: &Digest,
    key: &Path,
    variables: &BTreeMap<String, String>,
) -> Result<(Signature, Fingerprint), SignError> {
    let message = message(tree);
    let signature = match plain_key(key)? {
        Some(pair) => native(&pair, message.as_bytes()),
        None => None,
    };
    let signature = match signature {
        Some(signature) => signature,
        None => Signature::new(program::sign(key, message.as_bytes(), variables)?),
    };
    match armour::read(&signature).and_then(|parsed| verify::verify(&parsed, message.as_bytes())) {
        Ok(fingerprint) => Ok((signature, fingerprint)),
        Err(fault) => Err(SignError::Unfit { key: key.to_path_buf(), fault }),
    }
}

/// The key of a file when it needs neither a passphrase nor an agent.
fn plain_key(path: &Path) -> Result<Option<Ed25519Keypair>, SignError> {
    let disk = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => SignError::NoKey(path.to_path_buf()),
        _ => SignError::Disk { path: path.to_path_buf(), error },
    };
    // Room for all of it, so that no copy is left behind by growing.
    let mut bytes = Zeroizing::new(Vec::with_capacity(usize::try_from(KEY_LIMIT).unwrap_or_default()));
    std::fs::File::open(path).map_err(disk)?.take(KEY_LIMIT).read_to_end(&mut bytes).map_err(disk)?;
    let key = PrivateKey::from_openssh(&*bytes).ok();
    Ok(key.and_then(|key| key.key_data().ed25519().cloned()))
}

fn native(pair: &Ed25519Keypair, message: &[u8]) -> Option<Signature> {
    let seed = Zeroizing::new(pair.private.to_bytes());
    let signer = Ed25519KeyPair::from_seed_and_public_key(&*seed, &pair.public.0).ok()?;
    let data = SshSig::signed_data(NAMESPACE, HashAlg::Sha512, message).ok()?;
    let signature = ssh_key::Signature::new(Algorithm::Ed25519, signer.sign(&data).as_ref()).ok()?;
    let signed = SshSig::new(KeyData::Ed25519(pair.public), NAMESPACE, HashAlg::Sha512, signature).ok()?;
    let mut text = signed.to_pem(LineEnding::LF).ok()?.trim_end().to_owned();
    text.push('\n');
    Some(Signature::new(text.into_bytes()))
}
