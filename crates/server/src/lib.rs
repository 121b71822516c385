//! The HTTP server of a team: the API, the vendors' Skills APIs, live events. A thin face of `skillful-team` and the engine.
//!
//! Invariants: no rule about skills or about who may do what is here. Every request passes `guard`; every handler gets its
//! actor from `caller`, read from the database for that request.

mod api;
mod caller;
pub mod config;
mod description;
mod device;
mod events;
mod extract;
mod forwarded;
mod guard;
mod health;
mod limits;
mod listen;
mod log;
mod machine;
mod mcp;
mod metrics;
mod oidc;
mod page;
mod problem;
mod registry;
mod seeds;
mod slow_body;
mod state;
mod upload;
mod vendor;

pub use description::{carried_openapi_text, openapi, openapi_text, packed};
pub use forwarded::Proxies;
pub use listen::serve;
pub use machine::Machine;
pub use oidc::OidcConfig;
pub use problem::Problem;
pub use state::App;

use axum::{Router, http::StatusCode, middleware::from_fn_with_state, response::Response, routing::get};
use limits::Limits;
use metrics::Metrics;
use problem::{ApiError, with_status};
use skillful_team::{Team, TeamError};
use std::sync::Arc;

/// How the server is reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// The address that users open: `https://skills.example.org`; without it the address it listens at.
    pub address: Option<String>,
    /// Further names of the host.
    pub hosts: Vec<String>,
    /// Requests of one credential in a second; 0 means no limit.
    pub requests: u32,
    /// Where users sign in.
    pub oidc: Option<OidcConfig>,
    /// The machine of the one user that the server runs for.
    pub machine: Option<Arc<Machine>>,
    /// The proxies in front whose header with the client's address counts.
    pub proxies: Proxies,
}

/// Asks the identity provider for its description and keys, as a sign-in does.
pub async fn check_sign_in(config: OidcConfig) -> Result<(), TeamError> {
    oidc::Provider::new(config).found().await.map(|_| ())
}

/// The names by which a server at a socket is reached.
fn hosts(port: u16, reached: &Reached) -> (Vec<String>, String) {
    let mut names = vec![format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
    names.extend(reached.hosts.iter().cloned());
    let address = reached.address.clone().unwrap_or_else(|| format!("http://127.0.0.1:{port}"));
    if let Some((_, host)) = address.split_once("://") {
        names.push(host.trim_end_matches('/').to_owned());
    }
    // A browser leaves the port of the scheme out, also where the address names it.
    let url = url::Url::parse(&address).ok();
    if let Some((host, port)) = url.as_ref().and_then(|url| Some((url.host_str()?, url.port()))) {
        names.push(port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")));
    }
    (names, address.trim_end_matches('/').to_owned())
}

/// The whole service.
pub fn service(team: Team, port: u16, reached: &Reached) -> (Router, App) {
    let (names, address) = hosts(port, reached);
    let app = App {
        team,
        hosts: Arc::new(names),
        address: address.into(),
        metrics: Arc::new(Metrics::default()),
        limits: Arc::new(Limits::new(reached.requests)),
        proxies: Arc::new(reached.proxies.clone()),
        issuers: Arc::default(),
        mcp: Arc::default(),
        pages: Arc::default(),
        oidc: reached.oidc.clone().map(|config| Arc::new(oidc::Provider::new(config))),
        last_ready: Arc::default(),
        last_check: Arc::default(),
        machine: reached.machine.clone(),
    };
    let router = api::router()
        .merge(vendor::router())
        .merge(health::router())
        .merge(page::router())
        .merge(oidc::router())
        .merge(device::router())
        .merge(mcp::router())
        .merge(registry::router())
        .merge(seeds::router())
        .route("/openapi.json", get(description::described))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), guard::limit))
        .layer(from_fn_with_state(app.clone(), guard::host))
        .layer(axum::middleware::from_fn(page::for_browsers))
        .layer(from_fn_with_state(app.clone(), guard::count))
        .with_state(app.clone());
    (router, app)
}

async fn not_found() -> ApiError {
    ApiError(TeamError::NotFound)
}

async fn wrong_method() -> Response {
    let error = TeamError::invalid("wrong-method", "this address has no such method");
    with_status(&error, StatusCode::METHOD_NOT_ALLOWED)
}
