//! ID tokens: their signature and their claims. RS256, ES256 and `EdDSA`; nothing else is a signature here.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::Value;
use skillful_team::TeamError;

/// Seconds that clocks may differ.
const SKEW: i64 = 60;
/// Bytes of a token.
const TOKEN: usize = 64 << 10;
/// Keys of a provider.
const KEYS: usize = 50;

#[derive(Clone, Debug)]
enum Key {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// The keys of a provider with their ids.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys(Vec<(Option<String>, Key)>);

impl Keys {
    /// The keys of a document that can be used for signatures.
    pub(super) fn of(document: &Value) -> Self {
        let keys = document["keys"].as_array().into_iter().flatten().take(KEYS);
        let usable = keys.filter(|key| key["use"].as_str().is_none_or(|usage| usage == "sig"));
        Self(
            usable
                .filter_map(|key| Some((key["kid"].as_str().map(str::to_owned), Self::one(key)?)))
                .collect(),
        )
    }

    fn one(key: &Value) -> Option<Key> {
        let bytes = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str()?).ok();
        match (key["kty"].as_str()?, key["crv"].as_str()) {
            ("RSA", _) => Some(Key::Rsa { n: bytes("n")?, e: bytes("e")? }),
            ("EC", Some("P-256")) => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                // The uncompressed form: 4, x, y.
                (x.len() == 32 && y.len() == 32)
                    .then(|| Key::P256([&[4], x.as_slice(), y.as_slice()].concat()))
            }
            ("OKP", Some("Ed25519")) => Some(Key::Ed25519(bytes("x")?)),
            _ => None,
        }
    }
}

/// The issuer that a token names. Nothing is checked yet.
pub(super) fn claimed_issuer(token: &str) -> Option<String> {
    if token.len() > TOKEN {
        return None;
    }
    let claims: Value =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?).ok()?;
    claims["iss"].as_str().map(str::to_owned)
}

/// What a token must say.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    /// Of a sign-in; a CI job has none.
    pub(super) nonce: Option<&'a str>,
    /// Seconds since 1970.
    pub(super) now: i64,
}

/// Why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) why: &'static str,
    pub(super) is_unknown_key: bool,
}

impl Refused {
    pub(super) fn error(self) -> TeamError {
        TeamError::Unauthenticated(format!("the ID token of the identity provider was refused: {}", self.why))
    }
}

fn refused(why: &'static str) -> Refused {
    Refused { why, is_unknown_key: false }
}

/// Checks a token; returns its claims.
pub(super) fn verify(token: &str, keys: &Keys, expected: &Expected<'_>) -> Result<Value, Refused> {
    if token.len() > TOKEN {
        return Err(refused("it is too large"));
    }
    let parts: Vec<&str> = token.split('.').collect();
    let [head, body, signature] = parts[..] else { return Err(refused("it does not have three parts")) };
    let json =
        |part: &str| -> Option<Value> { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok() };
    let header = json(head).ok_or(refused("its first part cannot be read"))?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| refused("its signature cannot be read"))?;
    let signed = &token[..head.len() + 1 + body.len()];
    check_signature(&header, signed.as_bytes(), &signature, keys)?;
    let claims = json(body).ok_or(refused("its claims cannot be read"))?;
    check_claims(&claims, expected)?;
    Ok(claims)
}

fn check_signature(header: &Value, signed: &[u8], signature: &[u8], keys: &Keys) -> Result<(), Refused> {
    if header.get("crit").is_some() {
        return Err(refused("it needs an extension that is not known here"));
    }
    let algorithm = header["alg"].as_str().unwrap_or_default();
    if !["RS256", "ES256", "EdDSA"].contains(&algorithm) {
        return Err(refused("its algorithm is not RS256, ES256 or EdDSA"));
    }
    let named = header["kid"].as_str();
    let fits = |key: &Key| {
        matches!(
            (algorithm, key),
            ("RS256", Key::Rsa { .. }) | ("ES256", Key::P256(_)) | ("EdDSA", Key::Ed25519(_))
        )
    };
    let candidates: Vec<&Key> = keys
        .0
        .iter()
        .filter(|(id, key)| fits(key) && named.is_none_or(|named| id.as_deref() == Some(named)))
        .map(|(_, key)| key)
        .collect();
    if candidates.is_empty() {
        return Err(Refused { why: "no key of the provider fits to it", is_unknown_key: true });
    }
    let is_right = candidates.iter().any(|key| match key {
        Key::Rsa { n, e } => {
            RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, signed, signature).is_ok()
        }
        Key::P256(point) => {
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature).is_ok()
        }
        Key::Ed25519(point) => UnparsedPublicKey::new(&ED25519, point).verify(signed, signature).is_ok(),
    });
    if is_right { Ok(()) } else { Err(refused("its signature is wrong")) }
}

fn check_claims(claims: &Value, expected: &Expected<'_>) -> Result<(), Refused> {
    if claims["iss"].as_str() != Some(expected.issuer) {
        return Err(refused("it is of another issuer"));
    }
    let audience: Vec<&str> = match &claims["aud"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !audience.contains(&expected.client_id) {
        return Err(refused("it is for another client"));
    }
    let authorized = claims["azp"].as_str();
    if audience.len() > 1 && authorized.is_none() || authorized.is_some_and(|azp| azp != expected.client_id) {
        return Err(refused("it was given to another client"));
    }
    if expected.nonce.is_some_and(|nonce| claims["nonce"].as_str() != Some(nonce)) {
        return Err(refused("it belongs to another sign-in"));
    }
    let time = |key: &str| claims[key].as_i64();
    if time("exp").is_none_or(|end| end + SKEW <= expected.now) {
        return Err(refused("it has expired"));
    }
    if time("iat").is_none_or(|begun| begun - SKEW > expected.now)
        || time("nbf").is_some_and(|begun| begun - SKEW > expected.now)
    {
        return Err(refused("it is of the future"));
    }
    if claims["sub"].as_str().is_none_or(str::is_empty) {
        return Err(refused("it names no user"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
