//! The routes of golemcore: `/api/skills` by name, with its limits.

use super::instructions;
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::ApiResult,
    state::App,
};
use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use skillful_team::{
    Scope, TeamError,
    catalog::{CatalogInstall, CatalogItem},
    drafts::tree_of,
    judged::metadata,
    preferences::EffectiveSkill,
    upload::Upload,
};
use std::collections::BTreeMap;

/// Characters of a name.
const NAME: usize = 50;
/// Characters of a description.
const DESCRIPTION: usize = 200;
/// Characters of a skill.
const CONTENT: usize = 50_000;
/// Classes of models.
const TIERS: [&str; 4] = ["balanced", "smart", "coding", "deep"];

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/api/skills", get(list).post(create))
        .route("/api/skills/detail", get(detail_by_query))
        .route("/api/skills/marketplace", get(marketplace))
        .route("/api/skills/marketplace/install", post(install))
        .route("/api/skills/{name}", get(detail).put(change).delete(remove))
        .route("/api/skills/{name}/reload", post(reload))
        .route("/api/skills/{name}/mcp-status", get(mcp_status))
}

fn summary(one: &EffectiveSkill) -> Value {
    let manifest = &one.version.manifest;
    json!({
        "name": one.skill.name, "description": one.version.description, "available": one.is_on,
        "hasMcp": !manifest["mcp"].is_null(), "modelTier": manifest["model_tier"], "reason": one.reason,
    })
}

async fn list(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    Ok(Json(app.team.effective(&actor).await?.iter().map(summary).collect::<Vec<_>>().into()))
}

async fn described(app: &App, actor: &skillful_team::Actor, name: &str) -> Result<Value, TeamError> {
    let one = app.team.by_name(actor, name).await?;
    let tree = app.team.contents(actor, &one.skill.id, one.version.number).await?;
    let manifest = &one.version.manifest;
    let mut body = summary(&one);
    body["content"] = instructions(&tree)?.into();
    body["metadata"] = metadata(manifest);
    body["requirements"] = manifest["requires"].clone();
    let variables = app.team.resolved_variables(actor, &one.skill, &tree).await?;
    body["resolvedVariables"] = json!(variables.values);
    body["missingVariables"] = json!(variables.missing);
    Ok(body)
}

async fn detail(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(name): Ids<String>,
) -> ApiResult<Json<Value>> {
    Ok(Json(described(&app, &actor, &name).await?))
}

#[derive(Deserialize)]
struct NameQuery {
    name: String,
}

async fn detail_by_query(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<NameQuery>,
) -> ApiResult<Json<Value>> {
    Ok(Json(described(&app, &actor, &query.name).await?))
}

/// A skill in a request.
#[derive(Deserialize)]
struct SkillInput {
    name: Option<String>,
    content: String,
    description: Option<String>,
    #[serde(rename = "modelTier")]
    model_tier: Option<String>,
}

fn refused(why: impl Into<String>) -> TeamError {
    TeamError::invalid("wrong-skill", why)
}

/// The files of a request. A content without frontmatter gets one.
fn files(name: &str, input: &SkillInput) -> Result<Upload, TeamError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_name = name.len() <= NAME && name.starts_with(plain) && name.chars().all(|c| plain(c) || c == '-');
    if !is_name {
        return Err(refused(format!("a name has small letters, digits and `-`, at most {NAME}")));
    }
    if input.content.chars().count() > CONTENT {
        return Err(refused(format!("a skill has at most {CONTENT} characters")));
    }
    if input
        .description
        .as_ref()
        .is_some_and(|text| text.chars().count() > DESCRIPTION || text.contains('\n'))
    {
        return Err(refused(format!("a description has at most {DESCRIPTION} characters on one line")));
    }
    if let Some(tier) = input.model_tier.as_deref().filter(|tier| !TIERS.contains(tier)) {
        return Err(refused(format!("`{tier}` is not one of {}", TIERS.join(", "))));
    }
    let text = if input.content.starts_with("---\n") {
        input.content.clone()
    } else {
        let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
        let description = input.description.as_deref().unwrap_or(name);
        let tier = input.model_tier.as_ref().map(|tier| format!("model_tier: {tier}\n")).unwrap_or_default();
        format!("---\nname: {name}\ndescription: {}\n{tier}---\n\n{}", quoted(description), input.content)
    };
    let tree = tree_of(&BTreeMap::from([("SKILL.md".to_owned(), text)]))?;
    Ok(Upload { tree, folder: Some(name.to_owned()), ..Default::default() })
}

