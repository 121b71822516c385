//! How an agent would show a skill, and which skill a message selects.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State};
use serde::Deserialize;
use skillful_team::{
    drafts::{DraftInput, tree_of},
    preview::{PreviewAgent, SkillPreview, TryInput, TryReport},
};
use utoipa::IntoParams;

/// The agent.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AgentQuery {
    /// Its id: `codex`, `claude-code`, …
    agent: String,
}

/// The agents that a preview can be made for.
#[utoipa::path(get, path = "/api/v1/agents", tag = "preview",
    responses((status = 200, body = Page<PreviewAgent>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn agents(
    State(app): State<App>,
    Caller(actor): Caller,
) -> ApiResult<Json<Page<PreviewAgent>>> {
    actor.user()?;
    Ok(Json(Page { data: app.team.preview_agents(), next: None }))
}

/// A version as an agent would show it.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/preview",
    params(("id" = String, Path), ("number" = i64, Path), AgentQuery), tag = "preview",
    responses((status = 200, body = SkillPreview), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn version(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    Params(query): Params<AgentQuery>,
) -> ApiResult<Json<SkillPreview>> {
    Ok(Json(app.team.preview(&actor, &id, number, &query.agent).await?))
}

/// A draft as an agent would show it.
#[utoipa::path(get, path = "/api/v1/drafts/{id}/preview", params(("id" = String, Path), AgentQuery), tag = "preview",
    responses((status = 200, body = SkillPreview), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn draft(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Params(query): Params<AgentQuery>,
) -> ApiResult<Json<SkillPreview>> {
    let tree = app.team.draft(&actor, &id).await?.tree()?;
    Ok(Json(app.team.preview_files(&actor, tree, &query.agent).await?))
}

/// Files as an agent would show them, without keeping them.
#[utoipa::path(post, path = "/api/v1/preview", params(AgentQuery), tag = "preview", request_body = DraftInput,
    responses((status = 200, body = SkillPreview), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn files(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<AgentQuery>,
    Body(input): Body<DraftInput>,
) -> ApiResult<Json<SkillPreview>> {
    Ok(Json(app.team.preview_files(&actor, tree_of(&input.files)?, &query.agent).await?))
}

/// Which skills a message selects among what the caller gets, with every reason.
#[utoipa::path(post, path = "/api/v1/try", tag = "preview", request_body = TryInput,
    responses((status = 200, body = TryReport), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn try_message(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<TryInput>,
) -> ApiResult<Json<TryReport>> {
    Ok(Json(app.team.try_message(&actor, &input).await?))
}
