//! Integrations, and the skills that they bring along.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use skillful_team::integrations::{IntegrationInput, IntegrationRecord, IntegrationReport};
use utoipa::IntoParams;

/// For whom an integration was set up.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct IntegrationQuery {
    /// `own`, `group`, `org` or `global`; own without it.
    scope: Option<String>,
    /// The group.
    group: Option<String>,
}

/// The integrations whose skills the caller may read.
#[utoipa::path(get, path = "/api/v1/integrations", tag = "integrations",
    responses((status = 200, body = Page<IntegrationRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
) -> ApiResult<Json<Page<IntegrationRecord>>> {
    Ok(Json(Page { data: app.team.integrations(&actor).await?, next: None }))
}

/// Sets an integration up, again with each of its versions. A skill of the same name that is not of the integration stays, and
/// the answer names what was skipped.
#[utoipa::path(put, path = "/api/v1/integrations/{domain}", params(("domain" = String, Path)), tag = "integrations",
    request_body = IntegrationInput,
    responses((status = 200, body = IntegrationReport), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn set_up(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(domain): Ids<String>,
    Body(input): Body<IntegrationInput>,
) -> ApiResult<Json<IntegrationReport>> {
    Ok(Json(app.team.set_up_integration(&actor, &domain, &input).await?))
}

/// Removes an integration with its skills.
#[utoipa::path(delete, path = "/api/v1/integrations/{domain}", params(("domain" = String, Path), IntegrationQuery), tag = "integrations",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn remove(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(domain): Ids<String>,
    Params(query): Params<IntegrationQuery>,
) -> ApiResult<StatusCode> {
    app.team.remove_integration(&actor, &domain, query.scope.as_deref(), query.group.as_deref()).await?;
    Ok(StatusCode::NO_CONTENT)
}
