//! What the identity provider says of itself, its keys, and its answers. Every answer is bounded.

use super::token::{Expected, Keys, Refused, verify};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use skillful_team::TeamError;
use std::{
    io::Read as _,
    sync::Mutex,
    time::{Duration, Instant},
};
use ureq::{Agent, unversioned::resolver::DefaultResolver};

/// Bytes of an answer.
const ANSWER: u64 = 1 << 20;
/// How long a request may take.
const WAIT: Duration = Duration::from_secs(10);
/// How long the description and the keys are kept.
const KEPT: Duration = Duration::from_hours(1);
/// Keys are asked for again for an unknown one, at most this often.
const AGAIN: Duration = Duration::from_mins(1);

/// How the server is known at an identity provider.
#[derive(Clone, Debug, Default)]
pub struct OidcConfig {
    /// `https://id.example.org`.
    pub issuer: String,
    /// The id of this server there.
    pub client_id: String,
    /// Its secret; absent for a public client.
    pub client_secret: Option<SecretString>,
    /// The claim with groups; `groups` without it.
    pub groups_claim: Option<String>,
    /// The claim with roles; `roles` without it.
    pub roles_claim: Option<String>,
}

/// What a provider says of itself.
#[derive(Clone, Debug)]
pub(crate) struct ProviderFound {
    /// Absent at issuers that sign in no users, such as CI systems.
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    userinfo_endpoint: Option<String>,
    jwks_uri: String,
}

impl ProviderFound {
    /// The address that a browser is sent to.
    pub(crate) fn authorization(&self, fields: &[(&str, &str)]) -> Result<String, TeamError> {
        let endpoint = self.authorization_endpoint.as_deref().unwrap_or_default();
        let mut address = url::Url::parse(endpoint)
            .map_err(|_| unusable("its authorization endpoint is not an address"))?;
        address.query_pairs_mut().extend_pairs(fields);
        Ok(address.into())
    }
}

fn unusable(why: &str) -> TeamError {
    TeamError::Unavailable(format!("the identity provider cannot be used: {why}"))
}

#[derive(Debug)]
struct Kept {
    found: ProviderFound,
    keys: Keys,
    at: Instant,
}

/// An identity provider.
#[derive(Debug)]
pub(crate) struct Provider {
    config: OidcConfig,
    agent: Agent,
    kept: Mutex<Option<Kept>>,
}

