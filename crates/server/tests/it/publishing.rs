//! Publishing from CI: identities that an issuer on loopback signs.

use crate::running::{Answer, Running};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use skillful_team::Role;
use skillful_testkit::{FileServer, Served};
use std::{
    sync::{Arc, OnceLock},
    time::{SystemTime, UNIX_EPOCH},
};

struct Ci {
    server: FileServer,
    key: Ed25519KeyPair,
}

impl Ci {
    fn start(seed: u8) -> Self {
        let key = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap();
        let x = URL_SAFE_NO_PAD.encode(key.public_key().as_ref());
        let address: Arc<OnceLock<String>> = Arc::default();
        let own = Arc::clone(&address);
        let server = FileServer::with(move |path| {
            let issuer = own.get().unwrap();
            match path {
                "/.well-known/openid-configuration" => Served::File(
                    "application/json",
                    json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") })
                        .to_string()
                        .into_bytes(),
                ),
                "/keys" => Served::File(
                    "application/json",
                    json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "one", "x": x }] })
                        .to_string()
                        .into_bytes(),
                ),
                _ => Served::Status(404),
            }
        });
        address.set(server.url()).unwrap();
        Self { server, key }
    }

    fn sign(&self, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({ "alg": "EdDSA", "kid": "one" })), part(claims));
        let signature = URL_SAFE_NO_PAD.encode(self.key.sign(signed.as_bytes()).as_ref());
        format!("{signed}.{signature}")
    }

    /// The identity of a job, with some claims changed.
    fn job(&self, audience: &str, jti: &str, changed: &Value) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut claims = json!({
            "iss": self.server.url(), "aud": audience, "sub": "repo:acme/skills:ref:refs/heads/main",
            "repository": "acme/skills", "ref": "refs/heads/main", "jti": jti, "iat": now, "exp": now + 300,
        });
        for (key, value) in changed.as_object().unwrap() {
            claims[key] = value.clone();
        }
        claims
    }
}

