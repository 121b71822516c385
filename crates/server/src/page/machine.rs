//! This machine: agents, what needs attention, and what each agent makes of each skill. Only for the one user whose machine the
//! server runs on.

use super::{
    Nav, Paged, Posted, Shell, Visitor,
    address::{Address, Pager, page_number},
    encoded,
    errors::{PageError, PageResult},
    explain_picture,
    flash::{Flash, Undo},
    icon, markdown,
    marks::{self, Mark, Markup},
    shell::go,
    show, words,
};
use crate::{
    extract::{Ids, Params},
    machine::{Machine, MachineReading},
    state::App,
};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use serde::Deserialize;
use skillful::{
    agent_links::LinkPlan,
    library::ReviewItem,
    views::{
        MatrixAgent, MatrixCell, MatrixSkill, ReviewCard, SelectionView,
        overview::{AgentOverview, Attention, AttentionKind},
    },
    visible::short_path,
};
use skillful_format::Digest;
use skillful_team::{Role, TeamError};
use std::{path::Path, str::FromStr as _, sync::Arc, time::UNIX_EPOCH};

/// Rows of a page.
const ROWS: usize = 50;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/machine", get(machine).post(change))
        .route("/ui/machine/link/{agent}", get(link_plan).post(link))
        .route("/ui/machine/review/{word}", get(card).post(decide))
        .route("/ui/machine/explain", get(explain))
}

/// The machine, for its user. To all others it does not exist.
fn machine_of<'a>(app: &'a App, visitor: &Visitor) -> Result<&'a Arc<Machine>, PageError> {
    let machine = app.machine.as_ref().filter(|_| visitor.actor.has(Role::SiteAdmin));
    machine.ok_or_else(|| TeamError::NotFound.into())
}

/// What the address asks for.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct MachineAddress {
    q: Option<String>,
    show: Option<String>,
    diff: Option<String>,
    open: Option<String>,
    page: Option<String>,
}

struct AgentPart {
    id: String,
    letters: String,
    title: String,
    loads: usize,
    bar: Markup,
    menu: String,
    losses: String,
}

struct AttentionRow {
    mark: Mark,
    text: Markup,
    href: String,
    word: String,
    command: String,
}

struct Cell {
    mark: Markup,
    small: String,
}

struct SkillRow {
    key: String,
    href: String,
    name: String,
    place: String,
    cells: Vec<Cell>,
    why: Option<Why>,
    is_open: bool,
}

/// The reasons of an opened row.
struct Why {
    state: String,
    reasons: Vec<String>,
    fix: String,
    agents: Vec<(String, String, Markup, String)>,
    path: String,
    enabled: Option<bool>,
    review: Option<String>,
    missing: Vec<(String, String)>,
}

struct Group {
    title: &'static str,
    place: String,
    rows: Vec<SkillRow>,
}

