//! The marketplace: skills that members offer to one another.

use super::{Page, Paging};
use crate::{
    caller::Caller,
    extract::{Body, Ids, Params},
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use skillful_team::skills::{SkillFilter, SkillRecord};
use utoipa::ToSchema;

/// What members read before they adopt: no text and no file.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct MarketItem {
    /// The skill.
    id: String,
    /// Its name.
    name: String,
    /// `skill`.
    item_type: &'static str,
    /// What it does and when to use it.
    description: String,
    /// The user who offers it.
    publisher: String,
}

impl MarketItem {
    fn of(skill: SkillRecord) -> Self {
        let publisher = skill.scope.columns().1.to_owned();
        Self { id: skill.id, name: skill.name, item_type: "skill", description: skill.description, publisher }
    }
}

/// Whether.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct Switch {
    /// Whether it is on.
    on: bool,
}

/// A skill.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(crate) struct SkillId {
    /// Its id.
    skill_id: String,
}

/// Skills that members offer.
#[utoipa::path(get, path = "/api/v1/marketplace", params(Paging), tag = "marketplace",
    responses((status = 200, body = Page<MarketItem>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn list(
    State(app): State<App>,
    Caller(actor): Caller,
    Params(paging): Params<Paging>,
) -> ApiResult<Json<Page<MarketItem>>> {
    let filter =
        SkillFilter { offered: true, limit: paging.limit()?, after: paging.after, ..Default::default() };
    let page = app.team.skills(&actor, &filter).await?;
    Ok(Json(Page { data: page.items.into_iter().map(MarketItem::of).collect(), next: page.next }))
}

/// Offers an own skill, or takes the offer and its adoptions back.
#[utoipa::path(put, path = "/api/v1/skills/{id}/offer", params(("id" = String, Path)), tag = "marketplace", request_body = Switch,
    responses((status = 200, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn offer(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(switch): Body<Switch>,
) -> ApiResult<Json<SkillRecord>> {
    Ok(Json(app.team.offer(&actor, &id, switch.on).await?))
}

/// Takes a skill out of every list and of what members get, or puts it back.
#[utoipa::path(put, path = "/api/v1/skills/{id}/listed", params(("id" = String, Path)), tag = "marketplace", request_body = Switch,
    responses((status = 200, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn listed(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
    Body(switch): Body<Switch>,
) -> ApiResult<Json<SkillRecord>> {
    Ok(Json(app.team.list_skill(&actor, &id, switch.on).await?))
}

/// The skills that the caller adopted.
#[utoipa::path(get, path = "/api/v1/adoptions", tag = "marketplace",
    responses((status = 200, body = Page<SkillRecord>), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn adoptions(
    State(app): State<App>,
    Caller(actor): Caller,
) -> ApiResult<Json<Page<SkillRecord>>> {
    Ok(Json(Page { data: app.team.adoptions(&actor).await?, next: None }))
}

/// Adopts a skill that another member offers.
#[utoipa::path(post, path = "/api/v1/adoptions", tag = "marketplace", request_body = SkillId,
    responses((status = 201, body = SkillRecord), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn adopt(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(input): Body<SkillId>,
) -> ApiResult<(StatusCode, Json<SkillRecord>)> {
    Ok((StatusCode::CREATED, Json(app.team.adopt(&actor, &input.skill_id).await?)))
}

/// Ends an adoption.
#[utoipa::path(delete, path = "/api/v1/adoptions/{id}", params(("id" = String, Path)), tag = "marketplace",
    responses((status = 204), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn unadopt(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(id): Ids<String>,
) -> ApiResult<StatusCode> {
    app.team.unadopt(&actor, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
