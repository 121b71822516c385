//! Webhooks.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use skillful_team::webhooks::{Delivery, NewWebhook, Webhook, WebhookInput};

/// The webhooks of the organisation.
#[utoipa::path(get, path = "/api/v1/admin/webhooks", tag = "webhooks",
    responses((status = 200, body = Page<Webhook>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Page<Webhook>>> {
    Ok(Json(Page { data: app.team.webhooks(&actor).await?, next: None }))
}

/// Adds a webhook. The key of its signatures is shown once.
#[utoipa::path(post, path = "/api/v1/admin/webhooks", tag = "webhooks", request_body = WebhookInput,
    responses((status = 201, body = NewWebhook), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<WebhookInput>,
) -> ApiResult<(StatusCode, Json<NewWebhook>)> {
    Ok((StatusCode::CREATED, Json(app.team.create_webhook(&actor, &input).await?)))
}

/// One webhook.
#[utoipa::path(get, path = "/api/v1/admin/webhooks/{id}", params(("id" = String, Path)), tag = "webhooks",
    responses((status = 200, body = Webhook), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn get(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<Webhook>> {
    Ok(Json(app.team.webhook(&actor, &id).await?))
}

/// Changes a webhook. Enabling it again forgets its failures.
#[utoipa::path(put, path = "/api/v1/admin/webhooks/{id}", params(("id" = String, Path)), tag = "webhooks", request_body = WebhookInput,
    responses((status = 200, body = Webhook), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn change(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<WebhookInput>,
) -> ApiResult<Json<Webhook>> {
    Ok(Json(app.team.change_webhook(&actor, &id, &input).await?))
}

/// Removes a webhook with its log.
#[utoipa::path(delete, path = "/api/v1/admin/webhooks/{id}", params(("id" = String, Path)), tag = "webhooks",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn delete(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.delete_webhook(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The newest deliveries of a webhook.
#[utoipa::path(get, path = "/api/v1/admin/webhooks/{id}/deliveries", params(("id" = String, Path)), tag = "webhooks",
    responses((status = 200, body = Page<Delivery>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn deliveries(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<Page<Delivery>>> {
    Ok(Json(Page { data: app.team.deliveries(&actor, &id).await?, next: None }))
}

/// Sends a delivery again, with its id and its body.
#[utoipa::path(post, path = "/api/v1/admin/webhooks/{id}/deliveries/{delivery}/redeliver",
    params(("id" = String, Path), ("delivery" = String, Path)), tag = "webhooks",
    responses((status = 200, body = Delivery), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn redeliver(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, delivery)): Ids<(String, String)>,
) -> ApiResult<Json<Delivery>> {
    Ok(Json(app.team.redeliver(&actor, &id, &delivery).await?))
}
