//! What changed since a page was made: asked once when the page hears of changes, so that none falls between.

use super::{Visitor, errors::PageError};
use crate::{extract::Params, state::App};
use axum::{Json, Router, extract::State, routing::get};
use serde::{Deserialize, Serialize};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/live", get(live))
}

#[derive(Clone, Debug, Default, Deserialize)]
struct LiveAddress {
    after: Option<i64>,
}

/// Changes that the user may see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Missed {
    count: usize,
    last: i64,
}

async fn live(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<LiveAddress>,
) -> Result<Json<Missed>, PageError> {
    let after = match asked.after {
        Some(after) => after.max(0),
        None => app.team.last_change().await?,
    };
    let (seen, last) = app.team.changes(&visitor.actor, after).await?;
    Ok(Json(Missed { count: seen.len(), last }))
}
