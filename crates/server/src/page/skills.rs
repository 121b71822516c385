//! My skills: the list, its switches, several at once.

use super::{
    Nav, Posted, Shell, Visitor,
    address::{Address, Pager, page_number},
    errors::PageResult,
    flash::{Flash, Undo},
    marks::{self, Mark, Markup},
    picture,
    shell::{go, paged},
    show, words,
};
use crate::{extract::Params, state::App};
use askama::Template;
use axum::{
    Router,
    extract::State,
    routing::{get, post},
};
use serde::Deserialize;
use skillful_team::{
    Actor, TeamError,
    listing::{ListOrder, ListPart, ListQuery, ListedSkill, ListedState},
    preferences::{Choice, Target},
    skills::SkillChange,
};
use std::collections::BTreeMap;

/// Rows of a page.
const ROWS: usize = 25;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/skills", get(list))
        .route("/ui/skills/switch", post(switch))
        .route("/ui/skills/several", post(several))
}

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ListAddress {
    q: Option<String>,
    scope: Option<String>,
    state: Option<String>,
    source: Option<String>,
    sort: Option<String>,
    page: Option<String>,
}

struct Row {
    id: String,
    name: String,
    description: String,
    state: Mark,
    scope: Mark,
    version: String,
    pending: Option<i64>,
    newer: Option<i64>,
    spark: Markup,
    used: Markup,
    is_required: bool,
    can_switch: bool,
    is_on: bool,
    reason: String,
}

struct Tab {
    word: &'static str,
    href: String,
    count: String,
    is_current: bool,
}

#[derive(Template)]
#[template(path = "skills.html")]
struct SkillsPage {
    shell: Shell,
    tabs: Vec<Tab>,
    here: Address,
    rows: Vec<Row>,
    pager: Pager,
    /// Whether the user has no skill at all.
    is_empty: bool,
    states: Vec<(&'static str, String, bool)>,
    sources: Vec<(String, &'static str, bool)>,
    orders: Vec<(&'static str, &'static str, bool)>,
    order: ListOrder,
}

paged!(SkillsPage);

/// The names of the groups whose skills a visitor may read.
pub(crate) async fn group_names(app: &App, actor: &Actor) -> Result<BTreeMap<String, String>, TeamError> {
    app.team.group_names(actor).await
}

/// Where a skill comes from, in words.
pub(crate) fn source_word(source: &str) -> &'static str {
    match source {
        "imported" => "Imported",
        "catalog" => "From a source",
        "integration" => "From an integration",
        _ => "Written here",
    }
}

fn part_word(part: ListPart) -> &'static str {
    match part {
        ListPart::All => "All",
        ListPart::Own => "Own",
        ListPart::Groups => "Groups",
        ListPart::Organisation => "Organisation",
        ListPart::Adopted => "Adopted",
        ListPart::Archived => "Archived",
    }
}

/// The words of a state, as filters show them.
fn state_word(state: ListedState) -> String {
    let word = state.word();
    word[..1].to_uppercase() + &word[1..]
}

async fn list(State(app): State<App>, visitor: Visitor, Params(asked): Params<ListAddress>) -> PageResult {
    let part: ListPart = asked.scope.as_deref().and_then(|word| word.parse().ok()).unwrap_or_default();
    let state: Option<ListedState> = asked.state.as_deref().and_then(|word| word.parse().ok());
    let order: ListOrder = asked.sort.as_deref().and_then(|word| word.parse().ok()).unwrap_or_default();
    let page = page_number(asked.page.as_deref());
    let source = asked.source.unwrap_or_default();
    let query = asked.q.unwrap_or_default();
    let here = Address::of("/ui/skills")
        .with("q", &query)
        .with("scope", if part == ListPart::All { "" } else { part.word() })
        .with("state", state.map_or("", ListedState::word))
        .with("source", &source)
        .with("sort", if order == ListOrder::Used { "" } else { order.word() });
    let wanted = ListQuery {
        part,
        state,
        source: source.clone(),
        words: query,
        order,
        skip: (page - 1) * ROWS,
        limit: ROWS,
    };
    let actor = &visitor.actor;
    let found = app.team.list_page(actor, &wanted).await?;
    let groups = group_names(&app, actor).await?;
    let ids: Vec<&str> = found.items.iter().map(|one| one.skill.id.as_str()).collect();
    let uses = app.team.own_uses(actor, &ids).await?;
    let drafts = app.team.count_drafts(actor).await?;
    let shell = Shell::of(&app, &visitor, "My skills", Nav::Skills).await?;
    let rows = found
        .items
        .iter()
        .map(|one| {
            let uses = uses.get(&one.skill.id).cloned().unwrap_or_default();
            row(one, &groups, &uses, shell.now)
        })
        .collect::<Vec<_>>();
    let mut tabs: Vec<Tab> = found
        .parts
        .iter()
        .map(|(which, count)| Tab {
            word: part_word(*which),
            href: Address::of("/ui/skills")
                .with("scope", if *which == ListPart::All { "" } else { which.word() })
                .to_string(),
            count: words::number(i64::try_from(*count).unwrap_or(0)),
            is_current: *which == part,
        })
        .collect();
    let at = tabs.len() - 1;
    tabs.insert(
        at,
        Tab {
            word: "Drafts",
            href: "/ui/drafts".to_owned(),
            count: words::number(drafts),
            is_current: false,
        },
    );
    let page = SkillsPage {
        pager: Pager::of(&here, page, ROWS, rows.len(), found.total),
        is_empty: found.parts.iter().all(|(_, count)| *count == 0),
        states: ListedState::ALL
            .iter()
            .filter(|one| **one != ListedState::Archived)
            .map(|one| (one.word(), state_word(*one), Some(*one) == state))
            .collect(),
        sources: found.sources.iter().map(|one| (one.clone(), source_word(one), *one == source)).collect(),
        orders: [(ListOrder::Used, "Last used"), (ListOrder::Name, "Name"), (ListOrder::Changed, "Changed")]
            .into_iter()
            .map(|(one, word)| (one.word(), word, one == order))
            .collect(),
        tabs,
        here,
        rows,
        order,
        shell,
    };
    show(&page)
}

