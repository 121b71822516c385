//! Publishing from CI.

use super::{
    Page,
    received::{StoredAnswer, received},
};
use crate::{
    caller::Caller,
    extract::{Body, Ids},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{
    Json,
    extract::{Request, State},
    http::StatusCode,
};
use serde::Deserialize;
use skillful_team::publishers::{JobToken, Publisher, PublisherInput};
use utoipa::ToSchema;

/// The identity of a job.
#[derive(Clone, Deserialize, ToSchema)]
pub(crate) struct ExchangeInput {
    /// The token that the CI system signed for this server.
    token: String,
    /// The publisher, where several fit.
    publisher: Option<String>,
}

/// Exchanges the identity of a CI job for a token that publishes for half an hour. Each identity counts once.
#[utoipa::path(post, path = "/api/v1/publish/exchange", tag = "publish", request_body = ExchangeInput, security(()),
    responses((status = 201, body = JobToken), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn exchange(
    State(app): State<App>,
    Body(input): Body<ExchangeInput>,
) -> ApiResult<(StatusCode, Json<JobToken>)> {
    let token = crate::oidc::publish::exchange(&app, &input.token, input.publisher.as_deref()).await?;
    Ok((StatusCode::CREATED, Json(token)))
}

/// Publishes a package to the place that the token is limited to: a new skill, or a version of the skill of that name.
#[utoipa::path(post, path = "/api/v1/publish", tag = "publish",
    request_body(content(("application/zip"), ("multipart/form-data"), ("text/markdown"))),
    responses((status = 201, body = StoredAnswer), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn publish(
    State(app): State<App>,
    Caller(actor): Caller,
    request: Request,
) -> ApiResult<(StatusCode, Json<StoredAnswer>)> {
    let (upload, skipped) = received(request, None).await?;
    let stored = app.team.publish(&actor, upload).await?;
    Ok((StatusCode::CREATED, Json(StoredAnswer { stored, skipped })))
}

/// The CI identities that may publish.
#[utoipa::path(get, path = "/api/v1/admin/publishers", tag = "publish",
    responses((status = 200, body = Page<Publisher>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Page<Publisher>>> {
    Ok(Json(Page { data: app.team.publishers(&actor).await?, next: None }))
}

/// Lets a CI identity publish.
#[utoipa::path(post, path = "/api/v1/admin/publishers", tag = "publish", request_body = PublisherInput,
    responses((status = 201, body = Publisher), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<PublisherInput>,
) -> ApiResult<(StatusCode, Json<Publisher>)> {
    Ok((StatusCode::CREATED, Json(app.team.create_publisher(&actor, &input).await?)))
}

/// Ends what a CI identity may do; its tokens end with it.
#[utoipa::path(delete, path = "/api/v1/admin/publishers/{id}", params(("id" = String, Path)), tag = "publish",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn delete(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.delete_publisher(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
