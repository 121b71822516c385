//! Usage: counts, no content.

use crate::{
    caller::Caller,
    extract::{Body, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use skillful_team::usage::{UsageReport, UseReport};
use utoipa::{IntoParams, ToSchema};

/// The window.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WindowQuery {
    /// 1, 7, 30, 90 or 365; 30 without it.
    days: Option<i64>,
}

/// What was taken.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Taken {
    /// How many reports were about versions that the caller may read.
    taken: usize,
}

/// Reports uses of skills.
#[utoipa::path(post, path = "/api/v1/usage", tag = "usage", request_body = Vec<UseReport>,
    responses((status = 200, body = Taken), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn report(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(reports): Body<Vec<UseReport>>,
) -> ApiResult<Json<Taken>> {
    Ok(Json(Taken { taken: app.team.report_uses(&actor, &reports).await? }))
}

/// Usage of the caller.
#[utoipa::path(get, path = "/api/v1/usage", params(WindowQuery), tag = "usage",
    responses((status = 200, body = UsageReport), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn own(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<WindowQuery>,
) -> ApiResult<Json<UsageReport>> {
    Ok(Json(app.team.usage(&actor, query.days.unwrap_or(30), false).await?))
}

/// Usage of the organisation.
#[utoipa::path(get, path = "/api/v1/admin/usage", params(WindowQuery), tag = "usage",
    responses((status = 200, body = UsageReport), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn all(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<WindowQuery>,
) -> ApiResult<Json<UsageReport>> {
    Ok(Json(app.team.usage(&actor, query.days.unwrap_or(30), true).await?))
}
