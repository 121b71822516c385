//! Signing in to a server on the network that asks for it: an authorization code with PKCE, received at an address of
//! this machine, as the authorization part of the Model Context Protocol describes.
//!
//! The page of the authorization server is the user's to open. What it returns counts only with the state that we sent,
//! for the issuer that the server names; codes and tokens go to the addresses of that issuer and nowhere else.

mod discovery;
mod redirect;
mod store;

use super::{declare::Endpoint, http, text::quote};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use discovery::AuthorizationServer;
use redirect::Redirect;
use reqwest::{Client, Url};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::{fmt, time::Duration};
pub use store::SignInStore;

/// Bytes of a document of an authorization server that are read.
const DOCUMENT: usize = 256 << 10;
/// One request to an authorization server.
const REQUEST: Duration = Duration::from_secs(30);
/// A token that ends within this time is renewed first.
const MARGIN: u64 = 60;

/// Why the user is not signed in. Holds no code and no token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignInError {
    /// The server does not say where to sign in, or says it wrongly.
    #[error("{0}")]
    Discovery(String),
    /// The authorization server cannot be reached.
    #[error("`{address}` cannot be reached: {why}")]
    Unreachable {
        /// Its address.
        address: String,
        /// Why.
        why: String,
    },
    /// The authorization server refused.
    #[error("the authorization server refused: {0}")]
    Refused(String),
    /// The user did not sign in in time.
    #[error("the user did not sign in within {} s", .0.as_secs())]
    Timeout(Duration),
    /// This machine could not listen for the answer.
    #[error("the answer cannot be received: {0}")]
    Listen(String),
}

/// What a server says when it wants its user to sign in: the header `WWW-Authenticate`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Challenge {
    /// Where the server describes itself.
    pub resource_metadata: Option<String>,
    /// The scopes it wants.
    pub scope: Option<String>,
}

impl Challenge {
    /// Reads a header.
    pub fn read(header: &str) -> Self {
        Self { resource_metadata: parameter(header, "resource_metadata"), scope: parameter(header, "scope") }
    }
}

/// A parameter of a challenge, quoted or not.
fn parameter(header: &str, name: &str) -> Option<String> {
    let start = header.match_indices(name).find_map(|(at, _)| {
        let before = header[..at].chars().next_back();
        let is_word = before.is_none_or(|c| c == ' ' || c == ',');
        header[at + name.len()..].trim_start().strip_prefix('=').filter(|_| is_word)
    })?;
    let start = start.trim_start();
    let value = match start.strip_prefix('"') {
        Some(rest) => rest.split('"').next()?,
        None => start.split([',', ' ']).next()?,
    };
    Some(value.to_owned()).filter(|value| !value.is_empty())
}

/// A sign-in that can be kept: it belongs in a vault.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSignIn {
    resource: String,
    token_endpoint: String,
    client_id: String,
    client_secret: Option<String>,
    access_token: String,
    refresh_token: Option<String>,
    /// Seconds since 1970.
    expires_at: Option<u64>,
}

/// Without what is secret.
impl fmt::Debug for SavedSignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedSignIn").field("resource", &self.resource).finish_non_exhaustive()
    }
}

impl SavedSignIn {
    /// The header that shows it to the server.
    pub fn header(&self) -> (String, String) {
        ("authorization".to_owned(), format!("Bearer {}", self.access_token))
    }

    /// Whether it must be renewed before it is used.
    pub fn is_over(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|end| end <= now + MARGIN)
    }

    /// Renews it, without the user.
    pub async fn renewed(&self, endpoint: &Endpoint, now: u64) -> Result<Self, SignInError> {
        let Some(refresh) = &self.refresh_token else {
            return Err(SignInError::Refused("the sign-in has ended".to_owned()));
        };
        let client =
            http::sign_in_client(endpoint).map_err(|error| SignInError::Discovery(error.to_string()))?;
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.as_str()),
            ("client_id", self.client_id.as_str()),
            ("resource", self.resource.as_str()),
        ];
        let mut next = self.token(&client, &fields, now).await?;
        if next.refresh_token.is_none() {
            next.refresh_token.clone_from(&self.refresh_token);
        }
        Ok(next)
    }

    /// Asks for a token, and keeps it with what is known.
    async fn token(&self, client: &Client, fields: &[(&str, &str)], now: u64) -> Result<Self, SignInError> {
        let secret = self.client_secret.as_deref().map(|secret| ("client_secret", secret));
        let fields: Vec<(&str, &str)> = fields.iter().copied().chain(secret).collect();
        let request = client
            .post(&self.token_endpoint)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form(&fields));
        let answer = answer(request, &self.token_endpoint).await?;
        let text = |key: &str| answer.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = text("token_type").unwrap_or_default();
        let (Some(access_token), true) = (text("access_token"), kind.eq_ignore_ascii_case("bearer")) else {
            return Err(SignInError::Refused("it returned no bearer token".to_owned()));
        };
        let lasts = answer.get("expires_in").and_then(Value::as_u64);
        Ok(Self {
            access_token,
            refresh_token: text("refresh_token"),
            expires_at: lasts.map(|lasts| now.saturating_add(lasts)),
            ..self.clone()
        })
    }
}

/// A sign-in that waits for its user.
pub struct SignIn {
    client: Client,
    server: AuthorizationServer,
    page: String,
    redirect: Redirect,
    state: String,
    verifier: String,
    empty: SavedSignIn,
}

