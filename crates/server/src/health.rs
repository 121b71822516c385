//! What watches the server reads: whether it lives, whether it can answer, and counters.

use crate::state::App;
use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// Addresses that answer under every host name and have no limit for a caller: a caller who floods, behind the same proxy perhaps, does
/// not make the server look dead.
pub(crate) const WATCHED: [&str; 2] = ["/healthz", "/readyz"];
/// How long an answer about the database and the object store is given again, so that asking in a loop does not load them.
const KEPT: Duration = Duration::from_secs(1);

/// The last answer about the database and the object store.
#[derive(Debug, Default)]
pub(crate) struct LastReady(Mutex<Option<(Instant, [bool; 2])>>);

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

/// Whether the database and the object store answer.
async fn ready(State(app): State<App>) -> Response {
    // Those who ask at once wait for one answer.
    let mut last = app.last_ready.0.lock().await;
    let kept = last.filter(|(at, _)| at.elapsed() < KEPT).map(|(_, answer)| answer);
    let [db, objects] = match kept {
        Some(answer) => answer,
        None => {
            let answer = [app.team.db().is_ready().await, app.team.objects().is_ready().await];
            *last = Some((Instant::now(), answer));
            answer
        }
    };
    drop(last);
    let word = |ready: bool| if ready { "ready" } else { "not available" };
    let text = format!("database: {}\nobject store: {}\n", word(db), word(objects));
    let status = if db && objects { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, text).into_response()
}

async fn metrics(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], app.metrics.text()).into_response()
}
