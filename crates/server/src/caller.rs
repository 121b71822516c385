//! Who asks, from the headers of a request. A token in a header, or the cookie of a browser session, which counts for changes
//! only when the request comes from our own page.

use crate::{problem::ApiError, state::App};
use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, Method, header, request::Parts},
};
use sha2::{Digest as _, Sha256};
use skillful_team::{Actor, FIRST_ORG, TeamError};

/// The cookie of a browser session.
pub(crate) const COOKIE: &str = "skillful_session";

/// The caller; a guest when no credential was shown.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) Actor);

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let actor = actor(&parts.method, &parts.headers, app).await?;
        if actor.user.is_none() && !app.team.openness().guests_read_global {
            return Err(TeamError::Unauthenticated("sign in first".to_owned()).into());
        }
        Ok(Self(actor))
    }
}

/// The actor of a request; a guest when no credential was shown.
pub(crate) async fn actor(method: &Method, headers: &HeaderMap, app: &App) -> Result<Actor, TeamError> {
    let Some(token) = token(headers) else {
        return Ok(in_session(method, headers, app).await?.unwrap_or_else(|| Actor::guest(FIRST_ORG)));
    };
    let found = app.team.by_token(&token).await;
    learn(&token, &found, app);
    found
}

/// The actor of the browser session alone, whatever token is sent beside its cookie; `None` without a cookie.
pub(crate) async fn in_session(
    method: &Method,
    headers: &HeaderMap,
    app: &App,
) -> Result<Option<Actor>, TeamError> {
    let Some(secret) = cookie(headers, COOKIE) else { return Ok(None) };
    let changes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    if changes && !is_own_page(headers, app) {
        return Err(TeamError::Forbidden(
            "a browser may change something only from the page of this server".to_owned(),
        ));
    }
    let found = app.team.by_session(&secret).await;
    learn(&secret, &found, app);
    found.map(Some)
}

/// Remembers whether a credential is one of ours.
fn learn(credential: &str, found: &Result<Actor, TeamError>, app: &App) {
    match found {
        Ok(_) => app.limits.learn(counted(credential), true),
        Err(TeamError::Unauthenticated(_)) => app.limits.learn(counted(credential), false),
        Err(_) => {}
    }
}

/// What a credential is counted by: its digest, never itself.
pub(crate) fn key(headers: &HeaderMap) -> Option<u64> {
    token(headers).or_else(|| cookie(headers, COOKIE)).map(|text| counted(&text))
}

fn counted(credential: &str) -> u64 {
    let digest = Sha256::digest(credential.as_bytes());
    u64::from_le_bytes(std::array::from_fn(|at| digest[at]))
}

/// The token in a header; an empty text for another kind of credential.
pub(crate) fn token(headers: &HeaderMap) -> Option<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(bearer) = text(header::AUTHORIZATION.as_str()) {
        let (kind, token) = bearer.split_once(' ').unwrap_or((bearer, ""));
        // Another kind of credential is not taken for a guest.
        return Some(if kind.eq_ignore_ascii_case("bearer") {
            token.trim().to_owned()
        } else {
            String::new()
        });
    }
    text("x-api-key").map(|key| key.trim().to_owned())
}

/// The value of a cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.to_owned())
}

/// Whether a browser says that the request comes from our page.
fn is_own_page(headers: &HeaderMap, app: &App) -> bool {
    let Some(origin) = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    app.hosts.iter().any(|known| known == host)
}
