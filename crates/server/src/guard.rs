//! What every request passes: the name of the host, headers of safety, counting, and a limit for each caller.

use crate::{
    problem::{ApiError, with_status},
    state::App,
};
use axum::{
    extract::{ConnectInfo, MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use skillful_team::TeamError;
use std::{net::SocketAddr, time::Instant};

/// A page that a browser loads from here may load nothing from elsewhere and run no script of others.
const CONTENT_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
     frame-ancestors 'none'; base-uri 'none'";

const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Refuses requests for other hosts, which a page of another site causes after it changed the address of its name. What watches the
/// server asks it by the address of the machine perhaps, and learns only whether it lives.
pub(crate) async fn host(State(app): State<App>, request: Request, next: Next) -> Response {
    if crate::health::WATCHED.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    // A request may name it in a header and in its first line; a second header is read by a proxy perhaps, and the first one here.
    let headers =
        request.headers().get_all(header::HOST).iter().map(|value| value.to_str().unwrap_or_default());
    let named: Vec<&str> =
        headers.chain(request.uri().authority().map(axum::http::uri::Authority::as_str)).collect();
    let is_known = |named: &&str| app.hosts.iter().any(|known| known.eq_ignore_ascii_case(named));
    if named.is_empty() || !named.iter().all(is_known) {
        let why = "this server is not known by this host name; add it to `hosts` in its configuration";
        return with_status(&TeamError::invalid("wrong-host", why), StatusCode::MISDIRECTED_REQUEST);
    }
    next.run(request).await
}

/// Refuses callers who ask too much, each by the credential, else by the address: others are not slowed down. A credential that
/// was not accepted yet is counted by the address too, so that invented ones bring no further requests.
/// What watches the server is not refused: a service manager would end a server that only has much to do.
pub(crate) async fn limit(State(app): State<App>, request: Request, next: Next) -> Response {
    if crate::health::WATCHED.contains(&request.uri().path()) {
        return next.run(request).await;
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let peer = app.proxies.counted(peer, request.headers());
    if let Err(wait) = app.limits.check(crate::caller::key(request.headers()), peer) {
        app.limits.hold(wait).await;
        let error = TeamError::TooMany(format!("too many requests; wait {} s", wait.as_secs() + 1));
        let mut response = crate::vendor::refusal(request.uri().path(), request.headers(), &error)
            .or_else(|| crate::device::refusal(request.uri().path(), &error))
            .unwrap_or_else(|| ApiError(error).into_response());
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
        return response;
    }
    next.run(request).await
}

/// The word that a method is counted by. A caller can invent methods, and each word is kept for as long as the process runs.
fn counted(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// Adds headers of safety and counts the request.
pub(crate) async fn count(State(app): State<App>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = counted(request.method());
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "none".to_owned(), |path| path.as_str().to_owned());
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // A page of ours says `same-origin`: with `no-referrer` a browser would send `Origin: null` with our own forms.
    headers.entry(header::REFERRER_POLICY).or_insert(HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONTENT_POLICY));
    // For browsers that do not know `frame-ancestors`, and against windows and pages of others that hold on to ours.
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let status = response.status();
    app.metrics.count(method, &route, status.as_u16(), began.elapsed());
    if status.is_server_error() {
        let fields =
            [("what", "request"), ("method", method), ("route", &route), ("status", status.as_str())];
        crate::log::event("warning", &fields);
    }
    response
}