async fn create(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<SkillInput>,
) -> ApiResult<(StatusCode, Json<Value>)> {
    let name = input.name.clone().ok_or_else(|| refused("name the skill"))?;
    let scope = Scope::Own(actor.user()?.to_owned());
    app.team.create_skill(&actor, &scope, files(&name, &input)?).await?;
    Ok((StatusCode::CREATED, Json(described(&app, &actor, &name).await?)))
}

async fn change(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(name): Ids<String>,
    Body(input): Body<SkillInput>,
) -> ApiResult<Json<Value>> {
    let own = app.team.own_skill(&actor, &name).await?.ok_or(TeamError::NotFound)?;
    app.team.add_version(&actor, &own.id, files(&name, &input)?).await?;
    Ok(Json(described(&app, &actor, &name).await?))
}

async fn remove(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(name): Ids<String>,
) -> ApiResult<StatusCode> {
    let own = app.team.own_skill(&actor, &name).await?.ok_or(TeamError::NotFound)?;
    app.team.delete_skill(&actor, &own.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Every answer of this server is fresh, so that there is nothing to reload; the skill as it is now is the answer.
async fn reload(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(name): Ids<String>,
) -> ApiResult<Json<Value>> {
    Ok(Json(described(&app, &actor, &name).await?))
}

async fn mcp_status(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(name): Ids<String>,
) -> ApiResult<Json<Value>> {
    let one = app.team.by_name(&actor, &name).await?;
    // Servers of skills run on the machines of users and never here.
    Ok(Json(if one.version.manifest["mcp"].is_null() {
        json!({ "hasMcp": false })
    } else {
        json!({ "hasMcp": true, "running": false, "tools": [] })
    }))
}

fn artifact(item: &CatalogItem) -> Value {
    json!({
        "id": format!("{}/{}", item.source_id, item.name), "name": item.name, "description": item.description,
        "maintainer": item.source_label, "artifactId": item.source_id, "artifactType": "skill",
        "version": item.version.clone().or_else(|| item.commit.clone()), "modelTier": null, "sourcePath": item.folder,
        "skillRefs": [item.name], "skillCount": 1, "installed": item.installed.is_some(),
        "updateAvailable": item.update_available,
    })
}

async fn marketplace(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    let report = app.team.catalog(&actor, false).await?;
    let message: Vec<String> =
        report.errors.iter().map(|one| format!("{}: {}", one.label, one.message)).collect();
    Ok(Json(json!({
        "available": true, "message": message.join("; "), "sourceType": "repository", "sourceDirectory": null,
        "items": report.items.iter().map(artifact).collect::<Vec<_>>(),
    })))
}

#[derive(Deserialize)]
struct InstallInput {
    #[serde(rename = "skillId")]
    skill_id: String,
}

async fn install(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<InstallInput>,
) -> ApiResult<Json<Value>> {
    let (source, name) =
        input.skill_id.split_once('/').ok_or_else(|| refused("a skill of the marketplace is SOURCE/NAME"))?;
    let wanted = CatalogInstall {
        source_id: source.to_owned(),
        name: name.to_owned(),
        tree: None,
        scope: None,
        group: None,
    };
    let done = app.team.install_from_catalog(&actor, &wanted).await?;
    Ok(Json(
        json!({ "status": done.outcome, "skill": { "id": done.stored.skill.id, "name": done.stored.skill.name } }),
    ))
}
