//! Admin: what its pages share. Users, groups, policies, preferences and tokens are below; sources and webhooks have modules beside it.

mod groups;
mod policies;
mod preferences;
mod tokens;
mod users;

use super::{Nav, Visitor, icon, text};
use crate::state::App;
use axum::{Router, routing::get};
use skillful_team::permission::{OrgDeed, may_org};

/// Rows of a page.
const ROWS: usize = 25;
/// Rows from which on a list has a search.
const SEARCHED_FROM: usize = 8;

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

/// The tabs with their address and word.
pub(crate) const TABS: &[(Tab, &str, &str)] = &[
    (Tab::Sources, "/ui/admin/sources", "Sources"),
    (Tab::Users, "/ui/admin/users", "Users"),
    (Tab::Groups, "/ui/admin/groups", "Groups"),
    (Tab::Policies, "/ui/admin/policies", "Policies"),
    (Tab::Preferences, "/ui/admin/preferences", "Preferences"),
    (Tab::Webhooks, "/ui/admin/webhooks", "Webhooks"),
    (Tab::Tokens, "/ui/admin/tokens", "Tokens"),
];

/// Whether the visitor may change settings, or only read them.
pub(crate) fn may_change(visitor: &Visitor) -> bool {
    may_org(&visitor.actor, OrgDeed::ChangeSettings, &visitor.actor.org).is_ok()
}

/// Whether a text has every word of a search.
pub(crate) fn has_words(text: &str, query: &str) -> bool {
    let text = text.to_lowercase();
    query.to_lowercase().split_whitespace().all(|word| text.contains(word))
}
