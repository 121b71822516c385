//! The marketplace: what members offer and what the organisation offers, with what it can do and what the audit found.

use super::{
    Nav, Shell, Visitor,
    address::{Address, Pager, page_number},
    errors::PageResult,
    marks::{Icon, Mark, icon},
    shell::paged,
    show,
    skills::group_names,
    words,
};
use crate::state::App;
use askama::Template;
use axum::{
    Router,
    extract::{RawQuery, State},
    routing::get,
};
use skillful_team::{
    Scope, TeamError,
    judged::{FindingView, explain},
    listing::{ListedSkill, ListedState},
    preferences::Choice,
    skills::{SkillFilter, SkillRecord},
    versions::VersionRecord,
};
use std::collections::{BTreeMap, BTreeSet};

/// Items of a page.
const ITEMS: usize = 24;
/// Skills that are looked at for one page and its filters.
const MOST: usize = 400;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/market", get(market))
}

/// What an item can do, as the filter names it.
const KINDS: &[(&str, &str)] = &[
    ("text", "Instructions only"),
    ("tool", "Uses other tools"),
    ("command", "Runs commands or code"),
    ("network", "Uses the network"),
    ("secret", "Reads secrets"),
    ("server", "Starts MCP servers"),
];
const FINDINGS: &[(&str, &str)] = &[("none", "None"), ("some", "Notes or warnings"), ("block", "Blocking")];
const STATES: &[(&str, &str)] = &[("free", "Not in your list"), ("mine", "In your list")];

/// How an item gets to the visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A form adopts it.
    Adopt,
    /// A form turns it on.
    TurnOn,
    /// It is in the list already.
    Have,
}

struct Item {
    id: String,
    name: String,
    version: i64,
    description: String,
    caps: Vec<(Icon, String)>,
    from: String,
    findings: Mark,
    way: Way,
    kinds: BTreeSet<&'static str>,
    finding_kind: &'static str,
    created: i64,
}

struct Facet {
    title: &'static str,
    name: &'static str,
    options: Vec<(&'static str, &'static str, usize, bool)>,
}

#[derive(Template)]
#[template(path = "market.html")]
struct MarketPage {
    shell: Shell,
    query: String,
    facets: Vec<Facet>,
    items: Vec<Item>,
    pager: Pager,
    total: usize,
    orders: Vec<(&'static str, &'static str, bool)>,
    is_filtered: bool,
    /// Whether more skills are offered than were looked at.
    is_cut: bool,
}

paged!(MarketPage);

impl Item {
    fn is_adopted(&self) -> bool {
        self.way == Way::Have
    }

    fn adopts(&self) -> bool {
        self.way == Way::Adopt
    }

    fn state(&self) -> &'static str {
        if self.way == Way::Have { "mine" } else { "free" }
    }
}

/// What the address asks for; a filter may have several values.
#[derive(Debug, Default)]
struct Asked {
    words: String,
    can: BTreeSet<String>,
    findings: BTreeSet<String>,
    state: BTreeSet<String>,
    sort: String,
    page: usize,
}

impl Asked {
    fn of(query: Option<&str>) -> Self {
        let mut asked = Self { page: 1, ..Self::default() };
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).take(50) {
            match &*name {
                "q" => asked.words = value.chars().take(200).collect(),
                "can" => drop(asked.can.insert(value.into_owned())),
                "findings" => drop(asked.findings.insert(value.into_owned())),
                "state" => drop(asked.state.insert(value.into_owned())),
                "sort" => asked.sort = value.into_owned(),
                "page" => asked.page = page_number(Some(&value)),
                _ => {}
            }
        }
        asked
    }
}

