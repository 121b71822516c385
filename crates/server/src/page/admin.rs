//! Admin: users, groups, policies, preferences, tokens. Sources and webhooks have modules of their own.

use super::{
    Nav, Posted, Shell, Visitor,
    account::{TokenRow, token_row},
    address::{Address, Pager, page_number},
    deeds::told,
    errors::PageResult,
    flash::{Flash, Undo},
    marks::{Mark, Markup},
    shell::paged,
    show, words,
};
use crate::{
    extract::{Ids, Params},
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
    GroupRole, Role, TeamError,
    groups::{Group, GroupInput},
    organisation::{Policy, RULES},
    people::User,
    permission::{OrgDeed, may_org},
    preferences::{Choice, Target},
    skills::SkillFilter,
};
use std::collections::{BTreeMap, BTreeSet};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/admin", get(|| async { axum::response::Redirect::to("/ui/admin/sources") }))
        .route("/ui/admin/users", get(users))
        .route("/ui/admin/users/{id}", post(change_user))
        .route("/ui/admin/groups", get(groups).post(create_group))
        .route("/ui/admin/groups/{id}", get(group).post(change_group))
        .route("/ui/admin/groups/{id}/members", post(set_member))
        .route("/ui/admin/groups/{id}/delete", post(delete_group))
        .route("/ui/admin/policies", get(policies).post(set_policy))
        .route("/ui/admin/preferences", get(preferences).post(set_preference))
        .route("/ui/admin/tokens", get(tokens))
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
fn may_change(visitor: &Visitor) -> bool {
    may_org(&visitor.actor, OrgDeed::ChangeSettings, &visitor.actor.org).is_ok()
}

paged!(UsersPage, GroupsPage, GroupPage, PoliciesPage, PreferencesPage, TokensPage);

// ---- users ----

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct UserAddress {
    q: Option<String>,
    role: Option<String>,
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
    tab: Tab,
    here: Address,
    rows: Vec<UserRow>,
    pager: Pager,
    roles: Vec<(&'static str, &'static str, bool)>,
    may_change: bool,
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::Reviewer => "Reviewer",
        Role::Auditor => "Auditor",
        Role::OrgAdmin => "Administrator",
        Role::SiteAdmin => "Administrator of the server",
    }
}

const ROWS: usize = 25;

async fn users(State(app): State<App>, visitor: Visitor, Params(asked): Params<UserAddress>) -> PageResult {
    let all = app.team.users(&visitor.actor).await?;
    let groups = app.team.groups(&visitor.actor).await?;
    let query = asked.q.unwrap_or_default();
    let role = asked.role.unwrap_or_default();
    let number = page_number(asked.page.as_deref());
    let here = Address::of("/ui/admin/users").with("q", &query).with("role", &role);
    let word = query.trim().to_lowercase();
    let found: Vec<&User> = all
        .iter()
        .filter(|user| {
            word.is_empty()
                || format!("{} {} {}", user.display_name, user.email, user.sub).to_lowercase().contains(&word)
        })
        .filter(|user| role.is_empty() || user.roles.iter().any(|one| one.word() == role))
        .collect();
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
        may_change: may_change(&visitor),
        tab: Tab::Users,
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

// ---- groups ----

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
    tab: Tab,
    rows: Vec<GroupRow>,
    may_change: bool,
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

async fn groups(State(app): State<App>, visitor: Visitor) -> PageResult {
    let all = app.team.groups(&visitor.actor).await?;
    let names = user_names(&app, &visitor, &all).await?;
    let rows = all
        .iter()
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
        tab: Tab::Groups,
        may_change: may_change(&visitor),
        rows,
    };
    show(&page)
}

fn group_input(fields: &super::form::Fields) -> GroupInput {
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
    tab: Tab,
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
        tab: Tab::Groups,
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
        return Ok(super::shell::go(&format!("/ui/admin/groups/{id}"), &Flash::failed(why)));
    }
    let done = app.team.delete_group(&visitor.actor, &id).await;
    told("/ui/admin/groups", done, |()| {
        Flash::done(format!("{} is deleted. Its skills belong to their authors now.", group.name))
    })
}

