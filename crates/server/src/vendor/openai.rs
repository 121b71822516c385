//! The form of `OpenAI`.

use super::{ListQuery, limit};
use crate::{
    problem::{detail, status},
    state::App,
};
use axum::{
    Json,
    extract::{FromRequest as _, Request},
    http::{HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use skillful_team::{
    Actor, TeamError,
    skills::{SkillFilter, SkillRecord},
    versions::VersionRecord,
};

pub(super) fn skill(skill: &SkillRecord) -> Value {
    json!({
        "id": skill.id, "object": "skill", "name": skill.name, "description": skill.description,
        "default_version": skill.default_version.unwrap_or(skill.latest_version).to_string(),
        "latest_version": skill.latest_version.to_string(), "created_at": skill.created / 1_000,
    })
}

pub(super) fn version(version: &VersionRecord) -> Value {
    json!({
        "id": version.id, "object": "skill.version", "skill_id": version.skill_id,
        "version": version.number.to_string(), "name": version.name, "description": version.description,
        "created_at": version.created / 1_000,
    })
}

pub(super) async fn list(app: &App, actor: &Actor, query: &ListQuery) -> Result<Response, TeamError> {
    let oldest_first = oldest_first(query)?;
    // The cursor is the id of the last skill that the client has.
    let after = match &query.after {
        None => None,
        Some(id) => {
            let last = app.team.skill(actor, id).await?;
            Some(format!("{}.{}", last.created, last.id))
        }
    };
    let filter =
        SkillFilter { limit: limit(query.limit.as_deref(), 100)?, after, oldest_first, ..Default::default() };
    let page = app.team.skills(actor, &filter).await?;
    let data: Vec<Value> = page.items.iter().map(skill).collect();
    Ok(json(envelope(&data, page.next.is_some())))
}

pub(super) fn version_list(
    mut versions: Vec<VersionRecord>,
    query: &ListQuery,
) -> Result<Response, TeamError> {
    if oldest_first(query)? {
        versions.reverse();
    }
    let limit = usize::try_from(limit(query.limit.as_deref(), 100)?).unwrap_or(20);
    let begin = match &query.after {
        None => 0,
        Some(id) => versions
            .iter()
            .position(|version| version.id == *id)
            .map(|at| at + 1)
            .ok_or_else(|| TeamError::invalid("wrong-cursor", "after: no version has this id"))?,
    };
    let end = versions.len().min(begin + limit);
    let data: Vec<Value> = versions[begin..end].iter().map(version).collect();
    Ok(json(envelope(&data, end < versions.len())))
}

fn oldest_first(query: &ListQuery) -> Result<bool, TeamError> {
    match query.order.as_deref() {
        Some("asc") => Ok(true),
        None | Some("desc") => Ok(false),
        Some(other) => Err(TeamError::invalid("wrong-order", format!("order: `{other}` is not asc or desc"))),
    }
}

fn envelope(data: &[Value], has_more: bool) -> Value {
    let id = |one: Option<&Value>| one.map_or(Value::Null, |one| one["id"].clone());
    json!({
        "object": "list", "first_id": id(data.first()), "last_id": id(data.last()), "has_more": has_more, "data": data,
    })
}

pub(super) async fn set_default(
    client: &super::Client,
    id: &str,
    request: Request,
) -> Result<Response, TeamError> {
    let Json(body) = Json::<Value>::from_request(request, &())
        .await
        .map_err(|error| TeamError::invalid("wrong-body", error.body_text()))?;
    let named = body["default_version"]
        .as_str()
        .map(str::to_owned)
        .or_else(|| body["default_version"].as_i64().map(|number| number.to_string()));
    let Some(named) = named else {
        return Err(TeamError::invalid("no-version", "default_version: name a version"));
    };
    let found = client.find_version(id, &named).await?;
    Ok(json(skill(&client.app.team.set_default(&client.actor, id, found.number).await?)))
}

pub(super) fn deleted_skill(id: &str) -> Value {
    json!({ "id": id, "object": "skill.deleted", "deleted": true })
}

pub(super) fn deleted_version(version: &VersionRecord) -> Value {
    json!({
        "id": version.id, "object": "skill.version.deleted", "deleted": true, "version": version.number.to_string(),
    })
}

pub(super) fn json(body: Value) -> Response {
    Json(body).into_response()
}

pub(super) fn error(error: &TeamError) -> Response {
    let (status, code) = status(error);
    let kind = match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    };
    let body = json!({ "error": { "message": detail(error), "type": kind, "param": null, "code": code } });
    let mut response = (status, Json(body)).into_response();
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&format!("req_{}", jiff::Timestamp::now().as_microsecond())) {
        headers.insert("x-request-id", id);
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert("retry-after", HeaderValue::from_static("2"));
    }
    if status == StatusCode::CONFLICT {
        headers.insert("x-should-retry", HeaderValue::from_static("false"));
    }
    response
}
