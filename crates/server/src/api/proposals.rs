//! Reviews.

use super::{Page, Paging};
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use skillful_team::{
    TeamError,
    proposals::{CommentInput, DecisionInput, Proposal, ProposalDetail},
};
use utoipa::IntoParams;

/// Which proposals are wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProposalQuery {
    /// `open`, `approved`, `rejected` or `withdrawn`; all without it.
    state: Option<String>,
    /// The cursor of the page before.
    after: Option<String>,
    /// How many, 1 to 1,000; 500 without it.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<i64>,
}

/// The proposals that the caller may see, oldest first.
#[utoipa::path(get, path = "/api/v1/proposals", params(ProposalQuery), tag = "proposals",
    responses((status = 200, body = Page<Proposal>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(query): Params<ProposalQuery>,
) -> ApiResult<Json<Page<Proposal>>> {
    let state = query.state.unwrap_or_default();
    if !["", "open", "approved", "rejected", "withdrawn"].contains(&state.as_str()) {
        return Err(TeamError::invalid(
            "unknown-state",
            "the state is open, approved, rejected or withdrawn",
        )
        .into());
    }
    let limit = Paging { after: None, limit: query.limit.or(Some(500)) }.limit()?;
    let page = app.team.proposal_page(&actor, &state, query.after.as_deref(), limit).await?;
    Ok(Json(Page { data: page.items, next: page.next }))
}

/// One proposal with everything that a reviewer reads.
#[utoipa::path(get, path = "/api/v1/proposals/{id}", params(("id" = String, Path)), tag = "proposals",
    responses((status = 200, body = ProposalDetail), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn get(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<ProposalDetail>> {
    Ok(Json(app.team.proposal(&actor, &id).await?))
}

/// Adds a comment.
#[utoipa::path(post, path = "/api/v1/proposals/{id}/comments", params(("id" = String, Path)), tag = "proposals", request_body = CommentInput,
    responses((status = 201, body = ProposalDetail), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn comment(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<CommentInput>,
) -> ApiResult<(StatusCode, Json<ProposalDetail>)> {
    Ok((StatusCode::CREATED, Json(app.team.comment(&actor, &id, &input).await?)))
}

/// Approves the files of the digest that was shown.
#[utoipa::path(post, path = "/api/v1/proposals/{id}/approve", params(("id" = String, Path)), tag = "proposals", request_body = DecisionInput,
    responses((status = 200, body = ProposalDetail), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn approve(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<DecisionInput>,
) -> ApiResult<Json<ProposalDetail>> {
    Ok(Json(app.team.decide(&actor, &id, true, &input).await?))
}

/// Rejects the files of the digest that was shown.
#[utoipa::path(post, path = "/api/v1/proposals/{id}/reject", params(("id" = String, Path)), tag = "proposals", request_body = DecisionInput,
    responses((status = 200, body = ProposalDetail), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn reject(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(input): Body<DecisionInput>,
) -> ApiResult<Json<ProposalDetail>> {
    Ok(Json(app.team.decide(&actor, &id, false, &input).await?))
}

/// Takes an own proposal back.
#[utoipa::path(post, path = "/api/v1/proposals/{id}/withdraw", params(("id" = String, Path)), tag = "proposals",
    responses((status = 200, body = ProposalDetail), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn withdraw(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<Json<ProposalDetail>> {
    Ok(Json(app.team.withdraw(&actor, &id).await?))
}
