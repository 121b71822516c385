//! The skills of a caller in the form of a registry (`skillful-registry/1`), so that `skillful add` and every other client of that
//! form installs from this server.

use crate::{caller::Caller, extract::Ids, problem::ApiResult, state::App};
use axum::{
    Json, Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::{Value, json};
use skillful_registry::publish::shape::{FORMAT, Listed, Version, index_entry, index_of};
use skillful_team::{
    Actor, TeamError,
    judged::archive,
    skills::SkillRecord,
    versions::{VersionRecord, VersionState},
};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/registry/index.json", get(index))
        .route("/registry/skills/{file}", get(page))
        .route("/registry/archives/{name}/{file}", get(file))
        .route("/.well-known/agent-skills/index.json", get(well_known))
}

fn wrong(error: impl std::fmt::Display) -> TeamError {
    TeamError::Internal(format!("a registry: {error}"))
}

fn number(version: &VersionRecord) -> String {
    format!("{}.0.0", version.number)
}

async fn index(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    let mut listed = Vec::new();
    for skill in app.team.installable(&actor).await? {
        let Some(served) = skill.default_version else { continue };
        let version = app.team.version(&actor, &skill.id, served).await?;
        listed.push(Listed {
            name: skill.name,
            description: version.description.clone(),
            latest: Some(number(&version)),
            tree: Some(version.tree.parse().map_err(wrong)?),
        });
    }
    Ok(Json(json!({ "format": FORMAT, "skills": listed })))
}

/// The same skills as a well-known index, for clients that know no registry. Its archives are those of the registry.
async fn well_known(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    let mut listed = Vec::new();
    for skill in app.team.installable(&actor).await? {
        let Some(served) = skill.default_version else { continue };
        let version = app.team.version(&actor, &skill.id, served).await?;
        let digest = app.team.archive_digest(&version).await?.parse().map_err(wrong)?;
        let (name, text) = (&skill.name, number(&version));
        let url = format!("../../registry/archives/{name}/{name}-{text}.tar.gz");
        listed.push(index_entry(&skill.name, &version.description, &url, &digest));
    }
    Ok(Json(index_of(&listed)))
}

/// The skill of a name, and the versions that a client may install or has locked.
async fn skill(app: &App, actor: &Actor, name: &str) -> Result<(SkillRecord, Vec<VersionRecord>), TeamError> {
    let all = app.team.installable(actor).await?;
    let skill = all.into_iter().find(|skill| skill.name == name).ok_or(TeamError::NotFound)?;
    let mut versions = app.team.versions(actor, &skill.id).await?;
    versions.retain(|version| matches!(version.state, VersionState::Published | VersionState::Yanked));
    versions.reverse();
    Ok((skill, versions))
}

async fn page(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(file): Ids<String>,
) -> ApiResult<Json<Value>> {
    let name = file.strip_suffix(".json").ok_or(TeamError::NotFound)?;
    let (skill, versions) = skill(&app, &actor, name).await?;
    let mut listed = Vec::new();
    for version in &versions {
        let text = number(version);
        listed.push(Version {
            version: text.parse().map_err(wrong)?,
            description: version.description.clone(),
            url: format!("../archives/{name}/{name}-{text}.tar.gz"),
            artefact: app.team.archive_digest(version).await?.parse().map_err(wrong)?,
            tree: version.tree.parse().map_err(wrong)?,
            yanked: (version.state == VersionState::Yanked).then(|| version.reason.clone()),
            published: None,
        });
    }
    Ok(Json(json!({ "format": FORMAT, "name": skill.name, "versions": listed })))
}

async fn file(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((name, file)): Ids<(String, String)>,
) -> ApiResult<Response> {
    let (skill, versions) = skill(&app, &actor, &name).await?;
    let version = versions
        .iter()
        .find(|version| file == format!("{name}-{}.tar.gz", number(version)))
        .ok_or(TeamError::NotFound)?;
    let tree = app.team.contents(&actor, &skill.id, version.number).await?;
    let bytes = tokio::task::spawn_blocking(move || archive(&tree)).await.map_err(wrong)??;
    Ok(([(header::CONTENT_TYPE, "application/gzip")], bytes).into_response())
}
