//! `GET /skill` as OpenCode has it, and `skill://` resources.

use super::instructions;
use crate::{caller::Caller, extract::Params, problem::ApiResult, state::App};
use axum::{
    Json, Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Deserialize;
use serde_json::{Value, json};
use skillful_format::{Limits, TreePath};
use skillful_team::TeamError;

pub(super) fn router() -> Router<App> {
    Router::new().route("/skill", get(skills)).route("/skill/resource", get(resource))
}

async fn skills(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    let mut found = Vec::new();
    for one in app.team.effective(&actor).await?.into_iter().filter(|one| one.is_on) {
        let tree = app.team.contents(&actor, &one.skill.id, one.version.number).await?;
        found.push(json!({
            "name": one.skill.name, "description": one.version.description, "content": instructions(&tree)?,
            "location": format!("skill://{}/SKILL.md", one.skill.name),
        }));
    }
    Ok(Json(found.into()))
}

#[derive(Deserialize)]
struct ResourceQuery {
    /// `skill://NAME/PATH`.
    uri: String,
}

/// A file of a skill that is on for the caller. An absolute path, `..` and a missing file are errors of their own.
async fn resource(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<ResourceQuery>,
) -> ApiResult<Response> {
    let wrong = |why: String| TeamError::invalid("wrong-resource", why);
    let rest = query
        .uri
        .strip_prefix("skill://")
        .ok_or_else(|| wrong("a resource of a skill is written skill://NAME/PATH".to_owned()))?;
    let (name, path) = rest.split_once('/').unwrap_or((rest, "SKILL.md"));
    let path = TreePath::new(path, &Limits::default()).map_err(|fault| wrong(format!("`{path}` {fault}")))?;
    let one = app.team.by_name(&actor, name).await?;
    if !one.is_on {
        return Err(TeamError::conflict("off", format!("the skill `{name}` is off: {}", one.reason)).into());
    }
    let tree = app.team.contents(&actor, &one.skill.id, one.version.number).await?;
    let file =
        tree.get(path.as_str()).ok_or_else(|| wrong(format!("the skill `{name}` has no file `{path}`")))?;
    let kind = if path.as_str().to_lowercase().ends_with(".md") { "text/markdown" } else { "text/plain" };
    let text = String::from_utf8(file.bytes.clone())
        .map_err(|_| wrong(format!("`{path}` of the skill `{name}` is not text")))?;
    Ok(([(header::CONTENT_TYPE, format!("{kind}; charset=utf-8"))], text).into_response())
}
