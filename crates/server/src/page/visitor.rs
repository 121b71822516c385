//! Who looks at a page: the session of the browser, its CSRF token and the settings that cookies hold.

use super::{
    errors::PageError,
    flash::{FLASH, Flash},
};
use crate::{
    caller::{COOKIE, cookie, in_session},
    state::App,
};
use axum::{extract::FromRequestParts, http::request::Parts};
use sha2::{Digest as _, Sha256};
use skillful_team::{Actor, TeamError, people::User};

/// The cookie of the theme.
pub(crate) const THEME: &str = "skillful_theme";
/// The cookie of the keyboard: `off` turns single letters off.
pub(crate) const KEYS: &str = "skillful_keys";

/// A signed-in visitor.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    /// What they may do.
    pub(crate) actor: Actor,
    /// Who they are.
    pub(crate) user: User,
    /// The token that their forms carry.
    pub(crate) csrf: String,
    /// `light`, `dark` or `auto`.
    pub(crate) theme: &'static str,
    /// Whether single letters are shortcuts.
    pub(crate) has_letters: bool,
    /// What the page before left to say.
    pub(crate) flash: Option<Flash>,
    /// The path and the query of the request.
    pub(crate) here: String,
}

/// The theme of a cookie; a value that is not one of ours is the system's.
pub(crate) fn theme(value: Option<&str>) -> &'static str {
    match value {
        Some("light") => "light",
        Some("dark") => "dark",
        _ => "auto",
    }
}

/// The CSRF token of a session: derived from its secret, which no other page reads, and useless without the cookie.
pub(crate) fn token(session: &str) -> String {
    let mut digest = Sha256::new();
    digest.update("skillful csrf\0");
    digest.update(session);
    digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

impl Visitor {
    /// The visitor of a request. A token of a client is not a browser: pages take sessions only.
    pub(crate) async fn of(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        let here = parts.uri.path_and_query().map_or("/ui", axum::http::uri::PathAndQuery::as_str).to_owned();
        let is_read = parts.method == axum::http::Method::GET;
        let gone = |error: TeamError| match error {
            TeamError::Unauthenticated(why) => PageError::SignIn { why, next: is_read.then(|| here.clone()) },
            other => PageError::Refused(other),
        };
        let Some(secret) = cookie(&parts.headers, COOKIE) else {
            return Err(gone(TeamError::Unauthenticated(String::new())));
        };
        let actor = in_session(&parts.method, &parts.headers, app).await.map_err(gone)?;
        let actor = actor.ok_or_else(|| gone(TeamError::Unauthenticated(String::new())))?;
        let user = app.team.me(&actor).await.map_err(gone)?;
        Ok(Self {
            actor,
            user,
            csrf: token(&secret),
            theme: theme(cookie(&parts.headers, THEME).as_deref()),
            has_letters: cookie(&parts.headers, KEYS).as_deref() != Some("off"),
            flash: cookie(&parts.headers, FLASH).and_then(|value| Flash::of(&value)),
            here,
        })
    }

    /// Refuses a form that does not carry the token of the session.
    pub(crate) fn check(&self, sent: &str) -> Result<(), TeamError> {
        let same = sent.len() == self.csrf.len()
            && sent.bytes().zip(self.csrf.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0;
        if same {
            return Ok(());
        }
        Err(TeamError::Forbidden(
            "the form is of another session; open the page again and repeat the change".to_owned(),
        ))
    }

    /// The id of the user.
    pub(crate) fn id(&self) -> &str {
        &self.user.id
    }
}

impl FromRequestParts<App> for Visitor {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, PageError> {
        Self::of(parts, app).await
    }
}