impl SignIn {
    /// Finds out where to sign in, makes this program known there, and listens for the answer. `client_id` is for
    /// a server at which programs cannot register themselves.
    pub async fn prepare(
        endpoint: &Endpoint,
        challenge: &Challenge,
        client_id: Option<&str>,
    ) -> Result<Self, SignInError> {
        let client =
            http::sign_in_client(endpoint).map_err(|error| SignInError::Discovery(error.to_string()))?;
        let url = Url::parse(&endpoint.url).map_err(|error| SignInError::Discovery(error.to_string()))?;
        let found = discovery::find(&client, &url, endpoint.reach, challenge).await?;
        let server = found.server;
        let redirect = Redirect::listen()?;
        let (client_id, client_secret) = match (client_id, &server.registration_endpoint) {
            (Some(id), _) => (id.to_owned(), None),
            (None, Some(address)) => register(&client, address, redirect.address()).await?,
            (None, None) => {
                let why =
                    "programs cannot register at its authorization server; name a `client_id` for the server";
                return Err(SignInError::Discovery(why.to_owned()));
            }
        };
        let (state, verifier) = (random(), random());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        let mut page = Url::parse(&server.authorization_endpoint)
            .map_err(|error| SignInError::Discovery(error.to_string()))?;
        page.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &client_id)
            .append_pair("redirect_uri", redirect.address())
            .append_pair("state", &state)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &found.resource);
        if let Some(scope) = &found.scope {
            page.query_pairs_mut().append_pair("scope", scope);
        }
        if found.asks_consent {
            page.query_pairs_mut().append_pair("prompt", "consent");
        }
        let empty = SavedSignIn {
            resource: found.resource,
            token_endpoint: server.token_endpoint.clone(),
            client_id,
            client_secret,
            access_token: String::new(),
            refresh_token: None,
            expires_at: None,
        };
        Ok(Self { client, server, page: page.to_string(), redirect, state, verifier, empty })
    }

    /// The page that the user opens.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// The host at which the user signs in.
    pub fn issuer(&self) -> &str {
        &self.server.issuer
    }

    /// Waits until the user signed in. `is_cancelled` ends the wait.
    pub async fn finish(
        self,
        within: Duration,
        now: u64,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<SavedSignIn, SignInError> {
        let code = self.redirect.code(&self.state, &self.server.issuer, within, is_cancelled).await?;
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", self.redirect.address()),
            ("client_id", self.empty.client_id.as_str()),
            ("code_verifier", self.verifier.as_str()),
            ("resource", self.empty.resource.as_str()),
        ];
        self.empty.token(&self.client, &fields, now).await
    }
}

/// Registers this program as a client that keeps no secret.
async fn register(
    client: &Client,
    address: &str,
    redirect: &str,
) -> Result<(String, Option<String>), SignInError> {
    let us = json!({
        "client_name": "Skillful",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    });
    let known = answer(client.post(address).json(&us), address).await?;
    let text = |key: &str| known.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = text("client_id").ok_or_else(|| SignInError::Refused("it gave no `client_id`".to_owned()))?;
    Ok((id, text("client_secret")))
}

/// The answer to a request, bounded. An error of the server is repeated in its own words, quoted and cut.
async fn answer(request: reqwest::RequestBuilder, address: &str) -> Result<Value, SignInError> {
    let unreachable = |why: String| SignInError::Unreachable { address: address.to_owned(), why };
    let request = request.header("accept", "application/json").timeout(REQUEST);
    let mut response = request.send().await.map_err(|error| unreachable(quote(&error.to_string())))?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(quote(&error.to_string())))? {
        if body.len() + chunk.len() > DOCUMENT {
            return Err(unreachable(format!("it sent more than {DOCUMENT} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    let value: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    if status.is_success() && value.is_object() {
        return Ok(value);
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(quote);
    let why = text("error_description").or_else(|| text("error"));
    Err(SignInError::Refused(why.unwrap_or_else(|| format!("HTTP {status}"))))
}

/// Fields as the body of a form.
fn form(fields: &[(&str, &str)]) -> String {
    let Ok(mut url) = Url::parse("http://localhost/") else { return String::new() };
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap_or_default().to_owned()
}

/// A text that cannot be guessed.
fn random() -> String {
    let mut bytes = [0; 32];
    // Without randomness nothing could be signed in to safely.
    #[expect(clippy::expect_used, reason = "a system without randomness cannot run this program")]
    getrandom::fill(&mut bytes).expect("randomness of the system");
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_read_with_and_without_quotes() {
        let header =
            r#"Bearer error="invalid_token", resource_metadata="https://a/.well-known/x", scope="a b""#;
        let read = Challenge::read(header);
        assert_eq!(read.resource_metadata.as_deref(), Some("https://a/.well-known/x"));
        assert_eq!(read.scope.as_deref(), Some("a b"));
        let read = Challenge::read("Bearer resource_metadata=https://a/b, error=x");
        assert_eq!(read.resource_metadata.as_deref(), Some("https://a/b"));
        assert_eq!(Challenge::read("Bearer"), Challenge::default());
        assert_eq!(Challenge::read("Bearer other_scope=\"x\"").scope, None);
    }

    #[test]
    fn fields_of_a_form_are_encoded() {
        assert_eq!(form(&[("a", "1&2"), ("b", "x y")]), "a=1%262&b=x+y");
    }
}
