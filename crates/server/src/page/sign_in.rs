//! Signing in and out, the first administrator, the theme.

use super::{
    assets,
    errors::{PageError, PageResult},
    flash::Flash,
    form::{Posted, is_own_path},
    visitor::{THEME, Visitor, theme},
};
use crate::{
    caller::{COOKIE, cookie},
    extract::{Ids, Params},
    state::App,
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::{get, post},
};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use skillful_team::{Role, TeamError};

/// The cookie of the page that is shown after a sign-in.
pub(crate) const NEXT: &str = "skillful_next";

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui", get(home))
        .route("/ui/sign-in", get(sign_in))
        .route("/ui/sign-out", post(sign_out))
        .route("/ui/theme", post(set_theme))
        .route("/ui/open/{secret}", get(open))
        .route("/first/{secret}", get(ask_first).post(first))
}

/// The first page: what the agents of this machine load where the server runs for its user, else the list of skills.
async fn home(State(app): State<App>, visitor: Visitor) -> Redirect {
    let is_machine = app.machine.is_some() && visitor.actor.has(Role::SiteAdmin);
    Redirect::to(if is_machine { "/ui/machine" } else { "/ui/skills" })
}

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage {
    style: String,
    mark: String,
    theme: &'static str,
    /// Whether an identity provider is set up.
    has_provider: bool,
    /// Whether a session ended.
    has_ended: bool,
    /// Whether this is the link of the first administrator.
    is_first: bool,
}

impl SignInPage {
    fn answer(&self) -> PageResult {
        let text = self.render().map_err(|error| TeamError::Internal(error.to_string()))?;
        let mut response = Html(text).into_response();
        response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        Ok(response)
    }

    fn of(app: &App, headers: &HeaderMap) -> Self {
        Self {
            style: assets::address("style.css"),
            mark: assets::address("mark.svg"),
            theme: theme(cookie(headers, THEME).as_deref()),
            has_provider: app.oidc.is_some(),
            has_ended: false,
            is_first: false,
        }
    }
}

#[derive(Deserialize)]
struct SignInQuery {
    why: Option<String>,
    next: Option<String>,
}

async fn sign_in(
    State(app): State<App>,
    headers: HeaderMap,
    Params(query): Params<SignInQuery>,
) -> PageResult {
    let page = SignInPage { has_ended: query.why.is_some(), ..SignInPage::of(&app, &headers) };
    let mut response = page.answer()?;
    if let Some(next) = query.next.filter(|next| is_own_path(next))
        && let Ok(kept) = HeaderValue::from_str(&format!(
            "{NEXT}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600{}",
            next_value(&next),
            app.secure()
        ))
    {
        response.headers_mut().append(header::SET_COOKIE, kept);
    }
    Ok(response)
}

/// A path as the value of a cookie.
fn next_value(path: &str) -> String {
    url::form_urlencoded::byte_serialize(path.as_bytes()).collect()
}

/// The page that a visitor wanted before they signed in; a path of ours, else the first page.
pub(crate) fn next_page(headers: &HeaderMap) -> String {
    let kept = cookie(headers, NEXT).unwrap_or_default();
    let pair = format!("next={kept}");
    let path = url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, path)| path.into_owned());
    path.filter(|path| is_own_path(path)).unwrap_or_else(|| "/ui".to_owned())
}

async fn sign_out(State(app): State<App>, headers: HeaderMap, _posted: Posted) -> PageResult {
    if let Some(secret) = cookie(&headers, COOKIE) {
        app.team.end_session(&secret).await?;
    }
    let gone = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0{}", app.secure());
    let head = [(header::SET_COOKIE, gone), (header::LOCATION, "/ui/sign-in".to_owned())];
    Ok((StatusCode::SEE_OTHER, head).into_response())
}

async fn set_theme(State(app): State<App>, posted: Posted) -> PageResult {
    let chosen = theme(Some(posted.fields.text("theme")));
    let kept = format!("{THEME}={chosen}; Path=/; SameSite=Lax; Max-Age=31536000{}", app.secure());
    let head = [(header::SET_COOKIE, kept), (header::LOCATION, posted.fields.back("/ui").to_owned())];
    Ok((StatusCode::SEE_OTHER, head).into_response())
}

/// A link that is only opened changes nothing: programs that look at links would use it up.
async fn ask_first(State(app): State<App>, headers: HeaderMap, Ids(_): Ids<String>) -> PageResult {
    SignInPage { is_first: true, ..SignInPage::of(&app, &headers) }.answer()
}

async fn first(State(app): State<App>, Ids(secret): Ids<String>) -> PageResult {
    let user = app.team.use_first_admin_link(&secret).await.map_err(PageError::Refused)?;
    let session = app.team.begin_session(&user.id).await?;
    Ok(begin(&app, session.expose_secret(), "/ui/welcome"))
}

/// The one-time link that `skillful serve --open` gives to the browser of this machine.
async fn open(State(app): State<App>, Ids(secret): Ids<String>) -> PageResult {
    let user = app.team.take_once("open", &secret).await?;
    let Some(user) = user else {
        return Err(PageError::SignIn { why: String::new(), next: None });
    };
    let session = app.team.begin_session(&user).await?;
    Ok(begin(&app, session.expose_secret(), "/ui"))
}

/// Begins a session in the browser and goes to a page.
pub(crate) fn begin(app: &App, session: &str, to: &str) -> Response {
    let kept = format!("{COOKIE}={session}; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600{}", app.secure());
    let mut response =
        (StatusCode::SEE_OTHER, [(header::SET_COOKIE, kept), (header::LOCATION, to.to_owned())])
            .into_response();
    let flash = Flash::done("You are signed in.").cookie();
    if let Ok(flash) = HeaderValue::from_str(&flash) {
        response.headers_mut().append(header::SET_COOKIE, flash);
    }
    response
}
