//! Sources of the organisation, and what they offer.

use super::{
    Nav, Posted, Shell, Visitor,
    address::{Address, Pager, page_number},
    admin::{AdminTab, ROWS, SEARCHED_FROM, Tab, has_words, tabs},
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
    GroupRole, Role,
    catalog::{CatalogInstall, CatalogItem, SourceFault},
    permission::{OrgDeed, may_org},
    sources::{SourceInput, SourceRecord},
};

/// Items of a page.
const ITEMS: usize = 24;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/admin/sources", get(sources).post(create))
        .route("/ui/admin/sources/{id}", post(change))
        .route("/ui/admin/sources/{id}/check", post(check))
        .route("/ui/admin/sources/{id}/delete", post(delete))
        .route("/ui/market/sources", get(catalog))
        .route("/ui/market/install", post(install))
}

struct SourceRow {
    id: String,
    label: String,
    address: String,
    reference: String,
    commit: String,
    state: Mark,
    checked: Markup,
    error: String,
    enabled: bool,
}

#[derive(Template)]
#[template(path = "admin_sources.html")]
struct SourcesPage {
    shell: Shell,
    tabs: Vec<AdminTab>,
    here: Address,
    rows: Vec<SourceRow>,
    pager: Pager,
    is_searched: bool,
    may_change: bool,
}

paged!(SourcesPage, CatalogPage);

fn row(source: &SourceRecord, now: i64) -> SourceRow {
    let state = if !source.enabled {
        Mark::new("off", "off", "Disabled")
    } else if !source.error.is_empty() {
        Mark::new("block", "block", "Failed")
    } else if source.checked.is_none() {
        Mark::new("wait", "clock", "Not asked yet")
    } else {
        Mark::new("ok", "ok", "Answers")
    };
    SourceRow {
        id: source.id.clone(),
        label: source.label.clone(),
        address: source.address.clone(),
        reference: source.reference.clone(),
        commit: source.resolved.chars().take(10).collect(),
        state,
        checked: source
            .checked
            .map_or_else(|| Markup("never".to_owned()), |checked| words::time(checked, now)),
        error: source.error.clone(),
        enabled: source.enabled,
    }
}

/// What the address of a list of settings asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct SettingsAddress {
    pub(crate) q: Option<String>,
    pub(crate) page: Option<String>,
}

async fn sources(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<SettingsAddress>,
) -> PageResult {
    let all = app.team.sources(&visitor.actor).await?;
    let query = asked.q.unwrap_or_default();
    let number = page_number(asked.page.as_deref());
    let here = Address::of(SOURCES).with("q", &query);
    let found: Vec<&SourceRecord> = all
        .iter()
        .filter(|one| has_words(&format!("{} {} {}", one.label, one.address, one.reference), &query))
        .collect();
    let shell = Shell::of(&app, &visitor, "Sources", Nav::Admin).await?;
    let rows: Vec<SourceRow> =
        found.iter().skip((number - 1) * ROWS).take(ROWS).map(|source| row(source, shell.now)).collect();
    let page = SourcesPage {
        pager: Pager::of(&here, number, ROWS, rows.len(), found.len()),
        is_searched: all.len() > SEARCHED_FROM,
        rows,
        here,
        may_change: may_org(&visitor.actor, OrgDeed::ChangeSettings, &visitor.actor.org).is_ok(),
        tabs: tabs(&app, &visitor, Tab::Sources).await?,
        shell,
    };
    show(&page)
}

fn input(fields: &super::form::Fields) -> SourceInput {
    let label = fields.trimmed("label");
    SourceInput {
        label: (!label.is_empty()).then(|| label.to_owned()),
        address: fields.trimmed("address").to_owned(),
        reference: fields.trimmed("reference").to_owned(),
        enabled: fields.text("enabled") != "false",
    }
}

const SOURCES: &str = "/ui/admin/sources";

async fn create(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let done = app.team.create_source(&visitor.actor, &input(&fields)).await;
    told(SOURCES, done, |source| {
        Flash::done(format!("{} is added. Ask it to see what it offers.", source.label))
    })
}

async fn change(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let before = app.team.source(&visitor.actor, &id).await?;
    let wanted = SourceInput { enabled: fields.text("enabled") == "true", ..of_record(&before) };
    let done = app.team.change_source(&visitor.actor, &id, &wanted).await;
    told(SOURCES, done, |source| {
        let (word, other) =
            if source.enabled { ("asked again", "false") } else { ("not asked any more", "true") };
        Flash::done(format!("{} is {word}.", source.label))
            .with_undo(Undo::of(format!("{SOURCES}/{id}"), &[("enabled", other)]))
    })
}

fn of_record(source: &SourceRecord) -> SourceInput {
    SourceInput {
        label: Some(source.label.clone()),
        address: source.address.clone(),
        reference: source.reference.clone(),
        enabled: source.enabled,
    }
}

async fn check(
    State(app): State<App>,
    Ids(id): Ids<String>,
    Posted { visitor, fields }: Posted,
) -> PageResult {
    let done = app.team.check_source(&visitor.actor, &id).await;
    told(fields.back(SOURCES), done, |source| {
        if source.error.is_empty() {
            Flash::done(format!("{} answers.", source.label))
        } else {
            Flash::failed(format!("{} does not answer: {}", source.label, source.error))
        }
    })
}

async fn delete(State(app): State<App>, Ids(id): Ids<String>, Posted { visitor, .. }: Posted) -> PageResult {
    let source = app.team.source(&visitor.actor, &id).await?;
    let done = app.team.delete_source(&visitor.actor, &id).await;
    told(SOURCES, done, |()| {
        let enabled = source.enabled.to_string();
        let fields = [
            ("label", source.label.as_str()),
            ("address", &source.address),
            ("reference", &source.reference),
            ("enabled", &enabled),
        ];
        Flash::done(format!("{} is removed. Skills that came from it stay.", source.label))
            .with_undo(Undo::of(SOURCES, &fields))
    })
}

