//! The routes of Personal Agent: import, export, catalog, marketplace.

use super::instructions;
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::ApiResult,
    state::App,
    upload::form,
};
use axum::{
    Json, Router,
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use serde::Deserialize;
use serde_json::{Value, json};
use skillful_format::{
    Tree,
    resources::{Content, text_resources},
};
use skillful_team::{
    Scope, TeamError,
    catalog::{CatalogInstall, CatalogItem},
    judged::metadata,
    preferences::EffectiveSkill,
    skills::{SkillFilter, SkillRecord},
    sources::{SourceInput, SourceRecord},
    upload::{Stored, Upload},
    versions::VersionRecord,
};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/skills", get(list))
        .route("/skills/import", post(import))
        .route("/skills/use", post(use_skill))
        .route("/skills/catalog", get(catalog))
        .route("/skills/catalog/install", post(install))
        .route("/skills/{id}", get(one))
        .route("/skills/{id}/export", get(export))
        .route("/admin/skill-catalog", get(sources).post(add_source))
        .route("/admin/skill-catalog/{id}", put(change_source).delete(remove_source))
        .route("/marketplace", get(marketplace))
        .route("/marketplace/skills/{id}/publish", post(publish))
        .route("/marketplace/adoptions", post(adopt).delete(unadopt))
}

fn resources(tree: &Tree) -> Vec<Value> {
    text_resources(tree)
        .into_iter()
        .map(|one| match one.content {
            Content::Text(text) => json!({ "path": one.path.as_str(), "content": text }),
            Content::Binary => json!({ "path": one.path.as_str(), "content": null, "skipped": "not text" }),
            Content::TooLarge => {
                json!({ "path": one.path.as_str(), "content": null, "skipped": "too large" })
            }
        })
        .collect()
}

/// A skill without its texts.
fn record(skill: &SkillRecord, version: Option<&VersionRecord>, enabled: bool) -> Value {
    let manifest = version.map(|version| &version.manifest);
    let field = |name: &str| manifest.map_or(Value::Null, |manifest| manifest[name].clone());
    let owner = match &skill.scope {
        Scope::Own(user) => Value::from(user.as_str()),
        _ => Value::Null,
    };
    json!({
        "id": skill.id, "name": skill.name, "description": skill.description, "when_to_use": field("when_to_use"),
        "allowed_tools": field("allowed_tools"), "context_fork": field("context_fork"), "meta": manifest.map(metadata),
        "enabled": enabled, "state": skill.state, "owner_sub": owner, "scope": skill.scope.columns().0,
        "source": skill.source, "source_id": skill.source_id, "source_version": skill.source_version,
        "version": version.map(|version| version.number),
    })
}

fn with_texts(mut record: Value, tree: &Tree) -> Result<Value, TeamError> {
    record["instructions"] = instructions(tree)?.into();
    record["resources"] = resources(tree).into();
    Ok(record)
}

async fn list(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    let found: Vec<Value> = app
        .team
        .effective(&actor)
        .await?
        .iter()
        .map(|one: &EffectiveSkill| record(&one.skill, Some(&one.version), one.is_on))
        .collect();
    Ok(Json(json!(found)))
}

async fn one(State(app): State<App>, Caller(actor): Caller, Ids(id): Ids<String>) -> ApiResult<Json<Value>> {
    let skill = app.team.skill(&actor, &id).await?;
    let number = skill.default_version.unwrap_or(skill.latest_version);
    let version = app.team.version(&actor, &id, number).await?;
    let tree = app.team.contents(&actor, &id, number).await?;
    let on = app.team.effective(&actor).await?.iter().any(|one| one.skill.id == id && one.is_on);
    Ok(Json(with_texts(record(&skill, Some(&version), on), &tree)?))
}

/// `POST /skills/import`: SKILL.md or a zip; an own skill of that name gets a version.
async fn import(
    State(app): State<App>,
    Caller(actor): Caller,
    request: Request,
) -> ApiResult<(StatusCode, Json<Value>)> {
    actor.user()?;
    let form = form(request).await?;
    let upload = Upload { tree: form.tree, folder: form.folder, ..Default::default() };
    let imported = app.team.import_own(&actor, upload).await?;
    let Stored { skill, version, .. } = &imported.stored;
    let mut body = record(skill, Some(version), skill.default_version == Some(version.number));
    body["pending"] = json!(skill.default_version != Some(version.number));
    body["replaced"] = json!(imported.is_replaced);
    body["skipped"] = json!(form.skipped.into_iter().chain(imported.skipped).collect::<Vec<_>>());
    Ok((StatusCode::CREATED, Json(body)))
}

/// `GET /skills/{id}/export`: the text, or a zip when it has files.
async fn export(State(app): State<App>, Caller(actor): Caller, Ids(id): Ids<String>) -> ApiResult<Response> {
    let skill = app.team.skill(&actor, &id).await?;
    let number = skill.default_version.unwrap_or(skill.latest_version);
    let tree = app.team.contents(&actor, &id, number).await?;
    match tree.skill_file() {
        Some((_, file)) if tree.iter().count() == 1 => {
            let kind = [(header::CONTENT_TYPE, "text/markdown; charset=utf-8")];
            Ok((kind, file.bytes.clone()).into_response())
        }
        _ => Ok(crate::api::zip(&tree, &skill.name)?),
    }
}

