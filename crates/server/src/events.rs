//! Live events: what changed, as server-sent events. The id of an event is the number of the change, so that a client that
//! was cut off goes on where it was.

use crate::{
    caller::Caller,
    listen::Stopping,
    problem::{ApiResult, Problem},
    state::App,
};
use axum::{
    Extension,
    extract::State,
    http::HeaderMap,
    response::sse::{Event, KeepAlive, Sse},
};
use futures_util::{Stream, StreamExt as _, stream};
use skillful_team::{Actor, TeamError, TokenScope, log::Change};
use std::{convert::Infallible, time::Duration};

/// How long a stream is quiet before it looks by itself.
const QUIET: Duration = Duration::from_secs(15);

/// What changed, from now on or after `Last-Event-ID`.
#[utoipa::path(get, path = "/api/v1/events", tag = "events",
    params(("last-event-id" = Option<i64>, Header, description = "the last event that was received")),
    responses((status = 200, content_type = "text/event-stream"), (status = "4XX", body = Problem, content_type = "application/problem+json"), (status = "5XX", body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn events(
    State(app): State<App>,
    Caller(actor): Caller,
    stopping: Option<Extension<Stopping>>,
    headers: HeaderMap,
) -> ApiResult<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let seen = changes(app, actor, headers, stopping).await?;
    let events = seen.flat_map(|seen| {
        stream::iter(seen.into_iter().map(|change| {
            let data = serde_json::to_string(&change).unwrap_or_default();
            Ok(Event::default().id(change.seq.to_string()).event("change").data(data))
        }))
    });
    Ok(Sse::new(events).keep_alive(alive()))
}

/// A comment now and then, so that no proxy takes a quiet stream for a dead one.
pub(crate) fn alive() -> KeepAlive {
    KeepAlive::new().interval(QUIET)
}

/// What the caller may see of what changes, in the order of commits, as long as the credential is good and the server goes on: a client
/// that comes again goes on at another process.
pub(crate) async fn changes(
    app: App,
    actor: Actor,
    credential: HeaderMap,
    stopping: Option<Extension<Stopping>>,
) -> Result<impl Stream<Item = Vec<Change>>, TeamError> {
    actor.user()?;
    actor.needs(TokenScope::SkillsRead)?;
    let last = match credential
        .get("last-event-id")
        .map(|value| value.to_str().ok().and_then(|text| text.parse::<i64>().ok()))
    {
        None => app.team.last_change().await?,
        // After a backup was restored, numbers that a client saw may come again: it goes on with what is new.
        Some(Some(seq)) if seq >= 0 => seq.min(app.team.last_change().await?),
        Some(_) => return Err(TeamError::invalid("wrong-event-id", "the id of an event is a number")),
    };
    let watch = app.team.watch();
    let begin = (app, actor, last, watch, credential, stopping, true);
    Ok(stream::unfold(begin, |(app, actor, last, mut watch, credential, mut stopping, first)| async move {
        // The first look is at once; later ones when a change was made, and now and then in any case.
        if !first {
            let stopped = async {
                match &mut stopping {
                    Some(Extension(stopping)) => stopping.wait().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = stopped => return None,
                _quiet = tokio::time::timeout(QUIET, watch.changed()) => {}
            }
        }
        // A credential that ended ends the stream.
        let actor: Actor = match crate::caller::actor(&axum::http::Method::GET, &credential, &app).await {
            Ok(actor) => actor,
            Err(TeamError::Unauthenticated(_) | TeamError::Forbidden(_)) => return None,
            Err(_) => actor,
        };
        let (seen, last) = match app.team.changes(&actor, last).await {
            Ok(found) => found,
            Err(_) => (Vec::new(), last),
        };
        Some((seen, (app, actor, last, watch, credential, stopping, false)))
    }))
}
