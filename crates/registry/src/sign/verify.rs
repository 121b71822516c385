//! The mathematics, by `ring`: a signature either is one of the message by its key, or it is not.

use super::{Fingerprint, NAMESPACE, SignatureFault};
use ring::{
    digest::{SHA256, digest},
    signature::{
        ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_2048_8192_SHA512, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
    },
};
use ssh_key::{
    Algorithm, HashAlg, SshSig,
    public::{EcdsaPublicKey, KeyData, RsaPublicKey},
};

/// Bytes after the signature of a hardware key: flags, and how often it signed.
const HARDWARE_TRAILER: usize = 5;

/// The key that signed the message.
pub(super) fn verify(parsed: &SshSig, message: &[u8]) -> Result<Fingerprint, SignatureFault> {
    let key = parsed.public_key();
    let data = SshSig::signed_data(NAMESPACE, parsed.hash_alg(), message)
        .map_err(|_| SignatureFault::Form("it cannot be read".to_owned()))?;
    let unknown = || SignatureFault::Key(key.algorithm().as_str().to_owned());
    let (signature, algorithm) = (parsed.signature_bytes(), parsed.signature().algorithm());
    let fits = match (key, algorithm) {
        (KeyData::Ed25519(key), Algorithm::Ed25519) => fits(&ED25519, &key.0, &data, signature),
        (KeyData::SkEd25519(key), Algorithm::SkEd25519) => {
            let (data, signature) = hardware(key.application(), &data, signature)?;
            fits(&ED25519, &key.public_key().0, &data, signature)
        }
        (KeyData::Ecdsa(key), Algorithm::Ecdsa { curve }) if key.curve() == curve => {
            ecdsa(key, &data, signature).ok_or_else(unknown)?
        }
        (KeyData::SkEcdsaSha2NistP256(key), Algorithm::SkEcdsaSha2NistP256) => {
            let (data, signature) = hardware(key.application(), &data, signature)?;
            ecdsa(&EcdsaPublicKey::NistP256(*key.ec_point()), &data, signature).ok_or_else(unknown)?
        }
        (KeyData::Rsa(key), Algorithm::Rsa { hash: Some(hash) }) => {
            rsa(key, hash, &data, signature).ok_or_else(unknown)?
        }
        _ => return Err(unknown()),
    };
    if fits { Ok(Fingerprint::of(key)) } else { Err(SignatureFault::Mismatch) }
}

fn fits(algorithm: &'static dyn VerificationAlgorithm, key: &[u8], data: &[u8], signature: &[u8]) -> bool {
    UnparsedPublicKey::new(algorithm, key).verify(data, signature).is_ok()
}

/// What a hardware key really signs, and the signature without what follows it.
fn hardware<'a>(
    application: &str,
    data: &[u8],
    signature: &'a [u8],
) -> Result<(Vec<u8>, &'a [u8]), SignatureFault> {
    let at = signature.len().checked_sub(HARDWARE_TRAILER).ok_or(SignatureFault::Mismatch)?;
    let (signature, trailer) = signature.split_at(at);
    let mut signed = digest(&SHA256, application.as_bytes()).as_ref().to_vec();
    signed.extend_from_slice(trailer);
    signed.extend_from_slice(digest(&SHA256, data).as_ref());
    Ok((signed, signature))
}

/// `None` for a curve that is not known.
fn ecdsa(key: &EcdsaPublicKey, data: &[u8], signature: &[u8]) -> Option<bool> {
    let (algorithm, size): (&'static dyn VerificationAlgorithm, usize) = match key {
        EcdsaPublicKey::NistP256(_) => (&ECDSA_P256_SHA256_FIXED, 32),
        EcdsaPublicKey::NistP384(_) => (&ECDSA_P384_SHA384_FIXED, 48),
        EcdsaPublicKey::NistP521(_) => return None,
    };
    let fixed = numbers(signature, size);
    Some(fixed.is_some_and(|fixed| fits(algorithm, key.as_sec1_bytes(), data, &fixed)))
}

/// The two numbers of a signature, each with as many bytes as the curve has.
fn numbers(mut signature: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut fixed = Vec::with_capacity(2 * size);
    for _ in 0..2 {
        let (length, rest) = signature.split_first_chunk::<4>()?;
        let (number, rest) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
        let number = number.strip_prefix(&[0]).unwrap_or(number);
        fixed.resize(fixed.len() + size.checked_sub(number.len())?, 0);
        fixed.extend_from_slice(number);
        signature = rest;
    }
    signature.is_empty().then_some(fixed)
}

/// `None` for a hash that is not known.
fn rsa(key: &RsaPublicKey, hash: HashAlg, data: &[u8], signature: &[u8]) -> Option<bool> {
    let parameters = match hash {
        HashAlg::Sha256 => &RSA_PKCS1_2048_8192_SHA256,
        HashAlg::Sha512 => &RSA_PKCS1_2048_8192_SHA512,
        _ => return None,
    };
    let (n, e) = (key.n().as_positive_bytes()?, key.e().as_positive_bytes()?);
    Some(RsaPublicKeyComponents { n, e }.verify(parameters, data, signature).is_ok())
}
