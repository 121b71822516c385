//! Drafts.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use skillful_team::{
    TeamError,
    authoring::{self, CompletionInput, CompletionView, DraftCheck},
    drafts::{Draft, DraftConflict, DraftInput, DraftSave, tree_of},
    judged::{CheckedView, checked},
    upload::Stored,
};
use utoipa::ToSchema;

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

/// A save that was refused: what was saved in between, what was sent, and one text of both.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct DraftConflictProblem {
    /// What failed.
    #[serde(flatten)]
    problem: Problem,
    /// Both saves.
    #[serde(flatten)]
    conflict: DraftConflict,
}

/// Saves a draft again. It names the revision that it changes. After a save in between the answer has both texts and one text of
/// both, with marks where both changed the same lines.
#[utoipa::path(put, path = "/api/v1/drafts/{id}", params(("id" = String, Path)), tag = "drafts", request_body = DraftInput,
    responses((status = 200, body = Draft), (status = 409, body = DraftConflictProblem, content_type = "application/problem+json"), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn save(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<DraftInput>,
) -> ApiResult<Response> {
    match app.team.save_or_merge(&actor, &id, &input).await? {
        DraftSave::Saved(draft) => Ok(Json(draft).into_response()),
        DraftSave::Conflict(conflict) => {
            let detail = format!(
                "the draft was saved elsewhere: revision {}, and you changed {}",
                conflict.saved.revision,
                input.revision.unwrap_or_default()
            );
            let problem = Problem::of(&TeamError::conflict("draft-changed", detail));
            let body = DraftConflictProblem { problem, conflict: *conflict };
            let head = [(header::CONTENT_TYPE, "application/problem+json")];
            Ok((StatusCode::CONFLICT, head, Json(body)).into_response())
        }
    }
}

/// Checks texts of a draft without saving them: problems with their fixes, capabilities and findings.
#[utoipa::path(post, path = "/api/v1/drafts/{id}/check", params(("id" = String, Path)), tag = "drafts", request_body = DraftInput,
    responses((status = 200, body = DraftCheck), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn check_draft(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<DraftInput>,
) -> ApiResult<Json<DraftCheck>> {
    let draft = Draft { files: input.files, ..app.team.draft(&actor, &id).await? };
    let (tree, before) =
        (app.team.draft_tree(&actor, &draft).await?, app.team.draft_base(&actor, &draft).await?);
    let found = super::blocking(move || {
        let folder = Some(draft.name.as_str()).filter(|name| !name.is_empty());
        authoring::check_draft(&tree, before.as_ref(), folder)
    });
    Ok(Json(found.await??))
}

/// What can be written at a place of a draft: fields, values, tools, skills, files.
#[utoipa::path(post, path = "/api/v1/drafts/{id}/complete", params(("id" = String, Path)), tag = "drafts", request_body = CompletionInput,
    responses((status = 200, body = CompletionView), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn complete(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<CompletionInput>,
) -> ApiResult<Json<CompletionView>> {
    let draft = app.team.draft(&actor, &id).await?;
    let skills = app.team.mentionable(&actor).await?;
    Ok(Json(super::blocking(move || authoring::complete(&draft, &input, &skills)).await?))
}

/// What a draft becomes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct PublishInput {
    /// The revision that the author saw.
    revision: i64,
    /// Where a new skill goes: `own`, `group`, `org` or `global`; `own` without it.
    scope: Option<String>,
    /// The id of the group.
    group: Option<String>,
    /// What the author writes about it.
    #[serde(default)]
    notes: String,
}

/// Makes a version of a draft, and proposes it where its scope is reviewed. The draft is deleted.
#[utoipa::path(post, path = "/api/v1/drafts/{id}/publish", params(("id" = String, Path)), tag = "drafts", request_body = PublishInput,
    responses((status = 201, body = Stored), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn publish(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<PublishInput>,
) -> ApiResult<(StatusCode, Json<Stored>)> {
    let scope = super::skills::scope_of(input.scope.as_deref(), input.group.as_deref(), actor.user()?)?;
    let stored = app.team.publish_draft(&actor, &id, input.revision, &scope, &input.notes).await?;
    Ok((StatusCode::CREATED, Json(stored)))
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
    let found = super::blocking(move || tree_of(&input.files).and_then(|tree| checked(&tree))).await??;
    Ok(Json(Page { data: found, next: None }))
}
