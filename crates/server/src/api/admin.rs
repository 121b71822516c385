//! Users, groups, policies and the audit log of the organisation.

use super::Page;
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use skillful_team::{
    GroupRole, Role,
    groups::{Group, GroupInput},
    log::{AuditEntry, ChainCheck},
    organisation::Policy,
    people::User,
};
use std::collections::BTreeSet;
use utoipa::{IntoParams, ToSchema};

/// What is changed about a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct UserChange {
    /// Roles in the organisation.
    roles: Option<BTreeSet<Role>>,
    /// `active` or `suspended`.
    state: Option<String>,
}

/// What a member may do.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct MemberInput {
    /// `viewer`, `editor` or `owner`.
    role: GroupRole,
}

/// Which entries are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AuditQuery {
    /// Only entries before this number.
    before: Option<i64>,
    /// Only entries about this id.
    subject: Option<String>,
    /// Only this action.
    action: Option<String>,
}

/// The newest 500 users.
#[utoipa::path(get, path = "/api/v1/admin/users", tag = "admin",
    responses((status = 200, body = Page<User>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn users(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Page<User>>> {
    Ok(Json(Page { data: app.team.users(&actor).await?, next: None }))
}

/// Changes roles or the state of a user.
#[utoipa::path(patch, path = "/api/v1/admin/users/{id}", params(("id" = String, Path)), tag = "admin", request_body = UserChange,
    responses((status = 200, body = User), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn change_user(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(change): Body<UserChange>,
) -> ApiResult<Json<User>> {
    Ok(Json(app.team.change_user(&actor, &id, change.roles.as_ref(), change.state.as_deref()).await?))
}

/// Groups: all of them for administrators, the own ones for others.
#[utoipa::path(get, path = "/api/v1/groups", tag = "groups",
    responses((status = 200, body = Page<Group>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn groups(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Page<Group>>> {
    Ok(Json(Page { data: app.team.groups(&actor).await?, next: None }))
}

/// Creates a group.
#[utoipa::path(post, path = "/api/v1/groups", tag = "groups", request_body = GroupInput,
    responses((status = 201, body = Group), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn create_group(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<GroupInput>,
) -> ApiResult<(StatusCode, Json<Group>)> {
    Ok((StatusCode::CREATED, Json(app.team.create_group(&actor, &input).await?)))
}

/// One group.
#[utoipa::path(get, path = "/api/v1/groups/{id}", params(("id" = String, Path)), tag = "groups",
    responses((status = 200, body = Group), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn group(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<Group>> {
    Ok(Json(app.team.group(&actor, &id).await?))
}

/// Changes a group.
#[utoipa::path(put, path = "/api/v1/groups/{id}", params(("id" = String, Path)), tag = "groups", request_body = GroupInput,
    responses((status = 200, body = Group), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn change_group(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<GroupInput>,
) -> ApiResult<Json<Group>> {
    Ok(Json(app.team.change_group(&actor, &id, &input).await?))
}

/// Deletes a group; its skills become personal skills of their authors.
#[utoipa::path(delete, path = "/api/v1/groups/{id}", params(("id" = String, Path)), tag = "groups",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn delete_group(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.delete_group(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Adds a member or changes the role.
#[utoipa::path(put, path = "/api/v1/groups/{id}/members/{user}", params(("id" = String, Path), ("user" = String, Path)), tag = "groups", request_body = MemberInput,
    responses((status = 200, body = Group), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn set_member(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, user)): Ids<(String, String)>,
    Body(input): Body<MemberInput>,
) -> ApiResult<Json<Group>> {
    Ok(Json(app.team.set_member(&actor, &id, &user, Some(input.role)).await?))
}

/// Removes a member that was added by hand.
#[utoipa::path(delete, path = "/api/v1/groups/{id}/members/{user}", params(("id" = String, Path), ("user" = String, Path)), tag = "groups",
    responses((status = 200, body = Group), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn remove_member(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids((id, user)): Ids<(String, String)>,
) -> ApiResult<Json<Group>> {
    Ok(Json(app.team.set_member(&actor, &id, &user, None).await?))
}

/// The policies that are in force.
#[utoipa::path(get, path = "/api/v1/admin/policies", tag = "admin",
    responses((status = 200, body = Page<Policy>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn policies(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Page<Policy>>> {
    Ok(Json(Page { data: app.team.policies(&actor).await?, next: None }))
}

/// Changes a policy.
#[utoipa::path(put, path = "/api/v1/admin/policies", tag = "admin", request_body = Policy,
    responses((status = 200, body = Policy), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn set_policy(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(policy): Body<Policy>,
) -> ApiResult<Json<Policy>> {
    Ok(Json(app.team.set_policy(&actor, &policy).await?))
}

/// The audit log, newest first, 200 entries at a time.
#[utoipa::path(get, path = "/api/v1/admin/audit", params(AuditQuery), tag = "admin",
    responses((status = 200, body = Page<AuditEntry>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn audit(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<AuditQuery>,
) -> ApiResult<Json<Page<AuditEntry>>> {
    let subject = query.subject.unwrap_or_default();
    let action = query.action.unwrap_or_default();
    let entries = app.team.audit_log(&actor, query.before, &subject, &action).await?;
    let next = entries.last().filter(|_| entries.len() >= 200).map(|entry| entry.seq.to_string());
    Ok(Json(Page { data: entries, next }))
}

/// Compares every hash of the audit log.
#[utoipa::path(get, path = "/api/v1/admin/audit/check", tag = "admin",
    responses((status = 200, body = ChainCheck), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn check_audit(
    State(app): State<App>,
    Caller(actor): Caller,
) -> ApiResult<Json<ChainCheck>> {
    Ok(Json(app.team.check_audit_log(&actor).await?))
}
