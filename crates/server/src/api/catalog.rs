//! Sources and the catalog of what they offer.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use skillful_team::{
    catalog::{CatalogInstall, CatalogInstalled, CatalogReport},
    sources::{SourceInput, SourceRecord},
};
use utoipa::IntoParams;

/// The sources of the organisation.
#[utoipa::path(get, path = "/api/v1/admin/sources", tag = "catalog",
    responses((status = 200, body = Page<SourceRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
) -> ApiResult<Json<Page<SourceRecord>>> {
    Ok(Json(Page { data: app.team.sources(&actor).await?, next: None }))
}

/// Adds a source: a git repository or an index. Its address is checked; nothing is fetched.
#[utoipa::path(post, path = "/api/v1/admin/sources", tag = "catalog", request_body = SourceInput,
    responses((status = 201, body = SourceRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<SourceInput>,
) -> ApiResult<(StatusCode, Json<SourceRecord>)> {
    Ok((StatusCode::CREATED, Json(app.team.create_source(&actor, &input).await?)))
}

/// One source.
#[utoipa::path(get, path = "/api/v1/admin/sources/{id}", params(("id" = String, Path)), tag = "catalog",
    responses((status = 200, body = SourceRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn get(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<SourceRecord>> {
    Ok(Json(app.team.source(&actor, &id).await?))
}

/// Changes a source.
#[utoipa::path(put, path = "/api/v1/admin/sources/{id}", params(("id" = String, Path)), tag = "catalog", request_body = SourceInput,
    responses((status = 200, body = SourceRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn change(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<SourceInput>,
) -> ApiResult<Json<SourceRecord>> {
    Ok(Json(app.team.change_source(&actor, &id, &input).await?))
}

/// Removes a source; skills that came from it stay.
#[utoipa::path(delete, path = "/api/v1/admin/sources/{id}", params(("id" = String, Path)), tag = "catalog",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn delete(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.delete_source(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks a source now, and keeps the commit or the reason why it failed.
#[utoipa::path(post, path = "/api/v1/admin/sources/{id}/check", params(("id" = String, Path)), tag = "catalog",
    responses((status = 200, body = SourceRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn check(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<SourceRecord>> {
    Ok(Json(app.team.check_source(&actor, &id).await?))
}

/// How the catalog is read.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CatalogQuery {
    /// Ask every source now, for administrators; else what was asked in the last five minutes is used.
    #[serde(default)]
    refresh: bool,
}

/// What the sources offer, with what is installed and what changed. Sources that could not be asked are in `errors`.
#[utoipa::path(get, path = "/api/v1/catalog", params(CatalogQuery), tag = "catalog",
    responses((status = 200, body = CatalogReport), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn catalog(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<CatalogQuery>,
) -> ApiResult<Json<CatalogReport>> {
    Ok(Json(app.team.catalog(&actor, query.refresh).await?))
}

/// Installs a skill of a source, or its update. The version waits: no user gets it before it was agreed to.
#[utoipa::path(post, path = "/api/v1/catalog/install", tag = "catalog", request_body = CatalogInstall,
    responses((status = 201, body = CatalogInstalled), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn install(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<CatalogInstall>,
) -> ApiResult<(StatusCode, Json<CatalogInstalled>)> {
    Ok((StatusCode::CREATED, Json(app.team.install_from_catalog(&actor, &input).await?)))
}