fn row(
    one: &ListedSkill,
    groups: &BTreeMap<String, String>,
    uses: &skillful_team::listing::OwnUses,
    now: i64,
) -> Row {
    let skill = &one.skill;
    Row {
        id: skill.id.clone(),
        name: skill.name.clone(),
        description: skill.description.clone(),
        state: marks::state(one.state),
        scope: if one.is_adopted {
            Mark::new("", "link", "Adopted")
        } else {
            marks::scope(&skill.scope, groups)
        },
        version: one.version.map_or_else(|| "–".to_owned(), |version| version.to_string()),
        pending: one.pending,
        newer: skill
            .default_version
            .filter(|newest| one.is_pinned && one.version.is_some_and(|version| version < *newest)),
        spark: picture::spark(&uses.days),
        used: uses.last.map_or_else(|| Markup("never".to_owned()), |last| words::time(last, now)),
        is_required: one.choice == Choice::Required,
        can_switch: one.version.is_some() && one.state != ListedState::Archived,
        is_on: one.is_on || one.state == ListedState::Shadowed,
        reason: one.reason.clone(),
    }
}

/// Sets the switch of the user; back to what others decided when that is the same.
async fn turn(app: &App, actor: &Actor, id: &str, on: bool) -> Result<(), TeamError> {
    let target = Target::User(actor.user()?.to_owned());
    let choice = if on { Choice::On } else { Choice::Hidden };
    app.team.set_preference(actor, id, &target, choice, None).await?;
    Ok(())
}

async fn switch(State(app): State<App>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let (id, on) = (fields.text("id"), fields.text("on") == "true");
    let back = fields.back("/ui/skills").to_owned();
    let skill = app.team.skill(&visitor.actor, id).await?;
    Ok(match turn(&app, &visitor.actor, id, on).await {
        Ok(()) => {
            let word = if on { "on" } else { "off" };
            let other = if on { "false" } else { "true" };
            let undo = Undo::of("/ui/skills/switch", &[("id", id), ("on", other)]);
            go(&back, &Flash::done(format!("{} is {word}.", skill.name)).with_undo(undo))
        }
        Err(error) => go(&back, &Flash::failed(error.to_string())),
    })
}

async fn several(State(app): State<App>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let actor = &visitor.actor;
    let ids: Vec<String> = fields.all("s").take(200).map(str::to_owned).collect();
    let back = fields.back("/ui/skills").to_owned();
    if ids.is_empty() {
        return Ok(go(&back, &Flash::failed("No skill is selected. Select one, then choose an action.")));
    }
    let deed = fields.text("do").to_owned();
    let mut done = Vec::new();
    let mut refused = Vec::new();
    for id in &ids {
        let skill = app.team.skill(actor, id).await?;
        let result = match deed.as_str() {
            "on" => turn(&app, actor, id, true).await,
            "off" => turn(&app, actor, id, false).await,
            "archive" | "unarchive" => {
                let state = if deed == "archive" { "archived" } else { "active" };
                let change = SkillChange { state: Some(state.to_owned()), ..Default::default() };
                app.team.change_skill(actor, id, &change).await.map(|_| ())
            }
            "keep" | "unkeep" => app.team.keep(actor, id, deed == "keep").await.map(|_| ()),
            _ => {
                let why = "the action is on, off, archive, unarchive, keep or unkeep";
                return Err(TeamError::invalid("unknown-action", why).into());
            }
        };
        match result {
            Ok(()) => done.push(id.as_str()),
            Err(error @ (TeamError::Unavailable(_) | TeamError::Internal(_))) => return Err(error.into()),
            Err(error) => refused.push(format!("{}: {error}", skill.name)),
        }
    }
    let word = match deed.as_str() {
        "on" => "turned on",
        "off" => "turned off",
        "archive" => "archived",
        "keep" => "kept although not used",
        "unkeep" => "not kept any more",
        _ => "taken out of the archive",
    };
    let mut text = format!("{} {word}.", words::count(done.len(), "skill", "skills"));
    if !refused.is_empty() {
        text += &format!(" Not changed: {}", refused.join("; "));
    }
    let opposite = match deed.as_str() {
        "on" => "off",
        "off" => "on",
        "archive" => "unarchive",
        "keep" => "unkeep",
        "unkeep" => "keep",
        _ => "archive",
    };
    let mut back_again = vec![("do", opposite)];
    back_again.extend(done.iter().map(|id| ("s", *id)));
    let mut flash = Flash { failed: done.is_empty(), ..Flash::done(text) };
    if !done.is_empty() {
        flash = flash.with_undo(Undo::of("/ui/skills/several", &back_again));
    }
    Ok(go(&back, &flash))
}
