//! Anthropic's form: three generations of clients, two shapes.

use super::{ListQuery, latest, limit};
use crate::{
    problem::{detail, status},
    state::App,
};
use axum::{
    Json,
    http::{HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use skillful_team::{
    Actor, Scope, TeamError,
    skills::{SkillFilter, SkillRecord},
    versions::VersionRecord,
};

fn time(millis: i64) -> String {
    jiff::Timestamp::from_millisecond(millis).map(|time| time.to_string()).unwrap_or_default()
}

/// The skill as a client of this vendor reads it.
pub(super) async fn skill(
    app: &App,
    actor: &Actor,
    skill: &SkillRecord,
    is_beta: bool,
) -> Result<Value, TeamError> {
    let newest = latest(app, actor, skill).await?;
    Ok(shape(skill, newest.as_ref(), is_beta))
}

fn shape(skill: &SkillRecord, newest: Option<&VersionRecord>, is_beta: bool) -> Value {
    let source = if matches!(skill.scope, Scope::Org | Scope::Global) { "anthropic" } else { "custom" };
    if is_beta {
        return json!({
            "id": skill.id, "type": "skill", "display_title": skill.title,
            "latest_version": newest.map(|version| version.epoch.to_string()),
            "source": source, "created_at": time(skill.created), "updated_at": time(skill.updated),
        });
    }
    json!({
        "id": skill.id, "type": "skill", "display_name": skill.title,
        "latest_version_id": newest.map(|version| version.id.clone()).unwrap_or_default(),
        "source": { "type": source },
        "created_at": time(skill.created), "updated_at": time(skill.updated),
    })
}

pub(super) async fn list(
    app: &App,
    actor: &Actor,
    query: &ListQuery,
    is_beta: bool,
) -> Result<Response, TeamError> {
    let filter = SkillFilter {
        limit: limit(query.limit.as_deref(), 1_000)?,
        after: query.page.clone(),
        scope: match query.source.as_deref() {
            None => String::new(),
            Some("custom") => "own".to_owned(),
            Some("anthropic" | "anthropic_example") => "org".to_owned(),
            Some("plugin") => "global".to_owned(),
            Some(other) => {
                return Err(TeamError::invalid("wrong-source", format!("source: `{other}` is not known")));
            }
        },
        ..Default::default()
    };
    let page = app.team.skills(actor, &filter).await?;
    let mut data = Vec::new();
    for skill in &page.items {
        let newest = latest(app, actor, skill).await?;
        data.push(shape(skill, newest.as_ref(), is_beta));
    }
    let has_more = page.next.is_some();
    let mut body = json!({ "data": data, "next_page": page.next });
    if is_beta {
        body["has_more"] = has_more.into();
    }
    Ok(json(body))
}

pub(super) fn version(version: &VersionRecord, is_beta: bool) -> Value {
    let mut body = json!({
        "id": version.id, "type": "skill_version", "skill_id": version.skill_id, "name": version.name,
        "description": version.description, "created_at": time(version.created),
    });
    if is_beta {
        body["directory"] = version.name.clone().into();
        body["version"] = version.epoch.to_string().into();
    }
    body
}

pub(super) fn version_list(
    versions: &[VersionRecord],
    query: &ListQuery,
    is_beta: bool,
) -> Result<Response, TeamError> {
    let limit = usize::try_from(limit(query.limit.as_deref(), 1_000)?).unwrap_or(20);
    let begin = match &query.page {
        None => 0,
        Some(page) => versions
            .iter()
            .position(|version| version.number.to_string() == *page)
            .map(|at| at + 1)
            .ok_or_else(|| {
                TeamError::invalid("wrong-cursor", "page: the cursor is not one of this server")
            })?,
    };
    let shown = &versions[begin..versions.len().min(begin + limit)];
    let next = (begin + limit < versions.len())
        .then(|| shown.last().map(|version| version.number.to_string()))
        .flatten();
    let mut body = json!({
        "data": shown.iter().map(|one| version(one, is_beta)).collect::<Vec<_>>(), "next_page": next,
    });
    if is_beta {
        body["has_more"] = next.is_some().into();
    }
    Ok(json(body))
}

pub(super) fn deleted_skill(id: &str) -> Value {
    json!({ "id": id, "type": "skill_deleted" })
}

pub(super) fn deleted_version(version: &VersionRecord, is_beta: bool) -> Value {
    let id = if is_beta { version.epoch.to_string() } else { version.id.clone() };
    json!({ "id": id, "type": "skill_version_deleted" })
}

pub(super) fn json(body: Value) -> Response {
    Json(body).into_response()
}

pub(super) fn error(error: &TeamError) -> Response {
    let (status, code) = status(error);
    let kind = match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::CONFLICT => "conflict_error",
        StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => "invalid_request_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        StatusCode::SERVICE_UNAVAILABLE => "overloaded_error",
        _ => "api_error",
    };
    let id = format!("req_{}", jiff::Timestamp::now().as_microsecond());
    let code = if code == "name-taken" { "skill_name_taken" } else { code };
    let body = json!({
        "type": "error",
        "error": { "type": kind, "message": detail(error), "details": { "error_code": code } },
        "request_id": id,
    });
    let mut response = (status, Json(body)).into_response();
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert("request-id", id);
    }
    if status == StatusCode::SERVICE_UNAVAILABLE {
        headers.insert("retry-after", HeaderValue::from_static("2"));
    }
    // The SDKs send every conflict again by themselves; ours last.
    if status == StatusCode::CONFLICT {
        headers.insert("x-should-retry", HeaderValue::from_static("false"));
    }
    response
}
