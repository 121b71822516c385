//! What every page has around it: navigation by role, the Live line, the account, the theme, a message.

use super::{
    assets,
    errors::{PageError, PageResult},
    flash::{FLASH, Flash},
    visitor::Visitor,
    words,
};
use crate::state::App;
use askama::Template;
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use skillful_team::{
    Role, TeamError,
    permission::{OrgDeed, may_org},
};

/// The pages of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nav {
    /// What the agents of this machine load.
    Machine,
    /// The skills of the user.
    Skills,
    /// What can be added.
    Market,
    /// What waits for a decision.
    Review,
    /// How much skills are used.
    Usage,
    /// The audit log.
    Audit,
    /// Settings of the organisation.
    Admin,
    /// The account of the user.
    Account,
    /// A page that the navigation does not name.
    Other,
}

/// The frame of a page.
#[derive(Clone, Debug)]
pub(crate) struct Shell {
    /// The title of the window.
    pub(crate) title: String,
    /// The current page.
    pub(crate) at: Nav,
    /// The name of the user.
    pub(crate) name: String,
    /// Their letters.
    pub(crate) letters: String,
    /// What they are, in one or two words.
    pub(crate) role: &'static str,
    /// The CSRF token.
    pub(crate) csrf: String,
    /// `light`, `dark` or `auto`.
    pub(crate) theme: &'static str,
    /// Whether single letters are shortcuts.
    pub(crate) has_letters: bool,
    /// The message of the page before.
    pub(crate) flash: Option<Flash>,
    /// The number of the newest change.
    pub(crate) change: i64,
    /// How many reviews wait.
    pub(crate) waiting: usize,
    /// Whether the audit log may be read.
    pub(crate) may_audit: bool,
    /// Whether settings may be read.
    pub(crate) may_admin: bool,
    /// Whether the server runs for one user on their own machine.
    pub(crate) is_machine: bool,
    /// This page, for forms that come back to it.
    pub(crate) here: String,
    /// The time of the page.
    pub(crate) now: i64,
}

impl Shell {
    /// The frame of a page for a visitor.
    pub(crate) async fn of(app: &App, visitor: &Visitor, title: &str, at: Nav) -> Result<Self, TeamError> {
        let actor = &visitor.actor;
        let name = visitor.user.shown_name().to_owned();
        let role = [
            (Role::SiteAdmin, "administrator"),
            (Role::OrgAdmin, "administrator"),
            (Role::Auditor, "auditor"),
            (Role::Reviewer, "reviewer"),
        ]
        .into_iter()
        .find(|(role, _)| actor.has(*role))
        .map_or("member", |(_, word)| word);
        Ok(Self {
            title: title.to_owned(),
            at,
            letters: words::initials(&name),
            name,
            role,
            csrf: visitor.csrf.clone(),
            theme: visitor.theme,
            has_letters: visitor.has_letters,
            flash: visitor.flash.clone(),
            change: app.team.last_change().await?,
            waiting: app.team.waiting_reviews(actor).await?,
            may_audit: may_org(actor, OrgDeed::ReadAudit, &actor.org).is_ok(),
            may_admin: may_org(actor, OrgDeed::ReadSettings, &actor.org).is_ok(),
            is_machine: app.machine.is_some() && actor.has(Role::SiteAdmin),
            here: visitor.here.clone(),
            now: app.team.now(),
        })
    }

    /// The address of a file of the page.
    #[expect(clippy::unused_self, reason = "templates call it on the page")]
    pub(crate) fn asset(&self, name: &str) -> String {
        assets::address(name)
    }

    /// Whether this is the current page of the navigation.
    pub(crate) fn is_at(&self, at: Nav) -> bool {
        self.at == at
    }

    /// A number with commas.
    #[expect(
        clippy::unused_self,
        clippy::trivially_copy_pass_by_ref,
        reason = "templates call it on the page, with references"
    )]
    pub(crate) fn number(&self, value: &i64) -> String {
        words::number(*value)
    }
}

/// A page with its frame.
pub(crate) trait Paged: Template {
    /// The frame.
    fn shell(&self) -> &Shell;
}

/// Names the frame of pages whose field `shell` holds it.
macro_rules! paged {
    ($($page:ident),* $(,)?) => {
        $(impl $crate::page::Paged for $page {
            fn shell(&self) -> &$crate::page::Shell {
                &self.shell
            }
        })*
    };
}
pub(crate) use paged;

/// Answers with a page. A message is shown once.
pub(crate) fn show(page: &impl Paged) -> PageResult {
    show_as(StatusCode::OK, page)
}

/// Answers with a page and a status.
pub(crate) fn show_as(status: StatusCode, page: &impl Paged) -> PageResult {
    // Pages hold the CSRF token beside what a request may put in, so that they are not compressed (BREACH).
    let text = page.render().map_err(|error| PageError::Refused(TeamError::Internal(error.to_string())))?;
    let mut response = (status, Html(text)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    if page.shell().flash.is_some()
        && let Ok(gone) = HeaderValue::from_str(&format!("{FLASH}=; Path=/ui; Max-Age=0"))
    {
        headers.append(header::SET_COOKIE, gone);
    }
    Ok(response)
}

/// Goes to a page with a message.
pub(crate) fn go(to: &str, flash: &Flash) -> Response {
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, to.to_owned())]).into_response();
    if let Ok(cookie) = HeaderValue::from_str(&flash.cookie()) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}
