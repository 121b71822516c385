//! Search over everything: skills and pages. Script shows the same list in a dialog (the palette).

use super::{Nav, Shell, Visitor, errors::PageResult, marks, shell::paged, show, skills::group_names};
use crate::{extract::Params, state::App};
use askama::Template;
use axum::{
    Router,
    extract::State,
    http::{HeaderValue, header},
    response::{Html, IntoResponse as _},
    routing::get,
};
use serde::Deserialize;
use skillful_team::{
    TeamError,
    listing::{ListOrder, ListQuery},
};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/search", get(search))
}

/// What is looked for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct SearchAddress {
    q: Option<String>,
    part: Option<String>,
}

/// A page or an action.
struct SearchedPage {
    href: &'static str,
    icon: &'static str,
    word: &'static str,
    keys: &'static str,
}

const fn place(
    href: &'static str,
    icon: &'static str,
    word: &'static str,
    keys: &'static str,
) -> SearchedPage {
    SearchedPage { href, icon, word, keys }
}

const PLACES: &[SearchedPage] = &[
    place("/ui/skills/new", "plus", "New skill", "C"),
    place("/ui/skills/new#import", "upload", "Import a skill", ""),
    place("/ui/skills", "skills", "My skills", "G S"),
    place("/ui/drafts", "write", "Drafts", ""),
    place("/ui/market", "market", "Marketplace", "G K"),
    place("/ui/reviews", "review", "Review", "G R"),
    place("/ui/usage", "usage", "Usage", "G U"),
    place("/ui/account", "own", "Account and agents", ""),
    place("/ui/account#tokens", "key", "Tokens", ""),
    place("/ui/design", "auto", "Design system", ""),
];
const MANAGED: &[SearchedPage] = &[
    place("/ui/audit", "audit", "Audit log", "G A"),
    place("/ui/admin/sources", "branch", "Sources", ""),
    place("/ui/admin/users", "admin", "Users", ""),
    place("/ui/admin/webhooks", "hook", "Webhooks", ""),
    place("/ui/admin/groups", "group", "Groups", ""),
    place("/ui/admin/policies", "admin", "Policies", ""),
    place("/ui/admin/preferences", "admin", "Preferences", ""),
];

struct FoundSkill {
    id: String,
    name: String,
    description: String,
    scope: marks::Mark,
    state: marks::Mark,
}

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    shell: Shell,
    query: String,
    skills: Vec<FoundSkill>,
    places: Vec<&'static SearchedPage>,
}

paged!(SearchPage);

#[derive(Template)]
#[template(path = "palette.html")]
struct Palette {
    skills: Vec<FoundSkill>,
    places: Vec<&'static SearchedPage>,
}

async fn search(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<SearchAddress>,
) -> PageResult {
    let query: String = asked.q.unwrap_or_default().chars().take(200).collect();
    let is_part = asked.part.is_some();
    let wanted = ListQuery {
        words: query.clone(),
        order: ListOrder::Used,
        limit: if is_part { 7 } else { 50 },
        ..Default::default()
    };
    let found = app.team.list_page(&visitor.actor, &wanted).await?;
    let groups = group_names(&app, &visitor.actor).await?;
    let skills = found
        .items
        .iter()
        .map(|one| FoundSkill {
            id: one.skill.id.clone(),
            name: one.skill.name.clone(),
            description: one.skill.description.clone(),
            scope: marks::scope(&one.skill.scope, &groups),
            state: marks::state(one.state),
        })
        .collect();
    let words: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let shell = Shell::of(&app, &visitor, "Search", Nav::Other).await?;
    let may = |place: &&SearchedPage| {
        if place.href.starts_with("/ui/audit") { shell.may_audit } else { shell.may_admin }
    };
    let places = PLACES
        .iter()
        .chain(MANAGED.iter().filter(may))
        .filter(|place| words.iter().all(|word| place.word.to_lowercase().contains(word)))
        .collect();
    if is_part {
        let text =
            Palette { skills, places }.render().map_err(|error| TeamError::Internal(error.to_string()))?;
        let mut response = Html(text).into_response();
        response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
        return Ok(response);
    }
    show(&SearchPage { shell, query, skills, places })
}