/// What is used.
#[derive(Deserialize)]
struct UseInput {
    name: String,
    agent: Option<String>,
}

async fn use_skill(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<UseInput>,
) -> ApiResult<Json<Value>> {
    let agent = input.agent.as_deref().unwrap_or("personal-agent");
    let (found, tree) = app.team.use_by_name(&actor, &input.name, agent).await?;
    Ok(Json(with_texts(record(&found.skill, Some(&found.version), true), &tree)?))
}

fn item(item: &CatalogItem) -> Value {
    json!({
        "source_id": item.origin, "catalog_id": item.source_id, "label": item.source_label, "name": item.name,
        "description": item.description, "folder": item.folder, "commit": item.commit, "tree": item.tree,
        "installed": item.installed.is_some(), "update_available": item.update_available,
    })
}

async fn catalog(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    let report = app.team.catalog(&actor, false).await?;
    Ok(Json(json!({
        "items": report.items.iter().map(item).collect::<Vec<_>>(),
        "errors": report.errors.iter().map(|one| json!({ "label": one.label, "error": one.message })).collect::<Vec<_>>(),
    })))
}

#[derive(Deserialize)]
struct InstallInput {
    catalog_id: String,
    name: String,
}

async fn install(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<InstallInput>,
) -> ApiResult<(StatusCode, Json<Value>)> {
    let wanted = CatalogInstall {
        source_id: input.catalog_id,
        name: input.name,
        tree: None,
        scope: None,
        group: None,
    };
    let done = app.team.install_from_catalog(&actor, &wanted).await?;
    let Stored { skill, version, .. } = &done.stored;
    let enabled = skill.default_version == Some(version.number);
    let mut body = record(skill, Some(version), enabled);
    body["outcome"] = done.outcome.into();
    Ok((StatusCode::CREATED, Json(body)))
}

/// A source in the form of the catalog of skills.
#[derive(Deserialize)]
struct CatalogSource {
    label: Option<String>,
    repo_url: String,
    #[serde(rename = "ref")]
    reference: Option<String>,
    enabled: Option<bool>,
}

impl CatalogSource {
    fn input(self) -> SourceInput {
        SourceInput {
            label: self.label,
            address: self.repo_url,
            reference: self.reference.unwrap_or_default(),
            enabled: self.enabled.unwrap_or(true),
        }
    }
}

fn source(source: &SourceRecord) -> Value {
    json!({
        "id": source.id, "label": source.label, "repo_url": source.address, "ref": source.reference,
        "enabled": source.enabled, "resolved": source.resolved, "error": source.error,
    })
}

async fn sources(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    Ok(Json(app.team.sources(&actor).await?.iter().map(source).collect::<Vec<_>>().into()))
}

async fn add_source(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<CatalogSource>,
) -> ApiResult<(StatusCode, Json<Value>)> {
    Ok((StatusCode::CREATED, Json(source(&app.team.create_source(&actor, &input.input()).await?))))
}

async fn change_source(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<CatalogSource>,
) -> ApiResult<Json<Value>> {
    Ok(Json(source(&app.team.change_source(&actor, &id, &input.input()).await?)))
}

async fn remove_source(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.delete_source(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
struct MarketQuery {
    item_type: Option<String>,
}

/// `GET /marketplace`: what members offer, without texts.
async fn marketplace(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<MarketQuery>,
) -> ApiResult<Json<Value>> {
    if query.item_type.is_some_and(|kind| kind != "skill") {
        return Ok(Json(json!([])));
    }
    let filter = SkillFilter { offered: true, limit: 1_000, ..Default::default() };
    let mut items = Vec::new();
    for skill in app.team.skills(&actor, &filter).await?.items {
        let Some(number) = skill.default_version else { continue };
        let version = app.team.version(&actor, &skill.id, number).await?;
        let Scope::Own(publisher) = &skill.scope else { continue };
        items.push(json!({
            "id": skill.id, "name": skill.name, "item_type": "skill", "description": skill.description,
            "when_to_use": version.manifest["when_to_use"], "publisher": publisher,
        }));
    }
    Ok(Json(items.into()))
}

#[derive(Deserialize)]
struct PublishQuery {
    published: bool,
}

async fn publish(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Params(query): Params<PublishQuery>,
) -> ApiResult<Json<Value>> {
    let skill = app.team.offer(&actor, &id, query.published).await?;
    Ok(Json(json!({ "id": skill.id, "published": skill.is_offered })))
}

#[derive(Deserialize)]
struct AdoptionInput {
    item_id: String,
}

async fn adopt(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<AdoptionInput>,
) -> ApiResult<(StatusCode, Json<Value>)> {
    let skill = app.team.adopt(&actor, &input.item_id).await?;
    Ok((StatusCode::CREATED, Json(json!({ "item_id": skill.id, "item_type": "skill" }))))
}

async fn unadopt(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<AdoptionInput>,
) -> ApiResult<StatusCode> {
    app.team.unadopt(&actor, &input.item_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
