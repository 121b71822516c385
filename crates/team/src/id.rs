//! Names that the server gives: random, without meaning; and secrets, which are kept as digests only.

use crate::error::TeamError;
use secrecy::SecretString;
use sha2::{Digest as _, Sha256};

/// Letters and digits that are not mistaken for one another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// What every token of this server begins with, so that scanners find one that leaked.
pub(crate) const TOKEN_PREFIX: &str = "skf_";

/// Random bytes.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], TeamError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| TeamError::Internal(format!("no randomness: {error}")))?;
    Ok(bytes)
}

fn letters(bytes: &[u8]) -> String {
    let (mut out, mut held, mut bits) = (String::new(), 0_u32, 0);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            out.push(char::from(LETTERS[(held >> bits) as usize & 31]));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        out.push(char::from(LETTERS[(held << (5 - bits)) as usize & 31]));
    }
    out
}

/// A new id of a kind: `skill_…`.
pub(crate) fn new_id(kind: &str) -> Result<String, TeamError> {
    Ok(format!("{kind}_{}", letters(&random::<16>()?)))
}

/// A new secret of 256 bits, for sessions and links.
pub(crate) fn new_secret() -> Result<SecretString, TeamError> {
    Ok(letters(&random::<32>()?).into())
}

/// A new token with a checksum.
pub(crate) fn new_token() -> Result<SecretString, TeamError> {
    let secret = letters(&random::<20>()?);
    let sum = &hash(&secret)[..6];
    Ok(format!("{TOKEN_PREFIX}{secret}{sum}").into())
}

/// Whether a text has the form and the checksum of a token, so that other texts need no look into the database.
pub(crate) fn is_token(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(TOKEN_PREFIX) else { return false };
    rest.len() == 38 && rest.is_ascii() && hash(&rest[..32])[..6] == rest[32..]
}

/// The SHA-256 of a text, in hexadecimal.
pub(crate) fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    #[test]
    fn a_token_has_a_checksum_and_an_id_its_kind() {
        let token = new_token().unwrap();
        let token = token.expose_secret();
        assert!(is_token(token), "{token}");
        let last = if token.ends_with('0') { "1" } else { "0" };
        assert!(!is_token(&format!("{}{last}", &token[..token.len() - 1])));
        assert!(!is_token("skf_") && !is_token("sk-ant-x") && !is_token("skf_é"));
        let id = new_id("skill").unwrap();
        assert!(id.starts_with("skill_") && id.len() == 6 + 26, "{id}");
        assert_ne!(id, new_id("skill").unwrap());
    }

    #[test]
    fn letters_hold_every_bit() {
        assert_eq!(letters(&[0xff]), "zw");
        assert_eq!(letters(&[0, 0, 0, 0, 1]), "00000001");
        assert_eq!(letters(&[0x08, 0x42, 0x10, 0x84, 0x21]), "11111111");
    }
}