#[derive(Template)]
#[template(path = "machine.html")]
struct MachinePage {
    shell: Shell,
    here: Address,
    folder: String,
    agents: Vec<AgentPart>,
    titles: Vec<(String, String)>,
    total: usize,
    read: String,
    attention: Vec<AttentionRow>,
    filters: Vec<(&'static str, String, usize, bool)>,
    only_different: bool,
    groups: Vec<Group>,
    pager: Pager,
    looked_for: String,
}

impl Paged for MachinePage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

/// Two letters for the tile of an agent.
fn tile(title: &str) -> String {
    let letters: Vec<char> = title.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut words = title.split(|c: char| c.is_whitespace() || c == '-').filter(|word| !word.is_empty());
    let second = words.nth(1).and_then(|word| word.chars().next()).or_else(|| letters.get(1).copied());
    let first = letters.first().copied().unwrap_or('?').to_uppercase();
    first.chain(second.into_iter().flat_map(char::to_lowercase)).collect()
}

fn path_words(reading: &MachineReading, path: &Path) -> String {
    let environment = reading.workspace.environment();
    short_path(path, &environment.cwd, &environment.home)
}

fn agent_part(agent: &AgentOverview, column: Option<&MatrixAgent>, cells: &[&MatrixCell]) -> AgentPart {
    let total = cells.len().max(1);
    let loads = column.map_or(agent.loads, |column| column.loads);
    let refused = cells.iter().filter(|cell| matches!(cell.word.as_str(), "invalid" | "shadowed")).count();
    #[expect(clippy::cast_precision_loss, reason = "a bar has a few hundred pixels")]
    let part = |count: usize| count as f64 * 100.0 / total as f64;
    let other = cells.len().saturating_sub(loads + refused);
    let bar = format!(
        "<svg class=\"mbar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{loads} load, {refused} refused, {other} not loaded\"><rect class=\"b0\" width=\"100\" height=\"6\"/><rect class=\"b1\" width=\"{:.1}\" height=\"6\"/><rect class=\"b2\" x=\"{:.1}\" width=\"{:.1}\" height=\"6\"/></svg>",
        part(loads),
        (part(loads) + 0.8).min(100.0),
        part(refused)
    );
    let menu = &agent.menu;
    let number = |value: usize| words::number(i64::try_from(value).unwrap_or(i64::MAX));
    AgentPart {
        id: agent.agent.clone(),
        letters: tile(&agent.title),
        title: agent.title.clone(),
        loads,
        bar: Markup(bar),
        menu: format!("Menu: {} of {} {}", number(menu.used), number(menu.limit), menu.unit),
        losses: match (menu.left_out, menu.shortened) {
            _ if !agent.is_known => "only its folders are known".to_owned(),
            (0, 0) => "nothing cut".to_owned(),
            (0, cut) => format!("{} shortened", words::count(cut, "skill", "skills")),
            (out, _) => format!("{} do not fit", words::count(out, "skill", "skills")),
        },
    }
}

fn attention_row(one: &Attention, reading: &MachineReading) -> AttentionRow {
    let (mark, href, word) = match one.about {
        AttentionKind::Invalid => {
            (Mark::new("block", "block", ""), "/ui/machine?show=invalid".to_owned(), "Show them")
        }
        AttentionKind::Blocked => (Mark::new("block", "shield", ""), String::new(), ""),
        AttentionKind::Review => (
            Mark::new("wait", "clock", ""),
            reading.reviews.first().map_or_else(|| "/ui/machine?show=pending".to_owned(), review_link),
            "Review",
        ),
        AttentionKind::Untrusted => {
            (Mark::new("warn", "shield", ""), "/ui/machine?show=untrusted".to_owned(), "Show them")
        }
        AttentionKind::Unavailable => {
            (Mark::new("warn", "plug", ""), "/ui/machine?show=unavailable".to_owned(), "Show them")
        }
        AttentionKind::Misses => {
            let agent = reading.overview.agents.iter().find(|agent| one.command.contains(&agent.agent));
            let href =
                agent.map(|agent| format!("/ui/machine/link/{}", encoded(&agent.agent))).unwrap_or_default();
            (Mark::new("warn", "noread", ""), href, "See what would be linked")
        }
        AttentionKind::Unset => (Mark::new("warn", "plug", ""), String::new(), ""),
        AttentionKind::Updates => (Mark::new("acc", "download", ""), String::new(), ""),
    };
    AttentionRow {
        mark,
        text: markdown::text(&one.text),
        href,
        word: word.to_owned(),
        command: one.command.clone(),
    }
}

fn review_link(item: &ReviewItem) -> String {
    format!("/ui/machine/review/{}", encoded(format!("{}:{}", item.kind.prefix(), item.name)))
}

fn cell(cell: &MatrixCell, state: &str) -> Cell {
    let mark = match cell.word.as_str() {
        "loads" => {
            return Cell {
                mark: Markup(format!(
                    "<span class=\"st ok\">{}<span class=\"vh\">Loads</span></span>",
                    icon("check")
                )),
                small: String::new(),
            };
        }
        "disabled" => Mark::new("off", "off", "Disabled"),
        "invalid" => Mark::new("block", "block", "Refused"),
        "shadowed" => Mark::new("warn", "shadow", "Shadowed"),
        _ if state == "pending" => Mark::new("wait", "clock", "Pending"),
        _ => Mark::new("off", "noread", "Not read"),
    };
    Cell {
        mark: Markup(mark.to_string()),
        small: explain_picture::cut(cell.why.as_deref().unwrap_or_default(), 60),
    }
}

/// Whether a row belongs to a filter.
fn belongs(row: &MatrixSkill, filter: &str) -> bool {
    let state = row.skill.state.as_str();
    match filter {
        "problems" => {
            row.needs_attention()
                || row.agents.iter().any(|cell| matches!(cell.word.as_str(), "invalid" | "shadowed"))
        }
        "shadowed" => state == "shadowed" || row.agents.iter().any(|cell| cell.word == "shadowed"),
        "" => true,
        wanted => state == wanted,
    }
}

fn key(row: &MatrixSkill) -> String {
    row.skill.path.text().into_owned()
}

fn why(row: &MatrixSkill, reading: &MachineReading) -> Why {
    let agents = reading.matrix.agents.iter().zip(&row.agents).map(|(agent, cell)| {
        let text = match (&cell.why, cell.loads()) {
            (_, true) => format!(
                "loads it{}",
                cell.name
                    .as_ref()
                    .filter(|name| **name != row.skill.name)
                    .map(|name| format!(" as {name}"))
                    .unwrap_or_default()
            ),
            (Some(why), false) => format!("does not load it: {why}"),
            (None, false) => "does not load it".to_owned(),
        };
        (tile(&agent.title), agent.title.clone(), markdown::text(&text), cell.fix.clone().unwrap_or_default())
    });
    let state = row.skill.state.as_str();
    let review = reading.reviews.iter().find(|item| item.name == row.skill.name).map(review_link);
    let missing = reading.matrix.agents.iter().zip(&row.agents).filter(|(_, cell)| cell.word == "misses");
    Why {
        state: row.skill.state.clone(),
        reasons: row.skill.reasons.clone(),
        fix: row.skill.fix.clone().unwrap_or_default(),
        agents: agents.collect(),
        path: path_words(reading, row.skill.path.as_path()),
        enabled: match state {
            "disabled" => Some(false),
            "available" | "unavailable" => Some(true),
            _ => None,
        },
        review,
        missing: missing
            .map(|(agent, _)| (format!("/ui/machine/link/{}", encoded(&agent.id)), agent.title.clone()))
            .collect(),
    }
}

async fn machine(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<MachineAddress>,
) -> PageResult {
    let reading = machine_of(&app, &visitor)?.read(false).await?;
    let shell = Shell::of(&app, &visitor, "This machine", Nav::Machine).await?;
    let show_word = asked.show.unwrap_or_default();
    let words_asked = asked.q.unwrap_or_default();
    let only_different = asked.diff.is_some();
    let here = Address::of("/ui/machine")
        .with("q", &words_asked)
        .with("show", &show_word)
        .with("diff", if only_different { "1" } else { "" });
    let all = &reading.matrix.skills;
    let lower = words_asked.trim().to_lowercase();
    let fits = |row: &&MatrixSkill| {
        (lower.is_empty() || row.skill.name.to_lowercase().contains(&lower))
            && (!only_different || row.differs())
            && belongs(row, &show_word)
    };
    let mut found: Vec<&MatrixSkill> = all.iter().filter(fits).collect();
    let rank = |row: &MatrixSkill| match row.skill.scope.as_str() {
        "project" => 0,
        "user" | "custom" | "extra" => 1,
        _ => 2,
    };
    found.sort_by_key(|row| rank(row));
    let page = page_number(asked.page.as_deref());
    let shown: Vec<&MatrixSkill> = found.iter().skip((page - 1) * ROWS).take(ROWS).copied().collect();
    let open = asked.open.unwrap_or_default();
    let mut groups: Vec<Group> = Vec::new();
    for row in &shown {
        let title = ["Project", "User", "Managed, plugins and included"][rank(row)];
        if groups.last().is_none_or(|group| group.title != title) {
            let place = if title == "Project" {
                path_words(&reading, reading.matrix.project.as_path())
            } else {
                String::new()
            };
            groups.push(Group { title, place, rows: Vec::new() });
        }
        let key = key(row);
        let is_open = key == open;
        let made = SkillRow {
            href: if is_open {
                here.page(page).to_string()
            } else {
                // A chosen page stays: the row is on it.
                let kept = if page > 1 { format!("&page={page}") } else { String::new() };
                format!("{}{kept}#open", here.with("open", &key))
            },
            name: row.skill.name.clone(),
            place: if row.at.is_none() {
                "not installed yet".to_owned()
            } else {
                path_words(&reading, row.skill.root.as_path())
            },
            cells: row.agents.iter().map(|one| cell(one, &row.skill.state)).collect(),
            why: is_open.then(|| why(row, &reading)),
            is_open,
            key,
        };
        if let Some(group) = groups.last_mut() {
            group.rows.push(made);
        }
    }
    let agents = reading.overview.agents.iter().map(|agent| {
        let at = reading.matrix.agents.iter().position(|column| column.id == agent.agent);
        let cells: Vec<&MatrixCell> =
            at.map(|at| all.iter().map(|row| &row.agents[at]).collect()).unwrap_or_default();
        agent_part(agent, at.map(|at| &reading.matrix.agents[at]), &cells)
    });
    let filters = [
        ("", "All"),
        ("problems", "Problems"),
        ("shadowed", "Shadowed"),
        ("pending", "Pending"),
        ("disabled", "Disabled"),
        ("invalid", "Invalid"),
    ];
    let count = |filter: &str| all.iter().filter(|row| belongs(row, filter)).count();
    let since = reading
        .at
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0));
    let page = MachinePage {
        folder: path_words(&reading, &reading.workspace.environment().cwd),
        agents: agents.collect(),
        titles: reading.matrix.agents.iter().map(|agent| (tile(&agent.title), agent.title.clone())).collect(),
        total: all.len(),
        read: format!("Read {} in {} ms.", words::ago(since, shell.now), reading.took.as_millis()),
        attention: reading.overview.attention.iter().map(|one| attention_row(one, &reading)).collect(),
        filters: filters
            .iter()
            .map(|(value, word)| {
                (*word, here.with("show", value).to_string(), count(value), *value == show_word)
            })
            .collect(),
        only_different,
        pager: Pager::of(&here, page, ROWS, shown.len(), found.len()),
        looked_for: format!(
            "{} agents in {} folders",
            reading.overview.looked_for.agents, reading.overview.looked_for.folders
        ),
        groups,
        here,
        shell,
    };
    show(&page)
}

