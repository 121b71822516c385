//! Versions: lists, files, new ones, and which one is served or taken back.

use super::{
    Page,
    download::{inert, tagged, unchanged, zip},
    received::{StoredAnswer, received},
};
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde::Deserialize;
use skillful_format::digest_bytes;
use skillful_team::{
    TeamError,
    skills::SkillRecord,
    versions::{FileRecord, VersionRecord, VersionState},
};
use utoipa::{IntoParams, ToSchema};

/// The versions of a skill, newest first.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions", params(("id" = String, Path)), tag = "skills",
    responses((status = 200, body = Page<VersionRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<Page<VersionRecord>>> {
    Ok(Json(Page { data: app.team.versions(&actor, &id).await?, next: None }))
}

/// Who wrote a version.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MakerQuery {
    /// `model` when a model wrote it: it waits for the yes of its user, unless the policy `model-made` enables it.
    made_by: Option<String>,
}

/// Adds a version.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions", params(("id" = String, Path), MakerQuery), tag = "skills",
    request_body(content(("application/zip"), ("multipart/form-data"), ("text/markdown"))),
    responses((status = 201, body = StoredAnswer), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Params(query): Params<MakerQuery>,
    request: Request,
) -> ApiResult<(StatusCode, Json<StoredAnswer>)> {
    // Who may not see the skill is refused before the upload is read.
    app.team.skill(&actor, &id).await?;
    let (upload, skipped) = received(request, query.made_by.as_deref()).await?;
    let stored = app.team.add_version(&actor, &id, upload).await?;
    Ok((StatusCode::CREATED, Json(StoredAnswer { stored, skipped })))
}

/// One version: what it can do, and what the audit found.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}", params(("id" = String, Path), ("number" = i64, Path)),
    tag = "skills",
    responses((status = 200, body = VersionRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn get(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
) -> ApiResult<Json<VersionRecord>> {
    Ok(Json(app.team.version(&actor, &id, number).await?))
}

/// Deletes a version that is not the last one.
#[utoipa::path(delete, path = "/api/v1/skills/{id}/versions/{number}", params(("id" = String, Path), ("number" = i64, Path)),
    tag = "skills",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn delete(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
) -> ApiResult<StatusCode> {
    app.team.delete_version(&actor, &id, number, true).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The files of a version, without their contents.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/files",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills",
    responses((status = 200, body = Page<FileRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn files(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
) -> ApiResult<Json<Page<FileRecord>>> {
    Ok(Json(Page { data: app.team.files(&actor, &id, number).await?, next: None }))
}

/// One file of a version.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/files/{path}",
    params(("id" = String, Path), ("number" = i64, Path), ("path" = String, Path, description = "slashes as %2F")), tag = "skills",
    responses((status = 200, content_type = "application/octet-stream"), (status = 304), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn file(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number, path)): Ids<(String, i64, String)>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let tree = app.team.contents(&actor, &id, number).await?;
    let file = tree.get(&path).ok_or(TeamError::NotFound)?;
    let digest = digest_bytes(&file.bytes).to_string();
    if let Some(answer) = unchanged(&headers, &digest) {
        return Ok(answer);
    }
    Ok(tagged(inert(file.bytes.clone(), path.rsplit('/').next().unwrap_or("file")), &digest))
}

/// A version as a zip.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/content",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills",
    responses((status = 200, content_type = "application/zip"), (status = 304), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn content(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let version = app.team.version(&actor, &id, number).await?;
    // What was revoked is given out in no way.
    if version.state != VersionState::Revoked
        && let Some(answer) = unchanged(&headers, &version.tree)
    {
        return Ok(answer);
    }
    let tree = app.team.contents(&actor, &id, number).await?;
    Ok(zip(&tree, &version.name)?)
}

/// Lets a published version be the one that is served: also the way back to an older one.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions/{number}/default",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills",
    responses((status = 200, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn set_default(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
) -> ApiResult<Json<SkillRecord>> {
    Ok(Json(app.team.set_default(&actor, &id, number).await?))
}

/// The files that the caller agrees to.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct SeenDigest {
    /// The digest that was shown.
    digest: String,
}

/// Agrees to a version of an own skill that waits for its owner, such as one of the catalog, or an import that can do more.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions/{number}/agree",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills", request_body = SeenDigest,
    responses((status = 200, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn agree(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    Body(seen): Body<SeenDigest>,
) -> ApiResult<Json<SkillRecord>> {
    Ok(Json(app.team.agree(&actor, &id, number, &seen.digest).await?))
}

/// Why.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct Reason {
    /// Why; users of the skill read it.
    reason: String,
}

/// Takes a version back from new installations; locks that name it are still served.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions/{number}/yank",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills", request_body = Reason,
    responses((status = 200, body = VersionRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn yank(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    Body(why): Body<Reason>,
) -> ApiResult<Json<VersionRecord>> {
    Ok(Json(app.team.take_back(&actor, &id, number, VersionState::Yanked, &why.reason).await?))
}

/// Undoes a yank.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions/{number}/unyank",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills", request_body = Reason,
    responses((status = 200, body = VersionRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn unyank(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    Body(why): Body<Reason>,
) -> ApiResult<Json<VersionRecord>> {
    Ok(Json(app.team.take_back(&actor, &id, number, VersionState::Published, &why.reason).await?))
}

/// Takes a version back everywhere: it is not given out any more, and clients that ask stop using it.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions/{number}/revoke",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills", request_body = Reason,
    responses((status = 200, body = VersionRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn revoke(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    Body(why): Body<Reason>,
) -> ApiResult<Json<VersionRecord>> {
    Ok(Json(app.team.take_back(&actor, &id, number, VersionState::Revoked, &why.reason).await?))
}