impl Provider {
    pub(crate) fn new(config: OidcConfig) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(WAIT))
            .max_redirects(0)
            .http_status_as_error(false)
            .tls_config(skillful_net::tls())
            .build()
            .into();
        Self { config, agent, kept: Mutex::new(None) }
    }

    /// An issuer that an administrator of an organisation named: its addresses are checked.
    pub(crate) fn checked(config: OidcConfig, reach: skillful_net::Reach) -> Self {
        let agent = skillful_net::checked_agent(reach, DefaultResolver::default());
        Self { config, agent, kept: Mutex::new(None) }
    }

    pub(crate) fn issuer(&self) -> &str {
        &self.config.issuer
    }

    pub(crate) fn client_id(&self) -> &str {
        &self.config.client_id
    }

    pub(crate) fn groups_claim(&self) -> &str {
        self.config.groups_claim.as_deref().unwrap_or("groups")
    }

    pub(crate) fn roles_claim(&self) -> &str {
        self.config.roles_claim.as_deref().unwrap_or("roles")
    }

    async fn ask(&self, request: ureq::http::Request<Vec<u8>>) -> Result<Value, TeamError> {
        let agent = self.agent.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let answer = agent.run(request).map_err(|_| unusable("it does not answer"))?;
            let status = answer.status().as_u16();
            let mut bytes = Vec::new();
            let read = answer.into_body().into_reader().take(ANSWER + 1).read_to_end(&mut bytes);
            if read.is_err() || bytes.len() as u64 > ANSWER {
                return Err(unusable("its answer is cut off or too large"));
            }
            let body: Value =
                serde_json::from_slice(&bytes).map_err(|_| unusable("its answer is not JSON"))?;
            Ok((status, body))
        });
        let (status, body) = asked.await.map_err(|error| TeamError::Internal(error.to_string()))??;
        if status != 200 {
            let kind: String = body["error"].as_str().unwrap_or_default().chars().take(60).collect();
            return Err(TeamError::Unauthenticated(format!(
                "the identity provider refused the sign-in ({status} {kind}); sign in again"
            )));
        }
        Ok(body)
    }

    async fn get(&self, address: &str, bearer: Option<&str>) -> Result<Value, TeamError> {
        let mut request = ureq::http::Request::builder().uri(address).header("accept", "application/json");
        if let Some(bearer) = bearer {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        self.ask(request.body(Vec::new()).map_err(|_| unusable("an address is wrong"))?).await
    }

    /// The description, kept for an hour.
    pub(crate) async fn found(&self) -> Result<ProviderFound, TeamError> {
        Ok(self.known(false).await?.0)
    }

    async fn known(&self, again: bool) -> Result<(ProviderFound, Keys), TeamError> {
        if let Ok(kept) = self.kept.lock()
            && let Some(kept) = &*kept
        {
            let age = kept.at.elapsed();
            if age < if again { AGAIN } else { KEPT } {
                return Ok((kept.found.clone(), kept.keys.clone()));
            }
        }
        let base = self.config.issuer.trim_end_matches('/');
        let document = self.get(&format!("{base}/.well-known/openid-configuration"), None).await?;
        let text = |key: &str| document[key].as_str().map(str::to_owned);
        if text("issuer").as_deref() != Some(self.issuer()) {
            return Err(unusable("it describes another issuer than the one that is configured"));
        }
        let needed = |key: &str| text(key).ok_or_else(|| unusable(&format!("it names no {key}")));
        let found = ProviderFound {
            authorization_endpoint: text("authorization_endpoint"),
            token_endpoint: text("token_endpoint"),
            userinfo_endpoint: text("userinfo_endpoint"),
            jwks_uri: needed("jwks_uri")?,
        };
        let keys = Keys::of(&self.get(&found.jwks_uri, None).await?);
        if let Ok(mut kept) = self.kept.lock() {
            *kept = Some(Kept { found: found.clone(), keys: keys.clone(), at: Instant::now() });
        }
        Ok((found, keys))
    }

    async fn verified(&self, token: &str, keys: &Keys, expected: &Expected<'_>) -> Result<Value, TeamError> {
        match verify(token, keys, expected) {
            // The provider may have a new key since the keys were read.
            Err(refused) if refused.is_unknown_key => {
                let (_, keys) = self.known(true).await?;
                verify(token, &keys, expected).map_err(Refused::error)
            }
            checked => checked.map_err(Refused::error),
        }
    }

    /// The claims of an identity that a CI job shows: signed by this issuer, for this server, and not expired.
    pub(crate) async fn identity(&self, token: &str, now: i64) -> Result<Value, TeamError> {
        let (_, keys) = self.known(false).await?;
        let expected = Expected { issuer: self.issuer(), client_id: self.client_id(), nonce: None, now };
        self.verified(token, &keys, &expected).await
    }

    /// Exchanges a code for the claims of a user.
    pub(crate) async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        callback: &str,
        nonce: &str,
        now: i64,
    ) -> Result<Value, TeamError> {
        let (found, keys) = self.known(false).await?;
        let form = {
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            form.extend_pairs([
                ("grant_type", "authorization_code"),
                ("code", code),
                ("redirect_uri", callback),
                ("code_verifier", verifier),
                ("client_id", self.client_id()),
            ]);
            if let Some(secret) = &self.config.client_secret {
                form.append_pair("client_secret", secret.expose_secret());
            }
            form.finish().into_bytes()
        };
        let request = ureq::http::Request::builder()
            .method("POST")
            .uri(found.token_endpoint.as_deref().unwrap_or_default())
            .header("accept", "application/json")
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form)
            .map_err(|_| unusable("its token endpoint is not an address"))?;
        let answer = self.ask(request).await?;
        let token = answer["id_token"].as_str().ok_or_else(|| unusable("it gave no ID token"))?;
        let expected =
            Expected { issuer: self.issuer(), client_id: self.client_id(), nonce: Some(nonce), now };
        let mut claims = self.verified(token, &keys, &expected).await?;
        if let (Some(endpoint), Some(access)) = (&found.userinfo_endpoint, answer["access_token"].as_str()) {
            let more = self.get(endpoint, Some(access)).await?;
            if more["sub"] != claims["sub"] {
                return Err(TeamError::Unauthenticated(
                    "the identity provider described another user".to_owned(),
                ));
            }
            if let (Some(claims), Some(more)) = (claims.as_object_mut(), more.as_object()) {
                for (key, value) in more {
                    claims.entry(key.clone()).or_insert_with(|| value.clone());
                }
            }
        }
        Ok(claims)
    }
}
