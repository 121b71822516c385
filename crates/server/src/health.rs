//! What watches the server reads: whether it lives, whether it can answer, and counters.

use crate::state::App;
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
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
