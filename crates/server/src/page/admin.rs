//! Admin: what its pages share. Users, groups, policies, preferences and tokens are below; sources and webhooks have modules beside it.

mod groups;
mod policies;
mod preferences;
mod tokens;
mod users;

use super::{Nav, Visitor, icon, text, words};
use crate::state::App;
use axum::{Router, routing::get};
use skillful_team::{
    TeamError,
    organisation::{RULES, SettingCounts},
    permission::{OrgDeed, may_org},
};

/// Rows of a page.
pub(crate) const ROWS: usize = 25;
/// Rows from which on a list has a search.
pub(crate) const SEARCHED_FROM: usize = 8;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/admin", get(|| async { axum::response::Redirect::to("/ui/admin/sources") }))
        .merge(users::router())
        .merge(groups::router())
        .merge(policies::router())
        .merge(preferences::router())
        .merge(tokens::router())
}

/// The tabs of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    /// Where skills come from.
    Sources,
    /// Users and their roles.
    Users,
    /// Groups and their members.
    Groups,
    /// Rules of the organisation.
    Policies,
    /// What the organisation and groups want of skills.
    Preferences,
    /// Programs that receive changes.
    Webhooks,
    /// Tokens of all users.
    Tokens,
}

/// A tab with how many entries its list has.
pub(crate) struct AdminTab {
    pub(crate) href: &'static str,
    pub(crate) word: &'static str,
    pub(crate) count: Option<String>,
    pub(crate) is_current: bool,
}

/// The tabs, of which one is the current page.
pub(crate) async fn tabs(app: &App, visitor: &Visitor, current: Tab) -> Result<Vec<AdminTab>, TeamError> {
    let counts = match app.team.setting_counts(&visitor.actor).await {
        Ok(counts) => Some(counts),
        // An owner of a group reads its page without the lists of settings.
        Err(TeamError::Forbidden(_)) => None,
        Err(error) => return Err(error),
    };
    let rules = i64::try_from(RULES.len()).unwrap_or(0);
    let tab = |tab: Tab, href, word, count: fn(&SettingCounts, i64) -> Option<i64>| AdminTab {
        href,
        word,
        count: counts.as_ref().and_then(|counts| count(counts, rules)).map(words::number),
        is_current: tab == current,
    };
    Ok(vec![
        tab(Tab::Sources, "/ui/admin/sources", "Sources", |of, _| Some(of.sources)),
        tab(Tab::Users, "/ui/admin/users", "Users", |of, _| Some(of.users)),
        tab(Tab::Groups, "/ui/admin/groups", "Groups", |of, _| Some(of.groups)),
        tab(Tab::Policies, "/ui/admin/policies", "Policies", |_, rules| Some(rules)),
        tab(Tab::Preferences, "/ui/admin/preferences", "Preferences", |_, _| None),
        tab(Tab::Webhooks, "/ui/admin/webhooks", "Webhooks", |of, _| Some(of.webhooks)),
        tab(Tab::Tokens, "/ui/admin/tokens", "Tokens", |of, _| Some(of.tokens)),
    ])
}

/// Whether the visitor may change settings, or only read them.
pub(crate) fn may_change(visitor: &Visitor) -> bool {
    may_org(&visitor.actor, OrgDeed::ChangeSettings, &visitor.actor.org).is_ok()
}

/// Whether a text has every word of a search.
pub(crate) fn has_words(text: &str, query: &str) -> bool {
    let text = text.to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
}
