use super::*;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _},
};
use serde_json::json;

struct Signer {
    ed: Ed25519KeyPair,
    ec: EcdsaKeyPair,
}

impl Signer {
    fn new() -> Self {
        let random = SystemRandom::new();
        let ed = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let ec = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        Self {
            ed: Ed25519KeyPair::from_pkcs8(ed.as_ref()).unwrap(),
            ec: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, ec.as_ref(), &random).unwrap(),
        }
    }

    fn keys(&self) -> Keys {
        let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let point = self.ec.public_key().as_ref();
        Keys::of(&json!({ "keys": [
            { "kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": part(self.ed.public_key().as_ref()) },
            { "kty": "EC", "crv": "P-256", "kid": "ec", "use": "sig", "x": part(&point[1..33]), "y": part(&point[33..]) },
            { "kty": "EC", "crv": "P-256", "kid": "other", "use": "enc", "x": part(&point[1..33]), "y": part(&point[33..]) },
            { "kty": "oct", "kid": "secret", "k": "AAAA" },
        ]}))
    }

    fn token(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature = match header["alg"].as_str() {
            Some("ES256") => self.ec.sign(&SystemRandom::new(), signed.as_bytes()).unwrap().as_ref().to_vec(),
            Some("none") => Vec::new(),
            _ => self.ed.sign(signed.as_bytes()).as_ref().to_vec(),
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

const NOW: i64 = 1_800_000_000;

fn claims() -> Value {
    json!({ "iss": "https://id.example", "aud": "skills", "sub": "ada", "nonce": "n", "exp": NOW + 300, "iat": NOW - 5 })
}

fn expected() -> Expected<'static> {
    Expected { issuer: "https://id.example", client_id: "skills", nonce: Some("n"), now: NOW }
}

#[test]
fn a_token_of_each_kind_of_key_is_accepted() {
    let signer = Signer::new();
    for header in
        [json!({"alg": "EdDSA", "kid": "ed"}), json!({"alg": "ES256", "kid": "ec"}), json!({"alg": "ES256"})]
    {
        let token = signer.token(&header, &claims());
        assert_eq!(verify(&token, &signer.keys(), &expected()).unwrap()["sub"], "ada", "{header}");
    }
}

#[test]
fn a_token_with_anything_wrong_is_refused_with_the_reason() {
    let signer = Signer::new();
    let good = json!({"alg": "EdDSA", "kid": "ed"});
    let with = |key: &str, value: Value| {
        let mut claims = claims();
        claims[key] = value;
        claims
    };
    for (header, claims, why) in [
        (json!({"alg": "none"}), claims(), "its algorithm is not RS256, ES256 or EdDSA"),
        (json!({"alg": "HS256", "kid": "secret"}), claims(), "its algorithm is not RS256, ES256 or EdDSA"),
        (json!({"alg": "EdDSA", "kid": "missing"}), claims(), "no key of the provider fits to it"),
        (json!({"alg": "ES256", "kid": "ed"}), claims(), "no key of the provider fits to it"),
        (json!({"alg": "ES256", "kid": "other"}), claims(), "no key of the provider fits to it"),
        (
            json!({"alg": "EdDSA", "kid": "ed", "crit": ["x"]}),
            claims(),
            "it needs an extension that is not known here",
        ),
        (good.clone(), with("iss", json!("https://evil.example")), "it is of another issuer"),
        (good.clone(), with("aud", json!("other")), "it is for another client"),
        (good.clone(), with("aud", json!(["other", "third"])), "it is for another client"),
        (good.clone(), with("aud", json!(["skills", "other"])), "it was given to another client"),
        (good.clone(), with("azp", json!("other")), "it was given to another client"),
        (good.clone(), with("nonce", json!("m")), "it belongs to another sign-in"),
        (good.clone(), with("nonce", Value::Null), "it belongs to another sign-in"),
        (good.clone(), with("exp", json!(NOW - 61)), "it has expired"),
        (good.clone(), with("exp", Value::Null), "it has expired"),
        (good.clone(), with("iat", json!(NOW + 61)), "it is of the future"),
        (good.clone(), with("nbf", json!(NOW + 61)), "it is of the future"),
        (good.clone(), with("sub", json!("")), "it names no user"),
    ] {
        let token = signer.token(&header, &claims);
        assert_eq!(verify(&token, &signer.keys(), &expected()).unwrap_err().why, why, "{header} {claims}");
    }
    let two = signer.token(&good, &with("aud", json!(["skills", "other"])));
    assert!(verify(&two, &signer.keys(), &expected()).is_err());
    let mut both = with("aud", json!(["skills", "other"]));
    both["azp"] = json!("skills");
    assert!(verify(&signer.token(&good, &both), &signer.keys(), &expected()).is_ok());
}

#[test]
fn a_changed_byte_or_another_key_is_a_wrong_signature() {
    let (signer, other) = (Signer::new(), Signer::new());
    let header = json!({"alg": "EdDSA", "kid": "ed"});
    let token = signer.token(&header, &claims());
    assert_eq!(verify(&token, &other.keys(), &expected()).unwrap_err().why, "its signature is wrong");
    let mut changed = claims();
    changed["sub"] = json!("mallory");
    let forged = signer.token(&header, &changed);
    let body = forged.split('.').nth(1).unwrap();
    let parts: Vec<&str> = token.split('.').collect();
    let swapped = format!("{}.{body}.{}", parts[0], parts[2]);
    assert_eq!(verify(&swapped, &signer.keys(), &expected()).unwrap_err().why, "its signature is wrong");
    for garbage in ["", ".", "..", "a.b", "a.b.c.d", "é.é.é"] {
        assert!(verify(garbage, &signer.keys(), &expected()).is_err(), "{garbage}");
    }
    assert!(verify(&"x".repeat(70_000), &signer.keys(), &expected()).is_err());
}