// ---- what sources offer ----

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct CatalogAddress {
    q: Option<String>,
    source: Option<String>,
    state: Option<String>,
    page: Option<String>,
}

struct CatalogRow {
    source: String,
    label: String,
    name: String,
    description: String,
    version: String,
    tree: String,
    origin: String,
    installed: Option<(String, bool)>,
    has_update: bool,
}

#[derive(Template)]
#[template(path = "catalog.html")]
struct CatalogPage {
    shell: Shell,
    here: Address,
    rows: Vec<CatalogRow>,
    faults: Vec<SourceFault>,
    notes: Vec<String>,
    total: usize,
    pager: Pager,
    sources: Vec<(String, String, bool)>,
    states: Vec<(&'static str, &'static str, bool)>,
    scopes: Vec<(String, String)>,
    has_sources: bool,
}

fn catalog_row(item: &CatalogItem) -> CatalogRow {
    let exact =
        item.version.clone().or_else(|| item.commit.as_ref().map(|commit| commit.chars().take(7).collect()));
    CatalogRow {
        source: item.source_id.clone(),
        label: item.source_label.clone(),
        name: item.name.clone(),
        description: item.description.clone(),
        version: exact.unwrap_or_default(),
        tree: item.tree.clone().unwrap_or_default(),
        origin: item.origin.clone(),
        installed: item
            .installed
            .as_ref()
            .map(|installed| (installed.skill_id.clone(), installed.default_version.is_none())),
        has_update: item.update_available,
    }
}

async fn catalog(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<CatalogAddress>,
) -> PageResult {
    let actor = &visitor.actor;
    let report = app.team.catalog(actor, false).await?;
    let (query, source, state) =
        (asked.q.unwrap_or_default(), asked.source.unwrap_or_default(), asked.state.unwrap_or_default());
    let number = page_number(asked.page.as_deref());
    let here =
        Address::of("/ui/market/sources").with("q", &query).with("source", &source).with("state", &state);
    let words: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let found: Vec<&CatalogItem> = report
        .items
        .iter()
        .filter(|item| source.is_empty() || item.source_id == source)
        .filter(|item| match state.as_str() {
            "new" => item.installed.is_none(),
            "update" => item.update_available,
            "installed" => item.installed.is_some(),
            _ => true,
        })
        .filter(|item| {
            let text = format!("{} {}", item.name, item.description).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        })
        .collect();
    let rows: Vec<CatalogRow> =
        found.iter().skip((number - 1) * ITEMS).take(ITEMS).map(|item| catalog_row(item)).collect();
    let mut known: Vec<(String, String)> =
        report.items.iter().map(|item| (item.source_id.clone(), item.source_label.clone())).collect();
    known.sort();
    known.dedup();
    let mut scopes = vec![("own".to_owned(), "Only me".to_owned())];
    for group in app.team.groups(actor).await? {
        if actor.groups.get(&group.id).is_some_and(|role| *role >= GroupRole::Editor) {
            scopes.push((format!("group:{}", group.id), group.name));
        }
    }
    if actor.has(Role::OrgAdmin) {
        scopes.push(("org".to_owned(), "The organisation".to_owned()));
    }
    let page = CatalogPage {
        shell: Shell::of(&app, &visitor, "Marketplace", Nav::Market).await?,
        pager: Pager::of(&here, number, ITEMS, rows.len(), found.len()),
        total: report.items.len(),
        has_sources: !report.items.is_empty() || !report.errors.is_empty(),
        sources: known
            .into_iter()
            .map(|(id, label)| {
                let is_chosen = id == source;
                (id, label, is_chosen)
            })
            .collect(),
        states: [
            ("", "Any state"),
            ("new", "Not added"),
            ("update", "Update available"),
            ("installed", "Added"),
        ]
        .into_iter()
        .map(|(value, word)| (value, word, value == state))
        .collect(),
        faults: report.errors,
        notes: report.notes,
        scopes,
        rows,
        here,
    };
    show(&page)
}

async fn install(State(app): State<App>, Posted { visitor, fields }: Posted) -> PageResult {
    let (scope, group) = match fields.text("scope").split_once(':') {
        Some(("group", id)) => ("group", Some(id.to_owned())),
        _ => (fields.text("scope"), None),
    };
    let tree = fields.text("tree");
    let wanted = CatalogInstall {
        source_id: fields.text("source").to_owned(),
        name: fields.text("name").to_owned(),
        tree: (!tree.is_empty()).then(|| tree.to_owned()),
        scope: (!scope.is_empty()).then(|| scope.to_owned()),
        group,
    };
    let done = app.team.install_from_catalog(&visitor.actor, &wanted).await;
    let back = match &done {
        Ok(installed) => format!("/ui/skills/{}", installed.stored.skill.id),
        Err(_) => fields.back("/ui/market/sources").to_owned(),
    };
    told(&back, done, |installed| {
        let name = &installed.stored.skill.name;
        let mut text = match installed.outcome.as_str() {
            "already-installed" => format!("{name} has these files already."),
            "updated" => format!("{name} has a new version."),
            _ => format!("{name} is downloaded and audited."),
        };
        if installed.stored.skill.default_version != Some(installed.stored.version.number) {
            text += " It is pending until it is approved.";
        }
        if !installed.skipped.is_empty() {
            text += &format!(" Not taken: {}", installed.skipped.join("; "));
        }
        Flash::done(text)
    })
}
