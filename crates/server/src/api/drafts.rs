//! Drafts.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use skillful_team::{
    drafts::{Draft, DraftInput, tree_of},
    judged::{CheckedView, checked},
};

/// The drafts of the caller, newest first.
#[utoipa::path(get, path = "/api/v1/drafts", tag = "drafts",
    responses((status = 200, body = Page<Draft>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Page<Draft>>> {
    Ok(Json(Page { data: app.team.drafts(&actor).await?, next: None }))
}

/// Saves a new draft.
#[utoipa::path(post, path = "/api/v1/drafts", tag = "drafts", request_body = DraftInput,
    responses((status = 201, body = Draft), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<DraftInput>,
) -> ApiResult<(StatusCode, Json<Draft>)> {
    Ok((StatusCode::CREATED, Json(app.team.create_draft(&actor, &input).await?)))
}

/// One draft.
#[utoipa::path(get, path = "/api/v1/drafts/{id}", params(("id" = String, Path)), tag = "drafts",
    responses((status = 200, body = Draft), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn get(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<Draft>> {
    Ok(Json(app.team.draft(&actor, &id).await?))
}

/// Saves a draft again. It names the revision that it changes; a save in between is a conflict.
#[utoipa::path(put, path = "/api/v1/drafts/{id}", params(("id" = String, Path)), tag = "drafts", request_body = DraftInput,
    responses((status = 200, body = Draft), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn save(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<DraftInput>,
) -> ApiResult<Json<Draft>> {
    Ok(Json(app.team.save_draft(&actor, &id, &input).await?))
}

/// Deletes a draft.
#[utoipa::path(delete, path = "/api/v1/drafts/{id}", params(("id" = String, Path)), tag = "drafts",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn delete(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.delete_draft(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Checks files without keeping them.
#[utoipa::path(post, path = "/api/v1/check", tag = "drafts", request_body = DraftInput,
    responses((status = 200, body = Page<CheckedView>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn check(
    Caller(actor): Caller,
    Body(input): Body<DraftInput>,
) -> ApiResult<Json<Page<CheckedView>>> {
    actor.user()?;
    let found =
        super::skills::blocking(move || tree_of(&input.files).and_then(|tree| checked(&tree))).await??;
    Ok(Json(Page { data: found, next: None }))
}
