//! Preferences, and what they come to for the caller.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use skillful_team::preferences::{Choice, EffectiveSkill, Preference, Target};
use utoipa::{IntoParams, ToSchema};

/// What the caller gets, with the reason of each.
#[utoipa::path(get, path = "/api/v1/effective", tag = "skills",
    responses((status = 200, body = Page<EffectiveSkill>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn effective(
    State(app): State<App>,
    Caller(actor): Caller,
) -> ApiResult<Json<Page<EffectiveSkill>>> {
    Ok(Json(Page { data: app.team.effective(&actor).await?, next: None }))
}

/// A preference.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct PreferenceInput {
    /// `org`, `group:ID` or `user:ID`.
    target: String,
    /// What is wanted.
    choice: Choice,
    /// The only version to use.
    pin: Option<i64>,
}

/// Whose preference.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TargetQuery {
    /// `org`, `group:ID` or `user:ID`.
    target: String,
}

/// What is wanted of a skill.
#[utoipa::path(get, path = "/api/v1/skills/{id}/preferences", params(("id" = String, Path)), tag = "preferences",
    responses((status = 200, body = Page<Preference>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<Page<Preference>>> {
    Ok(Json(Page { data: app.team.preferences(&actor, &id).await?, next: None }))
}

/// Sets what is wanted of a skill.
#[utoipa::path(put, path = "/api/v1/skills/{id}/preferences", params(("id" = String, Path)), tag = "preferences",
    request_body = PreferenceInput,
    responses((status = 200, body = Preference), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn set(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<PreferenceInput>,
) -> ApiResult<Json<Preference>> {
    let target = Target::of(&input.target)?;
    Ok(Json(app.team.set_preference(&actor, &id, &target, input.choice, input.pin).await?))
}

/// Takes a preference back.
#[utoipa::path(delete, path = "/api/v1/skills/{id}/preferences", params(("id" = String, Path), TargetQuery), tag = "preferences",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn remove(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Params(query): Params<TargetQuery>,
) -> ApiResult<StatusCode> {
    app.team.remove_preference(&actor, &id, &Target::of(&query.target)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
