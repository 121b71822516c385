//! The settings of golemcore: `/api/settings/runtime`, with its sections, keys and the environment of commands. As there, a change is
//! answered with all sections; other than there, no secret is given out.

use crate::{
    caller::Caller,
    extract::{Body, Ids},
    problem::ApiResult,
    state::App,
};
use axum::{
    Json, Router,
    extract::State,
    routing::{get, put},
};
use serde_json::Value;
use skillful_team::{Actor, TeamError, runtime_settings::SettingSection};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/api/settings/runtime", get(all))
        .route("/api/settings/runtime/tools/shell/env", get(variables).post(add_variable))
        .route("/api/settings/runtime/tools/shell/env/{name}", put(change_variable).delete(remove_variable))
        .route("/api/settings/runtime/{section}", get(section).put(set_section))
}

/// A section of a path. One that is not known does not exist.
fn known(section: &str) -> Result<SettingSection, TeamError> {
    section.parse().map_err(|_| TeamError::NotFound)
}

/// What a change is answered with.
async fn answer(app: &App, actor: &Actor) -> ApiResult<Json<Value>> {
    Ok(Json(app.team.runtime_settings(actor).await?))
}

async fn all(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    answer(&app, &actor).await
}

async fn section(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(section): Ids<String>,
) -> ApiResult<Json<Value>> {
    Ok(Json(app.team.setting(&actor, known(&section)?).await?))
}

async fn set_section(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(section): Ids<String>,
    Body(given): Body<Value>,
) -> ApiResult<Json<Value>> {
    let section = known(&section)?;
    app.team.set_setting(&actor, section, given).await?;
    match section {
        SettingSection::Variables => Ok(Json(app.team.setting(&actor, section).await?)),
        _ => answer(&app, &actor).await,
    }
}

async fn variables(State(app): State<App>, Caller(actor): Caller) -> ApiResult<Json<Value>> {
    Ok(Json(app.team.shell_variables(&actor).await?))
}

async fn add_variable(
    State(app): State<App>,
    Caller(actor): Caller,
    Body(given): Body<Value>,
) -> ApiResult<Json<Value>> {
    app.team.add_shell_variable(&actor, &given).await?;
    answer(&app, &actor).await
}

async fn change_variable(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(name): Ids<String>,
    Body(given): Body<Value>,
) -> ApiResult<Json<Value>> {
    app.team.change_shell_variable(&actor, &name, &given).await?;
    answer(&app, &actor).await
}

async fn remove_variable(
    State(app): State<App>,
    Caller(actor): Caller,
    Ids(name): Ids<String>,
) -> ApiResult<Json<Value>> {
    app.team.remove_shell_variable(&actor, &name).await?;
    answer(&app, &actor).await
}