/// The skills that are offered to the visitor: by members for adoption, and by the organisation or a group, off until a member
/// turns them on. And whether there are more than are looked at.
async fn offered(
    app: &App,
    visitor: &Visitor,
    asked: &Asked,
    listed: &[ListedSkill],
) -> Result<(Vec<(SkillRecord, Way)>, bool), TeamError> {
    let mine: BTreeMap<&str, &ListedSkill> = listed.iter().map(|one| (one.skill.id.as_str(), one)).collect();
    let filter = SkillFilter {
        offered: true,
        words: asked.words.clone(),
        limit: i64::try_from(MOST).unwrap_or(400),
        ..Default::default()
    };
    let page = app.team.skills(&visitor.actor, &filter).await?;
    let is_own = |skill: &SkillRecord| matches!(&skill.scope, Scope::Own(owner) if Some(owner) == visitor.actor.user.as_ref());
    let mut found: Vec<(SkillRecord, Way)> = page
        .items
        .into_iter()
        .filter(|skill| !is_own(skill))
        .map(|skill| {
            let way = if mine.contains_key(skill.id.as_str()) { Way::Have } else { Way::Adopt };
            (skill, way)
        })
        .collect();
    let words: Vec<String> = asked.words.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let has = |skill: &SkillRecord| {
        let text = format!("{} {} {}", skill.name, skill.title, skill.description).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    };
    let shared = listed
        .iter()
        .filter(|one| {
            !matches!(one.skill.scope, Scope::Own(_))
                && one.version.is_some()
                && one.state != ListedState::Archived
        })
        .filter(|one| has(&one.skill))
        .map(|one| {
            let is_had = one.is_on || one.choice == Choice::Required || one.state == ListedState::Shadowed;
            (one.skill.clone(), if is_had { Way::Have } else { Way::TurnOn })
        });
    found.extend(shared);
    let is_cut = page.next.is_some() || found.len() > MOST;
    found.truncate(MOST);
    Ok((found, is_cut))
}

fn kinds_of(version: &VersionRecord) -> (BTreeSet<&'static str>, Vec<(Icon, String)>) {
    let all = explain(&version.capabilities, None);
    // A tool is what it reaches: a shell runs commands, a browser uses the network. A skill that names none has those of its agent.
    let tools: Vec<String> = all
        .iter()
        .filter(|one| one.kind == "tools" && !["every tool", "no tool"].contains(&one.what.as_str()))
        .flat_map(|one| one.what.split(", ").map(str::to_lowercase).collect::<Vec<_>>())
        .collect();
    let is_shell =
        |tool: &String| tool.starts_with("bash") || tool.starts_with("shell") || tool.starts_with("exec");
    let is_web =
        |tool: &String| tool.starts_with("web") || tool.starts_with("fetch") || tool.starts_with("browser");
    let of_tools = |kind: &str| match kind {
        "command" => tools.iter().filter(|tool| is_shell(tool)).count(),
        "network" => tools.iter().filter(|tool| is_web(tool)).count(),
        _ => 0,
    };
    let count = |kind: &[&str]| all.iter().filter(|one| kind.contains(&one.kind)).count();
    let mut kinds = BTreeSet::new();
    let mut caps = Vec::new();
    for (kind, of, icon_name, one, several) in [
        (
            "command",
            &["command", "hook", "script", "program", "code"][..],
            "terminal",
            "command or script",
            "commands and scripts",
        ),
        ("network", &["network"][..], "globe", "host or web tool", "hosts and web tools"),
        ("secret", &["secret"][..], "key", "secret", "secrets"),
        ("server", &["MCP server"][..], "server", "MCP server", "MCP servers"),
    ] {
        let found = count(of) + of_tools(kind);
        if found > 0 {
            kinds.insert(kind);
            caps.push((icon(icon_name), words::count(found, one, several)));
        }
    }
    let others = tools.iter().filter(|tool| !is_shell(tool) && !is_web(tool)).count();
    if others > 0 {
        kinds.insert("tool");
        caps.push((icon("tool"), words::count(others, "tool", "tools")));
    }
    let more = all
        .iter()
        .filter(|one| ["dependency", "permissions", "variable", "file", "other"].contains(&one.kind))
        .count();
    if caps.is_empty() && more > 0 {
        kinds.insert("tool");
        caps.push((icon("note"), words::count(more, "other capability", "other capabilities")));
    }
    if caps.is_empty() {
        kinds.insert("text");
        caps.push((icon("text"), "Instructions only".to_owned()));
    }
    (kinds, caps)
}

/// What the audit found, in a few words.
pub(crate) fn findings_mark(findings: &[FindingView]) -> (Mark, &'static str) {
    let count = |word: &str| findings.iter().filter(|found| found.severity == word).count();
    match (count("block"), count("warn"), count("note")) {
        (0, 0, 0) => (Mark::new("ok", "ok", "No findings"), "none"),
        (0, 0, notes) => (Mark::new("acc", "note", words::count(notes, "note", "notes")), "some"),
        (0, warnings, _) => {
            (Mark::new("warn", "warn", words::count(warnings, "warning", "warnings")), "some")
        }
        (blocking, ..) => (
            Mark::new(
                "block",
                "block",
                format!("{} blocking", words::number(i64::try_from(blocking).unwrap_or(0))),
            ),
            "block",
        ),
    }
}

