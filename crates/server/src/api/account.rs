//! The account of the caller.

use super::Page;
use crate::{
    caller::{COOKIE, Caller, cookie},
    extract::{Body, Ids},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use secrecy::ExposeSecret as _;
use serde::Serialize;
use skillful_team::{
    credentials::{TokenInfo, TokenInput},
    people::User,
};
use utoipa::ToSchema;

/// A new token; the only time that its secret is shown.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct NewToken {
    #[serde(flatten)]
    token: TokenInfo,
    /// The secret.
    secret: String,
}

/// The caller.
#[utoipa::path(get, path = "/api/v1/me", tag = "account",
    responses((status = 200, body = User), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn me(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<User>> {
    Ok(Json(app.team.me(&actor).await?))
}

/// The tokens of the caller, without their secrets.
#[utoipa::path(get, path = "/api/v1/me/tokens", tag = "account",
    responses((status = 200, body = Page<TokenInfo>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn tokens(
    State(app): State<App>,
    Caller(actor): Caller,
) -> ApiResult<Json<Page<TokenInfo>>> {
    Ok(Json(Page { data: app.team.tokens(&actor).await?, next: None }))
}

/// Creates a token. Its secret is shown once.
#[utoipa::path(post, path = "/api/v1/me/tokens", tag = "account", request_body = TokenInput,
    responses((status = 201, body = NewToken), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create_token(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<TokenInput>,
) -> ApiResult<(StatusCode, Json<NewToken>)> {
    let (token, secret) = app.team.create_token(&actor, &input).await?;
    Ok((StatusCode::CREATED, Json(NewToken { token, secret: secret.expose_secret().to_owned() })))
}

/// Revokes a token.
#[utoipa::path(delete, path = "/api/v1/me/tokens/{id}", params(("id" = String, Path)), tag = "account",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn revoke_token(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.revoke_token(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends the browser session.
#[utoipa::path(delete, path = "/api/v1/me/session", tag = "account",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn sign_out(
    State(app): State<App>,
    Caller(actor): Caller,
    headers: HeaderMap,
) -> ApiResult<StatusCode> {
    actor.user()?;
    if let Some(secret) = cookie(&headers, COOKIE) {
        app.team.end_session(&secret).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