// ---- policies ----

struct PolicyRow {
    rule: String,
    title: &'static str,
    help: &'static str,
    settings: Vec<(&'static str, bool)>,
}

#[derive(Template)]
#[template(path = "admin_policies.html")]
struct PoliciesPage {
    shell: Shell,
    tab: Tab,
    rows: Vec<PolicyRow>,
    may_change: bool,
}

/// What a rule means. A rule of a newer release shows its name.
fn rule_words(rule: &str) -> (&'static str, &'static str) {
    match rule {
        "review" => (
            "Review",
            "Whether a version for a group or the organisation needs the approval of another user. Off publishes at once what the audit does not block.",
        ),
        _ => ("", "A rule of the organisation."),
    }
}

async fn policies(State(app): State<App>, visitor: Visitor) -> PageResult {
    let set = app.team.policies(&visitor.actor).await?;
    let rows = set
        .into_iter()
        .map(|policy| {
            let (title, help) = rule_words(&policy.rule);
            let known =
                RULES.iter().find(|(rule, _)| *rule == policy.rule).map_or(&[][..], |(_, settings)| settings);
            PolicyRow {
                settings: known.iter().map(|setting| (*setting, *setting == policy.setting)).collect(),
                rule: policy.rule,
                title,
                help,
            }
        })
        .collect();
    let page = PoliciesPage {
        shell: Shell::of(&app, &visitor, "Policies", Nav::Admin).await?,
        tab: Tab::Policies,
        may_change: may_change(&visitor),
        rows,
    };
    show(&page)
}

async fn set_policy(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let before = app.team.policies(&visitor.actor).await?;
    let policy = Policy { rule: fields.text("rule").to_owned(), setting: fields.text("setting").to_owned() };
    let done = app.team.set_policy(&visitor.actor, &policy).await;
    told("/ui/admin/policies", done, |set| {
        let flash = Flash::done(format!("{} is {}.", set.rule, set.setting));
        match before.iter().find(|other| other.rule == set.rule) {
            Some(old) => flash
                .with_undo(Undo::of("/ui/admin/policies", &[("rule", &old.rule), ("setting", &old.setting)])),
            None => flash,
        }
    })
}

// ---- preferences ----

struct PreferenceCell {
    target: String,
    label: String,
    choice: Option<Choice>,
    inherited: Mark,
}

impl PreferenceCell {
    fn options(&self) -> Vec<(&'static str, &'static str, bool)> {
        [
            (Choice::Required, "Required"),
            (Choice::On, "On"),
            (Choice::Offered, "Offered"),
            (Choice::Hidden, "Hidden"),
        ]
        .into_iter()
        .map(|(choice, word)| (choice.word(), word, self.choice == Some(choice)))
        .collect()
    }