/// Reads the machine again, switches a skill, takes links back.
async fn change(State(app): State<App>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let machine = machine_of(&app, &visitor)?;
    let back = fields.back("/ui/machine").to_owned();
    let (name, path) = (fields.text("name").to_owned(), fields.text("path").to_owned());
    let done = match fields.text("do") {
        "scan" => {
            machine.read(true).await?;
            Ok(Flash::done("The machine was read again."))
        }
        verb @ ("enable" | "disable") => {
            let enabled = verb == "enable";
            let other = if enabled { "disable" } else { "enable" };
            let done = machine.switch(name.clone(), path.clone(), enabled).await;
            done.map(|text| {
                Flash::done(text)
                    .with_undo(Undo::of("/ui/machine", &[("do", other), ("name", &name), ("path", &path)]))
            })
        }
        "unlink" => machine.unlink(fields.text("record").to_owned()).await.map(Flash::done),
        _ => Err(TeamError::invalid("unknown-deed", "the form names no deed")),
    };
    answered(&back, done)
}

/// A deed of the library that was refused is a message of the page.
fn answered(back: &str, done: Result<Flash, TeamError>) -> PageResult {
    match done {
        Ok(flash) => Ok(go(back, &flash)),
        Err(error @ TeamError::Conflict { .. }) => Ok(go(back, &Flash::failed(error.to_string()))),
        Err(error) => Err(error.into()),
    }
}

