//! Skills and their versions.

use super::{Page, Paging};
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
    upload::{Form, form},
};
use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use skillful_archive::write_zip;
use skillful_format::Tree;
use skillful_registry::review::Card;
use skillful_team::{
    Scope, TeamError,
    judged::{CheckedView, FindingView, checked, gained},
    proposals::ProposalDetail,
    skills::{SkillChange, SkillFilter, SkillRecord},
    upload::{Stored, Upload},
    versions::{FileRecord, TreeVerdict, VersionRecord, VersionState},
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

/// The skills that the caller may read, newest first.
#[utoipa::path(get, path = "/api/v1/skills", params(SkillQuery), tag = "skills",
    responses((status = 200, body = Page<SkillRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<SkillQuery>,
) -> ApiResult<Json<Page<SkillRecord>>> {
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
    let page = app.team.skills(&actor, &filter).await?;
    Ok(Json(Page { data: page.items, next: page.next }))
}

/// For whom a new skill is.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CreateQuery {
    /// `own`, `group`, `org` or `global`; own without it.
    scope: Option<String>,
    /// The group.
    group: Option<String>,
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

/// The key of a request that may be sent again.
fn request_key(headers: &HeaderMap) -> Option<String> {
    let key = headers.get("idempotency-key")?.to_str().ok()?;
    (!key.is_empty() && key.len() <= 255).then(|| format!("key:{key}"))
}

fn upload(form: Form, request: Option<String>) -> Upload {
    let field = |name: &str| form.fields.get(name).filter(|text| !text.is_empty()).cloned();
    Upload {
        title: field("title").or_else(|| field("display_name")),
        notes: field("notes").unwrap_or_default(),
        source: "imported".to_owned(),
        tree: form.tree,
        folder: form.folder,
        is_repeated: request.is_some(),
        request,
        ..Default::default()
    }
}

/// What was stored.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct StoredAnswer {
    #[serde(flatten)]
    pub(super) stored: Stored,
    /// Files that were not taken, and why.
    pub(super) skipped: Vec<String>,
}

/// The skill of a request, and the files that were not taken.
pub(super) async fn received(request: Request) -> Result<(Upload, Vec<String>), TeamError> {
    let key = request_key(request.headers());
    let mut form = form(request).await?;
    let skipped = std::mem::take(&mut form.skipped);
    Ok((upload(form, key), skipped))
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
    let (upload, skipped) = received(request).await?;
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

/// The versions of a skill, newest first.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions", params(("id" = String, Path)), tag = "skills",
    responses((status = 200, body = Page<VersionRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn versions(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<Page<VersionRecord>>> {
    Ok(Json(Page { data: app.team.versions(&actor, &id).await?, next: None }))
}

/// Adds a version.
#[utoipa::path(post, path = "/api/v1/skills/{id}/versions", params(("id" = String, Path)), tag = "skills",
    request_body(content(("application/zip"), ("multipart/form-data"), ("text/markdown"))),
    responses((status = 201, body = StoredAnswer), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn add_version(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    request: Request,
) -> ApiResult<(StatusCode, Json<StoredAnswer>)> {
    // Who may not see the skill is refused before the upload is read.
    app.team.skill(&actor, &id).await?;
    let (upload, skipped) = received(request).await?;
    let stored = app.team.add_version(&actor, &id, upload).await?;
    Ok((StatusCode::CREATED, Json(StoredAnswer { stored, skipped })))
}

/// One version: what it can do, and what the audit found.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}", params(("id" = String, Path), ("number" = i64, Path)),
    tag = "skills",
    responses((status = 200, body = VersionRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn version(
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
pub(crate) async fn delete_version(
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

/// Bytes that a browser never runs.
fn inert(bytes: Vec<u8>, name: &str) -> Response {
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    (
        [
            (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
            (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        ],
        bytes,
    )
        .into_response()
}

/// One file of a version.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/files/{path}",
    params(("id" = String, Path), ("number" = i64, Path), ("path" = String, Path, description = "slashes as %2F")), tag = "skills",
    responses((status = 200, content_type = "application/octet-stream"), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn file(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number, path)): Ids<(String, i64, String)>,
) -> ApiResult<Response> {
    let tree = app.team.contents(&actor, &id, number).await?;
    let file = tree.get(&path).ok_or(TeamError::NotFound)?;
    Ok(inert(file.bytes.clone(), path.rsplit('/').next().unwrap_or("file")))
}

/// A version as a zip with one folder, named like the skill.
pub(crate) fn zip(tree: &Tree, name: &str) -> Result<Response, TeamError> {
    let bytes = write_zip(tree, name).map_err(|refused| TeamError::Internal(refused.message))?;
    let digest = tree.digest().to_string();
    let mut response = inert(bytes, &format!("{name}.zip"));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/zip"));
    if let Ok(tag) = header::HeaderValue::from_str(&format!("\"{digest}\"")) {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}

/// A version as a zip.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/content",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills",
    responses((status = 200, content_type = "application/zip"), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn content(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
) -> ApiResult<Response> {
    let version = app.team.version(&actor, &id, number).await?;
    let tree = app.team.contents(&actor, &id, number).await?;
    Ok(zip(&tree, &version.name)?)
}

/// A changed file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct FileDifference {
    /// Its path.
    path: String,
    /// `added`, `removed` or `changed`.
    change: &'static str,
    /// The text before; absent for a new file and for one that is not text.
    before: Option<String>,
    /// The text afterwards.
    after: Option<String>,
    /// Whether it is not text.
    is_binary: bool,
}

/// What two versions differ in.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct VersionDifference {
    /// The older version.
    from: i64,
    /// The newer version.
    to: i64,
    /// What the newer one can do that the older one cannot.
    gained: Vec<String>,
    /// What the older one could do and the newer one cannot.
    dropped: Vec<String>,
    /// Files that differ.
    files: Vec<FileDifference>,
}

/// The version to compare with.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DiffQuery {
    /// The other version.
    from: i64,
}

fn differences(old: &Tree, new: &Tree) -> Vec<FileDifference> {
    let paths: std::collections::BTreeSet<&str> =
        old.iter().chain(new.iter()).map(|(path, _)| path.as_str()).collect();
    let mut found = Vec::new();
    for path in paths {
        let (before, after) = (old.get(path), new.get(path));
        if before == after {
            continue;
        }
        let text = |file: Option<&skillful_format::TreeFile>| {
            file.and_then(|file| std::str::from_utf8(&file.bytes).ok()).map(str::to_owned)
        };
        let change = match (before, after) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        let (before_text, after_text) = (text(before), text(after));
        let is_binary = before.is_some() && before_text.is_none() || after.is_some() && after_text.is_none();
        found.push(FileDifference {
            path: path.to_owned(),
            change,
            before: before_text,
            after: after_text,
            is_binary,
        });
    }
    found
}

/// What a version changes, compared with another one.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/diff",
    params(("id" = String, Path), ("number" = i64, Path), DiffQuery), tag = "skills",
    responses((status = 200, body = VersionDifference), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn diff(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
    Params(query): Params<DiffQuery>,
) -> ApiResult<Json<VersionDifference>> {
    let old = app.team.contents(&actor, &id, query.from).await?;
    let new = app.team.contents(&actor, &id, number).await?;
    let card = blocking({
        let (old, new) = (old.clone(), new.clone());
        move || Card::since(&old, &new)
    })
    .await?;
    Ok(Json(VersionDifference {
        from: query.from,
        to: number,
        gained: card.gained.into_iter().collect(),
        dropped: card.dropped.into_iter().collect(),
        files: differences(&old, &new),
    }))
}

/// Runs what takes a while beside the threads that answer requests.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TeamError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| TeamError::Internal(error.to_string()))
}

/// What the check reports about a version.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/check",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills",
    responses((status = 200, body = Page<CheckedView>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn check(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
) -> ApiResult<Json<Page<CheckedView>>> {
    let tree = app.team.contents(&actor, &id, number).await?;
    Ok(Json(Page { data: blocking(move || checked(&tree)).await??, next: None }))
}

/// What a reviewer reads of a version.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct VersionCard {
    /// What it can do.
    capabilities: Vec<String>,
    /// What of that the version that is served cannot do.
    gained: Vec<String>,
    /// What the audit found.
    findings: Vec<FindingView>,
    /// The digest of its files.
    digest: String,
}

/// What a version can do and what is new in it.
#[utoipa::path(get, path = "/api/v1/skills/{id}/versions/{number}/card",
    params(("id" = String, Path), ("number" = i64, Path)), tag = "skills",
    responses((status = 200, body = VersionCard), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn card(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, number)): Ids<(String, i64)>,
) -> ApiResult<Json<VersionCard>> {
    let skill = app.team.skill(&actor, &id).await?;
    let version = app.team.version(&actor, &id, number).await?;
    let before = match skill.default_version.filter(|served| *served != number) {
        Some(served) => app.team.version(&actor, &id, served).await?.capabilities,
        None => std::collections::BTreeSet::new(),
    };
    let gained = gained(&before, &version.capabilities);
    Ok(Json(VersionCard {
        capabilities: version.capabilities.into_iter().collect(),
        gained,
        findings: version.findings,
        digest: version.tree,
    }))
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