    fn mark(&self) -> Mark {
        self.choice.map_or_else(|| self.inherited.clone(), super::marks::choice)
    }
}

struct PreferenceRow {
    id: String,
    name: String,
    served: String,
    cells: Vec<PreferenceCell>,
}

#[derive(Template)]
#[template(path = "admin_preferences.html")]
struct PreferencesPage {
    shell: Shell,
    tab: Tab,
    here: Address,
    groups: Vec<String>,
    rows: Vec<PreferenceRow>,
    next: Option<String>,
    may_change: bool,
}

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct PreferenceAddress {
    q: Option<String>,
    after: Option<String>,
}

async fn preferences(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<PreferenceAddress>,
) -> PageResult {
    let (team, actor) = (&app.team, &visitor.actor);
    may_org(actor, OrgDeed::ReadSettings, &actor.org)?;
    let groups = team.groups(actor).await?;
    let query = asked.q.unwrap_or_default();
    let here = Address::of("/ui/admin/preferences").with("q", &query);
    let mut rows = Vec::new();
    let mut after = asked.after;
    // Personal skills have no preference of others; pages of the list may hold many of them.
    for _ in 0..20 {
        let filter =
            SkillFilter { words: query.clone(), after: after.clone(), limit: 100, ..Default::default() };
        let page = team.skills(actor, &filter).await?;
        for skill in page.items.iter().filter(|skill| !matches!(skill.scope, skillful_team::Scope::Own(_))) {
            if rows.len() >= ROWS {
                break;
            }
            let set = team.preferences(actor, &skill.id).await?;
            let of = |target: &str| set.iter().find(|one| one.target == target).map(|one| one.choice);
            let org = of("org");
            let cell = |target: String, who: &str, inherited: Option<Choice>| PreferenceCell {
                label: format!("{} for {who}", skill.name),
                choice: of(&target),
                inherited: super::marks::choice(inherited.unwrap_or(Choice::Offered)),
                target,
            };
            let mut cells = vec![cell("org".to_owned(), "the organisation", None)];
            cells.extend(groups.iter().map(|group| cell(format!("group:{}", group.id), &group.name, org)));
            rows.push((
                skill.created,
                PreferenceRow {
                    id: skill.id.clone(),
                    name: skill.name.clone(),
                    served: skill
                        .default_version
                        .map_or_else(|| "none".to_owned(), |number| number.to_string()),
                    cells,
                },
            ));
        }
        after = match rows.last() {
            Some((created, row)) if rows.len() >= ROWS => Some(format!("{created}.{}", row.id)),
            _ => page.next,
        };
        if rows.len() >= ROWS || after.is_none() {
            break;
        }
    }
    let page = PreferencesPage {
        shell: Shell::of(&app, &visitor, "Preferences", Nav::Admin).await?,
        tab: Tab::Preferences,
        groups: groups.into_iter().map(|group| group.name).collect(),
        next: after.map(|after| here.with("after", after).to_string()),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        may_change: may_change(&visitor),
        here,
    };
    show(&page)
}

async fn set_preference(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let (skill, target) = (fields.text("skill").to_owned(), Target::of(fields.text("target"))?);
    let back = fields.back("/ui/admin/preferences").to_owned();
    if fields.text("choice").is_empty() {
        let done = app.team.remove_preference(&visitor.actor, &skill, &target).await;
        return told(&back, done, |()| Flash::done("The preference is inherited again."));
    }
    let choice: Choice = fields.text("choice").parse()?;
    let known = app.team.preferences(&visitor.actor, &skill).await?;
    let before = known.iter().find(|one| one.target == fields.text("target"));
    // A change of the choice keeps the pin.
    let done = app
        .team
        .set_preference(&visitor.actor, &skill, &target, choice, before.and_then(|one| one.pin))
        .await;
    let undone = before.map_or("", |one| one.choice.word());
    let undo = Undo::of(
        "/ui/admin/preferences",
        &[("skill", &skill), ("target", fields.text("target")), ("choice", undone)],
    );
    told(&back, done, |set| Flash::done(format!("The preference is {}.", set.choice)).with_undo(undo))
}

// ---- tokens ----

#[derive(Template)]
#[template(path = "admin_tokens.html")]
struct TokensPage {
    shell: Shell,
    tab: Tab,
    rows: Vec<(TokenRow, String)>,
    may_change: bool,
}

async fn tokens(State(app): State<App>, visitor: Visitor) -> PageResult {
    let all = app.team.all_tokens(&visitor.actor).await?;
    let names = app.team.names(&visitor.actor, all.iter().map(|one| one.user.as_str()).collect()).await?;
    let shell = Shell::of(&app, &visitor, "Tokens", Nav::Admin).await?;
    let rows = all
        .iter()
        .map(|one| (token_row(&one.token, shell.now), names.get(&one.user).cloned().unwrap_or_default()))
        .collect();
    let page = TokensPage { tab: Tab::Tokens, may_change: may_change(&visitor), rows, shell };
    show(&page)
}