#[derive(Template)]
#[template(path = "machine_link.html")]
struct LinkPage {
    shell: Shell,
    plan: LinkPlan,
    links: Vec<(String, String, String, &'static str)>,
}

impl Paged for LinkPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

async fn link_plan(State(app): State<App>, visitor: Visitor, Ids(agent): Ids<String>) -> PageResult {
    let machine = machine_of(&app, &visitor)?;
    let plan = machine.link_plan(agent).await?;
    let reading = machine.read(false).await?;
    let links = plan.links.iter().map(|link| {
        let how = match link.how {
            skillful::agent_links::LinkHow::Link => "link",
            skillful::agent_links::LinkHow::Copy => "copy",
        };
        (link.skill.clone(), path_words(&reading, link.from.as_path()), link.to.to_string(), how)
    });
    let page = LinkPage {
        links: links.collect(),
        shell: Shell::of(&app, &visitor, &format!("Link for {}", plan.title), Nav::Machine).await?,
        plan,
    };
    show(&page)
}

async fn link(State(app): State<App>, Ids(agent): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let machine = machine_of(&app, &visitor)?;
    let seen: Vec<String> = fields.all("to").map(str::to_owned).collect();
    let done = machine.link(agent, seen).await.map(|(text, record)| match record {
        Some(record) => {
            Flash::done(text).with_undo(Undo::of("/ui/machine", &[("do", "unlink"), ("record", &record)]))
        }
        None => Flash::done(text),
    });
    answered("/ui/machine", done)
}

#[derive(Template)]
#[template(path = "machine_review.html")]
struct CardPage {
    shell: Shell,
    word: String,
    card: ReviewCard,
    digest: String,
    short: String,
    files: Vec<(String, Markup)>,
    others: Vec<(String, String)>,
}

impl Paged for CardPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

async fn card(State(app): State<App>, visitor: Visitor, Ids(word): Ids<String>) -> PageResult {
    let machine = machine_of(&app, &visitor)?;
    let card = machine.card(word.clone()).await?;
    let reading = machine.read(false).await?;
    let digest = card.digest.to_string();
    let file = |file: &skillful::views::ReviewFile| {
        let text = file.text.as_deref().map_or_else(
            || Markup("<span class=\"mute\">This file is not text.</span>".to_owned()),
            markdown::text,
        );
        (file.path.clone(), text)
    };
    let page = CardPage {
        files: card.files.iter().map(file).collect(),
        others: reading
            .reviews
            .iter()
            .map(|item| (review_link(item), item.name.clone()))
            .filter(|(link, _)| !link.ends_with(&encoded(&word)))
            .collect(),
        shell: Shell::of(&app, &visitor, &card.item.name, Nav::Machine).await?,
        short: words::short_digest(&digest),
        digest,
        word,
        card,
    };
    show(&page)
}

async fn decide(State(app): State<App>, Ids(word): Ids<String>, posted: Posted) -> PageResult {
    let Posted { visitor, fields } = posted;
    let machine = machine_of(&app, &visitor)?;
    let digest = Digest::from_str(fields.text("digest"))
        .map_err(|_| TeamError::invalid("no-digest", "the form names no digest"))?;
    let approves = fields.text("do") == "approve";
    // Blocking findings are accepted only by typing the name of the skill.
    let name = word.split_once(':').map_or(word.as_str(), |(_, name)| name).to_owned();
    let despite = fields.trimmed("name") == name;
    let done = machine.decide(word.clone(), digest, approves, despite).await;
    let back = if done.is_ok() {
        "/ui/machine".to_owned()
    } else {
        format!("/ui/machine/review/{}", encoded(&word))
    };
    answered(&back, done.map(Flash::done))
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ExplainAddress {
    message: Option<String>,
}

#[derive(Template)]
#[template(path = "machine_explain.html")]
struct ExplainPage {
    shell: Shell,
    message: String,
    view: Option<SelectionView>,
    picture: Markup,
}

impl Paged for ExplainPage {
    fn shell(&self) -> &Shell {
        &self.shell
    }
}

async fn explain(
    State(app): State<App>,
    visitor: Visitor,
    Params(asked): Params<ExplainAddress>,
) -> PageResult {
    let machine = machine_of(&app, &visitor)?;
    let message: String = asked.message.unwrap_or_default().chars().take(10_000).collect();
    let view = if message.trim().is_empty() { None } else { Some(machine.explain(message.clone()).await?) };
    let page = ExplainPage {
        shell: Shell::of(&app, &visitor, "Try a message", Nav::Machine).await?,
        picture: view.as_ref().map(explain_picture::of_selection).unwrap_or_default(),
        message,
        view,
    };
    show(&page)
}

impl CardPage {
    #[expect(clippy::unused_self, reason = "templates call it on the page")]
    fn finding_mark(&self, severity: &impl std::fmt::Display) -> Markup {
        marks::severity(&severity.to_string()).severity()
    }
}
