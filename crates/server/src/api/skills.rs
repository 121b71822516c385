//! Skills: lists, new ones, changes, proposals, verdicts.

use super::{
    Page, Paging,
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
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use serde::Deserialize;
use skillful_team::{
    Scope, TeamError,
    proposals::ProposalDetail,
    revocations::TreeVerdict,
    skills::{SkillChange, SkillFilter, SkillRecord},
};
use utoipa::{IntoParams, ToSchema};

/// Which skills are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SkillQuery {
    /// `own`, `group`, `org` or `global`.
    scope: Option<String>,
    /// A word in name, title or description.
    q: Option<String>,
    /// The cursor of the page before.
    after: Option<String>,
    /// How many, 1 to 1,000; 20 without it.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
}

fn json_text(body: Bytes) -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}

/// The skills that the caller may read, newest first.
#[utoipa::path(get, path = "/api/v1/skills", params(SkillQuery), tag = "skills",
    responses((status = 200, body = Page<SkillRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<SkillQuery>,
) -> ApiResult<Response> {
    let limit = Paging { after: None, limit: query.limit }.limit()?;
    let scope = query.scope.unwrap_or_default();
    if !scope.is_empty() {
        Scope::of(&scope, "")?;
    }
    let filter = SkillFilter {
        scope,
        words: query.q.unwrap_or_default(),
        after: query.after,
        limit,
        ..Default::default()
    };
    let key = (actor, filter);
    if let Some(body) = app.pages.get(&key) {
        return Ok(json_text(body));
    }
    let page = app.team.skills(&key.0, &key.1).await?;
    let page = Page { data: page.items, next: page.next };
    let body: Bytes =
        serde_json::to_vec(&page).map_err(|error| TeamError::Internal(error.to_string()))?.into();
    app.pages.keep(key, &body);
    Ok(json_text(body))
}

/// For whom a new skill is.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CreateQuery {
    /// `own`, `group`, `org` or `global`; own without it.
    scope: Option<String>,
    /// The group.
    group: Option<String>,
    /// `model` when a model wrote it: it is proposed and off, unless the policy `model-made` enables it.
    made_by: Option<String>,
}

/// The scope that a request names.
pub(crate) fn scope_of(kind: Option<&str>, group: Option<&str>, user: &str) -> Result<Scope, TeamError> {
    match kind.unwrap_or("own") {
        "own" => Ok(Scope::Own(user.to_owned())),
        "group" => match group {
            Some(id) => Ok(Scope::Group(id.to_owned())),
            None => Err(TeamError::invalid("no-group", "name the group")),
        },
        other => Scope::of(other, ""),
    }
}

/// Creates a skill from a package (zip, tar.gz, SKILL.md) or from the parts of a form. A skill for others waits for a review.
#[utoipa::path(post, path = "/api/v1/skills", params(CreateQuery), tag = "skills",
    request_body(content(("application/zip"), ("multipart/form-data"), ("text/markdown"))),
    responses((status = 201, body = StoredAnswer), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<CreateQuery>,
    request: Request,
) -> ApiResult<(StatusCode, Json<StoredAnswer>)> {
    let scope = scope_of(query.scope.as_deref(), query.group.as_deref(), actor.user()?)?;
    let (upload, skipped) = received(request, query.made_by.as_deref()).await?;
    let stored = app.team.create_skill(&actor, &scope, upload).await?;
    Ok((StatusCode::CREATED, Json(StoredAnswer { stored, skipped })))
}

/// One skill.
#[utoipa::path(get, path = "/api/v1/skills/{id}", params(("id" = String, Path)), tag = "skills",
    responses((status = 200, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn get(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<SkillRecord>> {
    Ok(Json(app.team.skill(&actor, &id).await?))
}

/// Changes the title or the state of a skill.
#[utoipa::path(patch, path = "/api/v1/skills/{id}", params(("id" = String, Path)), tag = "skills",
    request_body = SkillChange,
    responses((status = 200, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn change(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(change): Body<SkillChange>,
) -> ApiResult<Json<SkillRecord>> {
    Ok(Json(app.team.change_skill(&actor, &id, &change).await?))
}

/// Deletes a skill with all versions.
#[utoipa::path(delete, path = "/api/v1/skills/{id}", params(("id" = String, Path)), tag = "skills",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn delete(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.delete_skill(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Whether a skill is kept.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct KeepInput {
    /// Whether it stays in use although it is not used.
    on: bool,
}

/// Keeps a skill from going stale and being archived while it is not used, or ends that.
#[utoipa::path(put, path = "/api/v1/skills/{id}/kept", params(("id" = String, Path)), tag = "skills", request_body = KeepInput,
    responses((status = 200, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn keep(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<KeepInput>,
) -> ApiResult<Json<SkillRecord>> {
    Ok(Json(app.team.keep(&actor, &id, input.on).await?))
}

/// A wider scope.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct ProposeInput {
    /// `group`, `org` or `global`.
    scope: String,
    /// The group.
    group: Option<String>,
    /// What the author writes.
    #[serde(default)]
    note: String,
}

/// Proposes a version for a wider scope.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions/{number}/propose",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "proposals", request_body = ProposeInput,
    responses((status = 201, body = ProposalDetail), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn propose(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    Body(input): Body<ProposeInput>,
) -> ApiResult<(StatusCode, Json<ProposalDetail>)> {
    let scope = scope_of(Some(&input.scope), input.group.as_deref(), actor.user()?)?;
    Ok((StatusCode::CREATED, Json(app.team.propose(&actor, &id, number, &scope, &input.note).await?)))
}

/// Digests.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct Digests {
    /// At most 1,000.
    digests: Vec<String>,
}

/// What is known about files that clients have installed.
#[utoipa::path(post, path = "/api/v1/verdicts", tag = "skills", request_body = Digests,
    responses((status = 200, body = Page<TreeVerdict>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn verdicts(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(asked): Body<Digests>,
) -> ApiResult<Json<Page<TreeVerdict>>> {
    Ok(Json(Page { data: app.team.verdicts(&actor, &asked.digests).await?, next: None }))
}
