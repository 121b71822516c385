//! Users: their roles and state.

use super::{AdminTab, ROWS, Tab, has_words, may_change, tabs};
use crate::{
    extract::{Ids, Params},
    page::{
        Nav, Posted, Shell, Visitor,
        address::{Address, Pager, page_number},
        deeds::told,
        errors::PageResult,
        flash::{Flash, Undo},
        marks::{Mark, Markup},
        shell::paged,
        show, words,
    },
    state::App,
};
use askama::Template;
use axum::{
    Router,
    extract::State,
    routing::{get, post},
};
use serde::Deserialize;
use skillful_team::{Role, TeamError, groups::Group, people::User};
use std::{cmp::Reverse, collections::BTreeSet};

/// The routes.
pub(super) fn router() -> Router<App> {
    Router::new().route("/ui/admin/users", get(users)).route("/ui/admin/users/{id}", post(change_user))
}

paged!(UsersPage);

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct UserAddress {
    q: Option<String>,
    role: Option<String>,
    sort: Option<String>,
    page: Option<String>,
}

struct UserRow {
    id: String,
    name: String,
    email: String,
    letters: String,
    state: Mark,
    is_suspended: bool,
    roles: Vec<(&'static str, &'static str, bool)>,
    role_words: String,
    groups: String,
    seen: Markup,
    is_you: bool,
}

#[derive(Template)]
#[template(path = "admin_users.html")]
struct UsersPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    here: Address,
    rows: Vec<UserRow>,
    pager: Pager,
    roles: Vec<(&'static str, &'static str, bool)>,
    orders: Vec<(&'static str, &'static str, bool)>,
    may_change: bool,
}

/// Orders of the list.
const ORDERS: [(&str, &str); 3] = [("", "Name"), ("seen", "Last seen"), ("new", "Newest first")];

fn role_word(role: Role) -> &'static str {
    match role {
        Role::Reviewer => "Reviewer",
        Role::Auditor => "Auditor",
        Role::OrgAdmin => "Administrator",
        Role::SiteAdmin => "Administrator of the server",
    }
}

async fn users(State(app): State<App>, visitor: Visitor, Params(asked): Params<UserAddress>) -> PageResult {
    let all = app.team.users(&visitor.actor).await?;
    let groups = app.team.groups(&visitor.actor).await?;
    let query = asked.q.unwrap_or_default();
    let role = asked.role.unwrap_or_default();
    let number = page_number(asked.page.as_deref());
    let order = asked.sort.unwrap_or_default();
    let order = ORDERS.iter().find(|(known, _)| *known == order).map_or("", |(known, _)| known);
    let here = Address::of("/ui/admin/users").with("q", &query).with("role", &role).with("sort", order);
    let mut found: Vec<&User> = all
        .iter()
        .filter(|user| has_words(&format!("{} {} {}", user.display_name, user.email, user.sub), &query))
        .filter(|user| role.is_empty() || user.roles.iter().any(|one| one.word() == role))
        .collect();
    match order {
        "seen" => found.sort_by_key(|user| Reverse(user.seen_at)),
        "new" => found.sort_by_key(|user| Reverse(user.created_at)),
        _ => found.sort_by_key(|user| user.shown_name().to_lowercase()),
    }
    let shell = Shell::of(&app, &visitor, "Users", Nav::Admin).await?;
    let rows: Vec<UserRow> = found
        .iter()
        .skip((number - 1) * ROWS)
        .take(ROWS)
        .map(|user| user_row(user, &groups, &visitor, shell.now))
        .collect();
    let page = UsersPage {
        pager: Pager::of(&here, number, ROWS, rows.len(), found.len()),
        roles: Role::ALL.iter().map(|one| (one.word(), role_word(*one), one.word() == role)).collect(),
        orders: ORDERS.iter().map(|(value, word)| (*value, *word, *value == order)).collect(),
        may_change: may_change(&visitor),
        tabs: tabs(&app, &visitor, Tab::Users).await?,
        rows,
        here,
        shell,
    };
    show(&page)
}

fn user_row(user: &User, groups: &[Group], visitor: &Visitor, now: i64) -> UserRow {
    let is_suspended = user.state == "suspended";
    let of_user = |group: &&Group| group.members.iter().any(|member| member.user == user.id);
    let words: Vec<&str> = user.roles.iter().map(|role| role_word(*role)).collect();
    UserRow {
        id: user.id.clone(),
        name: user.shown_name().to_owned(),
        email: user.email.clone(),
        letters: words::initials(user.shown_name()),
        state: if is_suspended {
            Mark::new("warn", "off", "Suspended")
        } else {
            Mark::new("ok", "ok", "Active")
        },
        is_suspended,
        roles: Role::ALL
            .iter()
            .map(|role| (role.word(), role_word(*role), user.roles.contains(role)))
            .collect(),
        role_words: if words.is_empty() { "Member".to_owned() } else { words.join(", ") },
        groups: groups.iter().filter(of_user).map(|group| group.name.as_str()).collect::<Vec<_>>().join(", "),
        seen: if user.seen_at > 0 { words::time(user.seen_at, now) } else { Markup("never".to_owned()) },
        is_you: user.id == visitor.id(),
    }
}

async fn change_user(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let back = fields.back("/ui/admin/users").to_owned();
    let action = format!("/ui/admin/users/{id}");
    if fields.has("state") {
        let state = fields.text("state");
        let done = app.team.change_user(&visitor.actor, &id, None, Some(state)).await;
        return told(&back, done, |user| {
            let (word, other) = if user.state == "suspended" {
                ("suspended, and signed out everywhere", "active")
            } else {
                ("active again", "suspended")
            };
            Flash::done(format!("{} is {word}.", user.shown_name()))
                .with_undo(Undo::of(action, &[("state", other)]))
        });
    }
    let roles: BTreeSet<Role> = fields.all("role").map(str::parse).collect::<Result<_, TeamError>>()?;
    let done = app.team.change_user(&visitor.actor, &id, Some(&roles), None).await;
    told(&back, done, |user| Flash::done(format!("The roles of {} are changed.", user.shown_name())))
}
