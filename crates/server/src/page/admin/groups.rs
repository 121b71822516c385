//! Groups and their members.

use super::{AdminTab, ROWS, SEARCHED_FROM, Tab, has_words, may_change, tabs};
use crate::{
    extract::{Ids, Params},
    page::{
        Nav, Posted, Shell, Visitor,
        address::{Address, Pager, page_number},
        deeds::told,
        errors::PageResult,
        flash::Flash,
        form::Fields,
        marks::Mark,
        shell::{go, paged},
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
use skillful_team::{
    GroupRole, TeamError,
    groups::{Group, GroupInput},
};
use std::collections::{BTreeMap, BTreeSet};

/// The routes.
pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/ui/admin/groups", get(groups).post(create_group))
        .route("/ui/admin/groups/{id}", get(group).post(change_group))
        .route("/ui/admin/groups/{id}/members", post(set_member))
        .route("/ui/admin/groups/{id}/delete", post(delete_group))
}

paged!(GroupsPage, GroupPage);

struct GroupRow {
    id: String,
    name: String,
    description: String,
    owners: String,
    members: usize,
    source: Mark,
    claim: String,
}

#[derive(Template)]
#[template(path = "admin_groups.html")]
struct GroupsPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    here: Address,
    rows: Vec<GroupRow>,
    pager: Pager,
    is_searched: bool,
    may_change: bool,
}

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct GroupAddress {
    q: Option<String>,
    page: Option<String>,
}

async fn user_names(
    app: &App,
    visitor: &Visitor,
    groups: &[Group],
) -> Result<BTreeMap<String, String>, TeamError> {
    let ids =
        groups.iter().flat_map(|group| group.members.iter().map(|member| member.user.as_str())).collect();
    app.team.names(&visitor.actor, ids).await
}

async fn groups(State(app): State<App>, visitor: Visitor, Params(asked): Params<GroupAddress>) -> PageResult {
    let all = app.team.groups(&visitor.actor).await?;
    let names = user_names(&app, &visitor, &all).await?;
    let query = asked.q.unwrap_or_default();
    let number = page_number(asked.page.as_deref());
    let here = Address::of("/ui/admin/groups").with("q", &query);
    let found: Vec<&Group> = all
        .iter()
        .filter(|one| has_words(&format!("{} {} {}", one.name, one.description, one.external_ref), &query))
        .collect();
    let rows: Vec<GroupRow> = found
        .iter()
        .skip((number - 1) * ROWS)
        .take(ROWS)
        .map(|group| {
            let owners = group.members.iter().filter(|member| member.role == GroupRole::Owner);
            let owners: BTreeSet<&str> =
                owners.filter_map(|member| names.get(&member.user).map(String::as_str)).collect();
            let users: BTreeSet<&str> = group.members.iter().map(|member| member.user.as_str()).collect();
            GroupRow {
                id: group.id.clone(),
                name: group.name.clone(),
                description: group.description.clone(),
                owners: owners.into_iter().collect::<Vec<_>>().join(", "),
                members: users.len(),
                source: if group.external_ref.is_empty() {
                    Mark::new("", "own", "By hand")
                } else {
                    Mark::new("", "lock", "Single sign-on")
                },
                claim: group.external_ref.clone(),
            }
        })
        .collect();
    let page = GroupsPage {
        shell: Shell::of(&app, &visitor, "Groups", Nav::Admin).await?,
        tabs: tabs(&app, &visitor, Tab::Groups).await?,
        pager: Pager::of(&here, number, ROWS, rows.len(), found.len()),
        is_searched: all.len() > SEARCHED_FROM,
        may_change: may_change(&visitor),
        rows,
        here,
    };
    show(&page)
}

fn group_input(fields: &Fields) -> GroupInput {
    GroupInput {
        name: fields.trimmed("name").to_owned(),
        description: fields.trimmed("description").to_owned(),
        external_ref: fields.trimmed("external_ref").to_owned(),
    }
}

async fn create_group(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let done = app.team.create_group(&visitor.actor, &group_input(&fields)).await;
    let back = done
        .as_ref()
        .map_or_else(|_| "/ui/admin/groups".to_owned(), |group| format!("/ui/admin/groups/{}", group.id));
    told(&back, done, |group| Flash::done(format!("The group {} exists. Add its members.", group.name)))
}

struct MemberRow {
    user: String,
    name: String,
    letters: String,
    role: &'static str,
    source: Mark,
    is_manual: bool,
}

#[derive(Template)]
#[template(path = "admin_group.html")]
struct GroupPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    group: Group,
    members: Vec<MemberRow>,
    others: Vec<(String, String)>,
    may_change: bool,
}

async fn group(State(app): State<App>, visitor: Visitor, Ids(id): Ids<String>) -> PageResult {
    let group = app.team.group(&visitor.actor, &id).await?;
    let names = user_names(&app, &visitor, std::slice::from_ref(&group)).await?;
    let members: Vec<MemberRow> = group
        .members
        .iter()
        .map(|member| {
            let name = names.get(&member.user).cloned().unwrap_or_else(|| member.user.clone());
            MemberRow {
                user: member.user.clone(),
                letters: words::initials(&name),
                name,
                role: member.role.word(),
                source: if member.source == "manual" {
                    Mark::new("", "own", "By hand")
                } else {
                    Mark::new("", "lock", "Single sign-on")
                },
                is_manual: member.source == "manual",
            }
        })
        .collect();
    let all = app.team.users(&visitor.actor).await.unwrap_or_default();
    let others = all
        .iter()
        .filter(|user| {
            user.state == "active" && !members.iter().any(|member| member.user == user.id && member.is_manual)
        })
        .map(|user| (user.id.clone(), user.shown_name().to_owned()))
        .collect();
    let page = GroupPage {
        shell: Shell::of(&app, &visitor, &group.name, Nav::Admin).await?,
        tabs: tabs(&app, &visitor, Tab::Groups).await?,
        may_change: may_change(&visitor) || visitor.actor.groups.get(&id) == Some(&GroupRole::Owner),
        members,
        others,
        group,
    };
    show(&page)
}

async fn change_group(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let done = app.team.change_group(&visitor.actor, &id, &group_input(&fields)).await;
    told(&format!("/ui/admin/groups/{id}"), done, |group| Flash::done(format!("{} is saved.", group.name)))
}

async fn set_member(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let user = fields.text("user").to_owned();
    let role = match fields.text("role") {
        "" => None,
        word => Some(word.parse()?),
    };
    let done = app.team.set_member(&visitor.actor, &id, &user, role).await;
    let name = app
        .team
        .names(&visitor.actor, BTreeSet::from([user.as_str()]))
        .await?
        .remove(&user)
        .unwrap_or_default();
    told(&format!("/ui/admin/groups/{id}"), done, |group| {
        Flash::done(match role {
            Some(role) => format!("{name} is {role} of {}.", group.name),
            None => format!("{name} is not a member of {} any more.", group.name),
        })
    })
}

async fn delete_group(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let group = app.team.group(&visitor.actor, &id).await?;
    if fields.trimmed("name") != group.name {
        let why = format!("The name does not match: type {} to delete it. Nothing was deleted.", group.name);
        return Ok(go(&format!("/ui/admin/groups/{id}"), &Flash::failed(why)));
    }
    let done = app.team.delete_group(&visitor.actor, &id).await;
    told("/ui/admin/groups", done, |()| {
        Flash::done(format!("{} is deleted. Its skills belong to their authors now.", group.name))
    })
}
