//! Sign-in at an identity provider: authorization code with PKCE, state bound to the browser, nonce, and an ID token whose
//! signature and claims are checked.

mod provider;
pub(crate) mod publish;
mod token;

use crate::{
    caller::{COOKIE, cookie},
    extract::Params,
    problem::ApiResult,
    state::App,
};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
pub use provider::OidcConfig;
pub(crate) use provider::Provider;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use skillful_team::{FIRST_ORG, Role, TeamError, people::Identity};
use std::collections::BTreeSet;

/// The cookie that binds a sign-in to the browser that began it.
const BOUND: &str = "skillful_sign_in";
/// How long a sign-in may take.
const MINUTES: i64 = 10;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/sign-in", get(begin)).route("/sign-in/callback", get(finish))
}

/// What is kept until the browser comes back.
#[derive(Deserialize, Serialize)]
struct Begun {
    nonce: String,
    verifier: String,
}

fn provider(app: &App) -> Result<&Provider, TeamError> {
    app.oidc.as_deref().ok_or(TeamError::NotFound)
}

fn callback(app: &App) -> String {
    format!("{}/sign-in/callback", app.address)
}

async fn begin(State(app): State<App>) -> ApiResult<Response> {
    let provider = provider(&app)?;
    let found = provider.found().await?;
    let secret = skillful_team::credentials::secret;
    let (state, nonce, verifier) = (secret()?, secret()?, secret()?);
    let begun =
        Begun { nonce: nonce.expose_secret().to_owned(), verifier: verifier.expose_secret().to_owned() };
    let data = serde_json::to_string(&begun).map_err(|error| TeamError::Internal(error.to_string()))?;
    app.team.keep_once("sign-in", &state, &data, MINUTES * 60 * 1_000).await?;
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(begun.verifier.as_bytes()));
    let address = found.authorization(&[
        ("response_type", "code"),
        ("client_id", provider.client_id()),
        ("redirect_uri", &callback(&app)),
        ("scope", "openid email profile"),
        ("state", state.expose_secret()),
        ("nonce", &begun.nonce),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ])?;
    let bound = format!(
        "{BOUND}={}; Path=/sign-in; HttpOnly; SameSite=Lax; Max-Age=600{}",
        state.expose_secret(),
        app.secure()
    );
    Ok((StatusCode::SEE_OTHER, [(header::SET_COOKIE, bound), (header::LOCATION, address)]).into_response())
}

/// What the browser brings back.
#[derive(Deserialize)]
struct Returned {
    code: Option<String>,
    state: Option<String>,
    iss: Option<String>,
    error: Option<String>,
}

async fn finish(
    State(app): State<App>,
    headers: HeaderMap,
    Params(returned): Params<Returned>,
) -> ApiResult<Response> {
    let refused = |why: &str| TeamError::Unauthenticated(format!("the sign-in was not accepted: {why}"));
    let provider = provider(&app)?;
    let state = returned.state.unwrap_or_default();
    // Another site can send its victim here with an answer of its own; it cannot set this cookie.
    if state.is_empty() || cookie(&headers, BOUND).as_deref() != Some(&state) {
        return Err(refused("it was begun in another browser, or took too long; sign in again").into());
    }
    let data = app
        .team
        .take_once("sign-in", &state)
        .await?
        .ok_or_else(|| refused("it was used or took too long"))?;
    let begun: Begun = serde_json::from_str(&data).map_err(|error| TeamError::Internal(error.to_string()))?;
    if returned.iss.is_some_and(|issuer| issuer != provider.issuer()) {
        return Err(refused("the answer is of another issuer").into());
    }
    let Some(code) = returned.code else {
        let kind = returned.error.unwrap_or_default();
        let kind: String = kind.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(60).collect();
        return Err(refused(&format!("the identity provider answered `{kind}`")).into());
    };
    let now = app.team.now() / 1_000;
    let claims = provider.exchange(&code, &begun.verifier, &callback(&app), &begun.nonce, now).await?;
    let user = app.team.signed_in(FIRST_ORG, &identity(provider, &claims)?).await?;
    let session = app.team.begin_session(&user.id).await?;
    let kept = format!(
        "{COOKIE}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600{}",
        session.expose_secret(),
        app.secure()
    );
    let gone = format!("{BOUND}=; Path=/sign-in; Max-Age=0");
    let next = crate::page::next_page(&headers);
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, next)]).into_response();
    for line in [kept, gone, format!("{}=; Path=/; Max-Age=0", crate::page::NEXT)] {
        let value =
            header::HeaderValue::from_str(&line).map_err(|error| TeamError::Internal(error.to_string()))?;
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    Ok(response)
}

/// The user that claims are about. Roles and groups that a provider does not name are left as they are.
fn identity(provider: &Provider, claims: &serde_json::Value) -> Result<Identity, TeamError> {
    let text = |key: &str| claims[key].as_str().unwrap_or_default().to_owned();
    let words = |key: &str| {
        let list = claims.get(key)?.as_array()?;
        Some(list.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect::<BTreeSet<_>>())
    };
    let sub = text("sub");
    if sub.is_empty() {
        return Err(TeamError::Unauthenticated("the identity provider names no user".to_owned()));
    }
    let role = |word: &String| match word.as_str() {
        "admin" => Some(Role::SiteAdmin),
        other => other.parse().ok(),
    };
    let name = if text("name").is_empty() { text("preferred_username") } else { text("name") };
    Ok(Identity {
        issuer: provider.issuer().to_owned(),
        sub,
        email: text("email"),
        name,
        roles: words(provider.roles_claim()).map(|words| words.iter().filter_map(role).collect()),
        groups: words(provider.groups_claim()),
    })
}
