//! What a version changes, what it can do, and what the check reports about it.

use super::{Page, blocking};
use crate::{
    caller::Caller,
    extract::{Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use skillful_format::Tree;
use skillful_registry::review::Card;
use skillful_team::judged::{CheckedView, FindingView, checked, gained};
use utoipa::{IntoParams, ToSchema};

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
