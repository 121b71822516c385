//! The calls of Codex's app-server about skills, as JSON-RPC over `POST /rpc`. A folder means nothing to this server: every one that
//! is asked about has what the caller gets.

use crate::{
    caller::Caller,
    extract::Body,
    listen::Stopping,
    problem::{ApiResult, detail},
    state::App,
};
use axum::{
    Extension, Json, Router,
    extract::State,
    http::HeaderMap,
    response::sse::{Event, Sse},
    routing::{get, post},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::{Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use skillful_archive::write_zip;
use skillful_team::{
    Actor, Scope, TeamError,
    listing::{ListedSkill, ListedState},
    preferences::EffectiveSkill,
};
use std::{convert::Infallible, path::Path};

/// Folders that one call may name.
const FOLDERS: usize = 100;

pub(super) fn router() -> Router<App> {
    Router::new().route("/rpc", post(rpc)).route("/rpc/events", get(changed))
}

/// A call.
#[derive(Deserialize)]
struct Call {
    id: Option<Value>,
    method: String,
    #[serde(default)]
    params: Value,
}

/// Why a call failed, with the number of JSON-RPC.
struct Failed(i64, String);

impl From<TeamError> for Failed {
    fn from(error: TeamError) -> Self {
        let code = match error {
            TeamError::Invalid { .. } => -32_602,
            TeamError::Internal(_) => -32_603,
            _ => -32_000,
        };
        Self(code, detail(&error))
    }
}

fn wrong(why: &str) -> Failed {
    Failed(-32_602, why.to_owned())
}

async fn rpc(State(app): State<App>, Caller(actor): Caller, Body(call): Body<Call>) -> Json<Value> {
    let done = match call.method.as_str() {
        "skills/list" => list(&app, &actor, &call.params).await,
        "skills/config/write" => write(&app, &actor, &call.params).await,
        "skills/remote/read" => remote_list(&app, &actor).await,
        "skills/remote/write" => remote_get(&app, &actor, &call.params).await,
        "skills/extraRoots/set" => extra_roots(&call.params),
        other => Err(Failed(-32_601, format!("`{other}` is not a method of this server"))),
    };
    let id = call.id.unwrap_or(Value::Null);
    Json(match done {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Failed(code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    })
}

/// Replaces the extra roots. A server reads no folders of its callers, so that the only set it can take is the empty one.
fn extra_roots(params: &Value) -> Result<Value, Failed> {
    let Some(roots) = params["extraRoots"].as_array() else {
        return Err(wrong("`extraRoots` is a list of folders"));
    };
    for root in roots {
        if !root.as_str().is_some_and(|root| Path::new(root).is_absolute()) {
            return Err(wrong("an extra root is an absolute path"));
        }
    }
    if roots.is_empty() {
        return Ok(json!({}));
    }
    Err(Failed(-32_601, "this server reads no folders; upload the skills, or add a source".to_owned()))
}

/// Reports that a list of skills is out of date: one `skills/changed` without payload for all changes at once.
async fn changed(
    State(app): State<App>,
    Caller(actor): Caller,
    stopping: Option<Extension<Stopping>>,
    headers: HeaderMap,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let changes = crate::events::changes(app, actor, headers, stopping).await?;
    let reported = changes.filter_map(|seen| async move {
        let is_about_skills = seen.iter().any(|change| {
            let of = change.kind.split('.').next().unwrap_or_default();
            ["skill", "version", "proposal", "preference", "adoption", "group", "integration"].contains(&of)
        });
        is_about_skills.then(|| {
            Ok(Event::default().data(json!({ "jsonrpc": "2.0", "method": "skills/changed" }).to_string()))
        })
    });
    Ok(Sse::new(reported).keep_alive(crate::events::alive()))
}

/// The path of a skill: a resource of this server.
fn path(one: &EffectiveSkill) -> String {
    format!("skill://{}/SKILL.md", one.skill.name)
}

/// A skill of the caller's list that has no version to be served, with the reason.
fn unserved(one: &ListedSkill) -> Option<Value> {
    let why = match (one.state, one.pending) {
        (ListedState::Pending, Some(number)) => {
            format!("version {number} is pending: it waits for a review or for the agreement of its owner")
        }
        (ListedState::Unavailable, _) => {
            "no version is served: each one was yanked, revoked or rejected, or an \
             administrator took the skill out of the lists"
                .to_owned()
        }
        _ => return None,
    };
    Some(json!({ "path": format!("skill://{}/SKILL.md", one.skill.name), "message": why }))
}

fn skill(one: &EffectiveSkill) -> Value {
    let scope = match one.skill.scope {
        Scope::Own(_) => "user",
        Scope::Group(_) | Scope::Org => "admin",
        Scope::Global => "system",
    };
    let manifest = &one.version.manifest;
    let mut shown = json!({
        "name": one.skill.name, "description": one.version.description, "path": path(one), "scope": scope,
        "enabled": one.is_on,
    });
    for (key, field) in [
        ("shortDescription", "short_description"),
        ("interface", "interface"),
        ("dependencies", "dependencies"),
    ] {
        if !manifest[field].is_null() {
            shown[key] = manifest[field].clone();
        }
    }
    shown
}

async fn list(app: &App, actor: &Actor, params: &Value) -> Result<Value, Failed> {
    let folders: Vec<&str> = match &params["cwds"] {
        Value::Null => vec!["."],
        Value::Array(given) if given.len() <= FOLDERS => given
            .iter()
            .map(|one| one.as_str().ok_or_else(|| wrong("`cwds` is a list of texts")))
            .collect::<Result<_, _>>()?,
        _ => return Err(wrong("`cwds` is a list of at most 100 folders")),
    };
    for roots in params["perCwdExtraUserRoots"].as_array().into_iter().flatten() {
        for root in roots["extraUserRoots"].as_array().into_iter().flatten() {
            if !root.as_str().is_some_and(|root| Path::new(root).is_absolute()) {
                return Err(wrong("an extra root is an absolute path"));
            }
        }
    }
    let skills: Vec<Value> = app.team.effective(actor).await?.iter().map(skill).collect();
    let errors: Vec<Value> = app.team.list(actor).await?.iter().filter_map(unserved).collect();
    let data: Vec<Value> =
        folders.iter().map(|cwd| json!({ "cwd": cwd, "skills": skills, "errors": errors })).collect();
    Ok(json!({ "data": data }))
}

async fn write(app: &App, actor: &Actor, params: &Value) -> Result<Value, Failed> {
    let enabled = params["enabled"].as_bool().ok_or_else(|| wrong("`enabled` is true or false"))?;
    let all = app.team.effective(actor).await?;
    let found = match (params["path"].as_str(), params["name"].as_str()) {
        (Some(wanted), None) => all.iter().find(|one| path(one) == wanted),
        (None, Some(name)) => all.iter().find(|one| one.skill.name == name),
        _ => return Err(wrong("name exactly one of `path` and `name`")),
    };
    let id = found.ok_or(TeamError::NotFound)?.skill.id.clone();
    app.team.switch(actor, &id, enabled).await?;
    let effective = app.team.effective(actor).await?.iter().any(|one| one.skill.id == id && one.is_on);
    Ok(json!({ "effectiveEnabled": effective }))
}

async fn remote_list(app: &App, actor: &Actor) -> Result<Value, Failed> {
    let all = app.team.effective(actor).await?;
    let data: Vec<Value> = all
        .iter()
        .filter(|one| one.is_on)
        .map(|one| json!({ "id": one.skill.id, "name": one.skill.name, "description": one.version.description }))
        .collect();
    Ok(json!({ "data": data }))
}

async fn remote_get(app: &App, actor: &Actor, params: &Value) -> Result<Value, Failed> {
    let id = params["id"].as_str().ok_or_else(|| wrong("name the `id` of a skill"))?;
    let all = app.team.effective(actor).await?;
    let one = all.iter().find(|one| one.skill.id == id && one.is_on).ok_or(TeamError::NotFound)?;
    let tree = app.team.contents(actor, id, one.version.number).await?;
    let zip = write_zip(&tree, &one.skill.name).map_err(|refused| TeamError::Internal(refused.message))?;
    let files: Vec<&str> = tree.iter().map(|(path, _)| path.as_str()).collect();
    Ok(json!({
        "id": id, "name": one.skill.name, "digest": one.version.tree, "files": files, "zip": STANDARD.encode(zip),
    }))
}