#[test]
fn a_job_of_one_repository_publishes_one_skill_for_half_an_hour_and_no_other_job_does() {
    let server = Running::start_open();
    let admin = server.user("admin", &[Role::OrgAdmin]);
    let ci = Ci::start(7);
    let audience = format!("http://127.0.0.1:{}", server.port);
    let publisher = json!({
        "name": "skills repository", "issuer": ci.server.url(), "bound": "org/pdf",
        "claims": { "repository": "acme/skills", "ref": "refs/heads/main" },
    });
    let made = server.call(&admin, "POST", "/api/v1/admin/publishers", &publisher);
    assert_eq!(made.status, 201, "{:?}", made.json());
    let exchange = |token: &str| -> Answer {
        let head = [("content-type", "application/json")];
        let body = json!({ "token": token }).to_string();
        server.ask("POST", "/api/v1/publish/exchange", &head, body.as_bytes())
    };
    let good = ci.sign(&ci.job(&audience, "1", &json!({})));
    let answer = exchange(&good);
    assert_eq!(answer.status, 201, "{:?}", answer.json());
    let token = answer.json()["token"].as_str().unwrap().to_owned();
    let twice = exchange(&good);
    assert_eq!(twice.status, 401);
    assert!(twice.json()["detail"].as_str().unwrap().contains("exchanged already"));
    // Another repository, branch, audience, time, key, issuer; no jti; a changed byte; not a token.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let other = Ci::start(8);
    let mut forged = ci.job(&audience, "2", &json!({}));
    let refused = [
        ci.sign(&ci.job(&audience, "3", &json!({ "repository": "evil/skills" }))),
        ci.sign(&ci.job(&audience, "4", &json!({ "repository": ["acme/skills"] }))),
        ci.sign(&ci.job(&audience, "5", &json!({ "ref": "refs/pull/1/merge" }))),
        ci.sign(&ci.job("https://other.example", "6", &json!({}))),
        ci.sign(&ci.job(&audience, "7", &json!({ "exp": now - 3_600 }))),
        ci.sign(&ci.job(&audience, "8", &json!({ "iat": now + 3_600 }))),
        ci.sign(&ci.job(&audience, "", &json!({}))),
        other.sign(&ci.job(&audience, "9", &json!({}))),
        other.sign(&other.job(&audience, "10", &json!({}))),
        {
            forged["repository"] = json!("acme/skills");
            format!("{}x", ci.sign(&forged))
        },
        "a.b.c".to_owned(),
        String::new(),
    ];
    for (at, identity) in refused.iter().enumerate() {
        let answer = exchange(identity);
        assert_eq!(answer.status, 401, "{at}: {:?}", answer.json());
    }
    assert_eq!(other.server.asked(), Vec::<String>::new(), "an issuer that is not named is not asked");
    // The token publishes that skill, and does nothing else.
    let stored = server.upload(&token, "/api/v1/publish", "pdf", "One.");
    assert_eq!(stored.status, 201, "{:?}", stored.json());
    let stored = stored.json();
    assert_eq!(
        (&stored["version"]["state"], &stored["skill"]["scope"]["kind"]),
        (&json!("pending"), &json!("org"))
    );
    let second = server.upload(&token, "/api/v1/publish", "pdf", "Two.").json();
    assert_eq!(second["version"]["number"], 2);
    let id = stored["skill"]["id"].as_str().unwrap();
    let wrong = server.upload(&token, "/api/v1/publish", "other", "One.");
    assert_eq!(wrong.status, 403);
    assert_eq!(wrong.json()["detail"], "this token publishes only the skill `pdf`");
    assert_eq!(server.upload(&token, "/api/v1/skills", "pdf", "One.").status, 403, "an own skill");
    for (method, path, body) in [
        ("DELETE", format!("/api/v1/skills/{id}"), Value::Null),
        ("PATCH", format!("/api/v1/skills/{id}"), json!({ "title": "x" })),
        ("GET", "/api/v1/skills".to_owned(), Value::Null),
        ("GET", "/api/v1/admin/users".to_owned(), Value::Null),
        ("POST", "/api/v1/me/tokens".to_owned(), json!({ "name": "x", "scopes": ["admin"] })),
    ] {
        let answer = server.call(&token, method, &path, &body);
        assert_eq!(answer.status, 403, "{method} {path}: {:?}", answer.json());
    }
    // Its author cannot approve what the job published.
    let proposal = stored["proposal"].as_str().unwrap();
    let decision = json!({ "digest": stored["version"]["tree"] });
    let own = server.call(&admin, "POST", &format!("/api/v1/proposals/{proposal}/approve"), &decision);
    assert_eq!(own.status, 403);
    // Without the publisher its tokens end.
    let publisher = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        server.call(&admin, "DELETE", &format!("/api/v1/admin/publishers/{publisher}"), &Value::Null).status,
        204
    );
    assert_eq!(server.upload(&token, "/api/v1/publish", "pdf", "Three.").status, 401);
    let whole = server.call(&admin, "GET", "/api/v1/admin/audit/check", &Value::Null).json();
    assert_eq!(whole["is_whole"], true);
}

#[test]
fn a_publisher_needs_a_claim_that_names_a_project_and_an_issuer_that_may_be_reached() {
    let server = Running::start();
    let admin = server.user("admin", &[Role::OrgAdmin]);
    let with = |issuer: &str, claims: Value, bound: &str| {
        let body = json!({ "name": "x", "issuer": issuer, "claims": claims, "bound": bound });
        server.call(&admin, "POST", "/api/v1/admin/publishers", &body)
    };
    let repository = json!({ "repository": "acme/skills" });
    for (answer, why) in [
        (with("https://ci.example", json!({}), "org"), "at least one claim"),
        (with("https://ci.example", json!({ "ref": "refs/heads/main" }), "org"), "at least one claim"),
        (with("http://ci.example", repository.clone(), "org"), "use https"),
        (with("https://127.0.0.1", repository.clone(), "org"), "private network"),
        (with("https://ci.example", repository.clone(), "everything"), "where it publishes"),
        (with("https://ci.example", repository.clone(), "org/Not A Name"), "name of the skill"),
    ] {
        let detail = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(answer.status == 400 && detail.contains(why), "{why}: {detail}");
    }
    assert_eq!(with("https://ci.example", repository.clone(), "group:none").status, 404);
    assert_eq!(with("https://ci.example", repository, "org").status, 201);
    let member = server.user("ada", &[]);
    assert_eq!(server.call(&member, "GET", "/api/v1/admin/publishers", &Value::Null).status, 403);
}
