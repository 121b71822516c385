//! What is not part of the API: health, the description, the first sign-in.

use crate::{caller::COOKIE, extract::Ids, problem::ApiResult, state::App};
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use secrecy::ExposeSecret as _;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/", get(home))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .route("/first/{secret}", get(ask_first).post(first))
}

/// Whether the database and the object store answer.
async fn ready(State(app): State<App>) -> Response {
    let (db, objects) = (app.team.db().is_ready().await, app.team.objects().is_ready().await);
    let word = |ready: bool| if ready { "ready" } else { "not available" };
    let text = format!("database: {}\nobject store: {}\n", word(db), word(objects));
    let status = if db && objects { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, text).into_response()
}

async fn metrics(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics.text()).into_response()
}

fn page(title: &str, body: &str) -> Html<String> {
    Html(format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"
    ))
}

async fn home() -> Html<String> {
    page(
        "Skillful",
        "<p>This is a team server. Its API is described at <a href=\"/openapi.json\">/openapi.json</a>.</p>",
    )
}

/// A link that is only opened changes nothing: programs that look at links would use it up.
async fn ask_first() -> Html<String> {
    page(
        "First administrator",
        "<p>This link makes you the administrator of this server, once.</p>\
         <form method=\"post\"><button>Sign in as the administrator</button></form>",
    )
}

async fn first(State(app): State<App>, Ids(secret): Ids<String>) -> ApiResult<Response> {
    let user = app.team.use_first_admin_link(&secret).await?;
    let session = app.team.begin_session(&user.id).await?;
    let secure = app.secure();
    let cookie = format!(
        "{COOKIE}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600{secure}",
        session.expose_secret()
    );
    Ok((StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, "/".to_owned())])
        .into_response())
}