async fn market(State(app): State<App>, visitor: Visitor, RawQuery(query): RawQuery) -> PageResult {
    let asked = Asked::of(query.as_deref());
    let (team, actor) = (&app.team, &visitor.actor);
    let listed = team.list(actor).await?;
    let (found, is_cut) = offered(&app, &visitor, &asked, &listed).await?;
    let groups = group_names(&app, actor).await?;
    let owners = found.iter().filter_map(|(skill, _)| match &skill.scope {
        Scope::Own(owner) => Some(owner.as_str()),
        _ => None,
    });
    let names = team.names(actor, owners.collect()).await?;
    let mut items = Vec::new();
    for (skill, way) in &found {
        let Some(number) = skill.default_version else { continue };
        let Ok(version) = team.version(actor, &skill.id, number).await else { continue };
        let (kinds, caps) = kinds_of(&version);
        let (findings, finding_kind) = findings_mark(&version.findings);
        let from = match &skill.scope {
            Scope::Own(owner) => format!("{} · offered", names.get(owner).map_or("a member", String::as_str)),
            Scope::Group(id) => format!("{} · group", groups.get(id).map_or("a group", String::as_str)),
            Scope::Org => "Organisation".to_owned(),
            Scope::Global => "All organisations".to_owned(),
        };
        items.push(Item {
            id: skill.id.clone(),
            name: skill.name.clone(),
            version: number,
            description: skill.description.clone(),
            way: *way,
            created: skill.created,
            caps,
            from,
            findings,
            kinds,
            finding_kind,
        });
    }
    let facets = facets(&items, &asked);
    let total = items.len();
    items.retain(|item| {
        (asked.can.is_empty() || asked.can.iter().any(|kind| item.kinds.contains(kind.as_str())))
            && (asked.findings.is_empty() || asked.findings.contains(item.finding_kind))
            && (asked.state.is_empty() || asked.state.contains(item.state()))
    });
    match asked.sort.as_str() {
        "name" => items.sort_by(|a, b| a.name.cmp(&b.name)),
        _ => items.sort_by_key(|item| std::cmp::Reverse(item.created)),
    }
    let matching = items.len();
    let items: Vec<Item> = items.into_iter().skip((asked.page - 1) * ITEMS).take(ITEMS).collect();
    let mut here = Address::of("/ui/market").with("q", &asked.words).with("sort", &asked.sort);
    for (name, values) in [("can", &asked.can), ("findings", &asked.findings), ("state", &asked.state)] {
        here = here.and(name, values);
    }
    let page = MarketPage {
        shell: Shell::of(&app, &visitor, "Marketplace", Nav::Market).await?,
        pager: Pager::of(&here, asked.page, ITEMS, items.len(), matching),
        orders: [("", "Newest"), ("name", "Name")]
            .into_iter()
            .map(|(value, word)| (value, word, value == asked.sort))
            .collect(),
        is_filtered: matching != total || !asked.words.is_empty(),
        query: asked.words,
        facets,
        items,
        total,
        is_cut,
    };
    show(&page)
}

fn facets(items: &[Item], asked: &Asked) -> Vec<Facet> {
    let options = |all: &'static [(&str, &str)],
                   chosen: &BTreeSet<String>,
                   has: &dyn Fn(&Item, &str) -> bool| {
        all.iter()
            .map(|(value, word)| {
                (*value, *word, items.iter().filter(|item| has(item, value)).count(), chosen.contains(*value))
            })
            .collect()
    };
    vec![
        Facet {
            title: "Can do",
            name: "can",
            options: options(KINDS, &asked.can, &|item, kind| item.kinds.contains(kind)),
        },
        Facet {
            title: "Findings",
            name: "findings",
            options: options(FINDINGS, &asked.findings, &|item, kind| item.finding_kind == kind),
        },
        Facet {
            title: "State",
            name: "state",
            options: options(STATES, &asked.state, &|item, kind| item.state() == kind),
        },
    ]
}
