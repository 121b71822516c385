//! This machine: agents, what needs attention, and what each agent makes of each skill. Only for the one user whose machine the
//! server runs on.

mod card;
mod linking;
mod parts;

use super::{
    Nav, Paged, Posted, Shell, Visitor,
    address::{Address, Pager, page_number},
    encoded,
    errors::{PageError, PageResult},
    explain_picture,
    flash::{Flash, Undo},
    icon, joined,
    marks::{Mark, Markup},
    shell::go,
    show, text, words,
};
use crate::{extract::Params, machine::Machine, state::App};
use askama::Template;
use axum::{Router, extract::State, routing::get};
use parts::{agent_part, attention_row, belongs, cell, home_words, is_built_in, key, path_words, tile, why};
use serde::Deserialize;
use skillful::views::{MatrixCell, MatrixSkill, SelectionView};
use skillful_team::{Role, TeamError};
use std::{sync::Arc, time::UNIX_EPOCH};

/// Rows of a page.
const ROWS: usize = 50;

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/ui/machine", get(machine).post(change))
        .route("/ui/machine/link/{agent}", get(linking::link_plan).post(linking::link))
        .route("/ui/machine/review/{word}", get(card::card).post(card::decide))
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
    agents: Vec<(String, String, Markup)>,
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
    /// Skills that come with Skillful.
    built_in: usize,
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
        _ if is_built_in(row) => 3,
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
        let title = ["Project", "User", "Managed and plugins", "Built into Skillful"][rank(row)];
        if groups.last().is_none_or(|group| group.title != title) {
            let place = match rank(row) {
                0 => home_words(&reading, reading.matrix.project.as_path()),
                3 => "for skillful ask, chat and mcp; agents read folders of their own".to_owned(),
                _ => String::new(),
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
            cells: row
                .agents
                .iter()
                .zip(&reading.matrix.agents)
                .map(|(one, agent)| cell(one, &row.skill.state, &agent.title))
                .collect(),
            why: is_open.then(|| why(row, &reading)),
            is_open,
            key,
        };
        if let Some(group) = groups.last_mut() {
            group.rows.push(made);
        }
    }
    // What comes with Skillful is not missed by an agent.
    let own: Vec<&MatrixSkill> = all.iter().filter(|row| !is_built_in(row)).collect();
    let agents = reading.overview.agents.iter().map(|agent| {
        let at = reading.matrix.agents.iter().position(|column| column.id == agent.agent);
        let cells: Vec<&MatrixCell> =
            at.map(|at| own.iter().map(|row| &row.agents[at]).collect()).unwrap_or_default();
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
        folder: home_words(&reading, &reading.workspace.environment().cwd),
        agents: agents.collect(),
        titles: reading.matrix.agents.iter().map(|agent| (tile(&agent.title), agent.title.clone())).collect(),
        total: own.len(),
        built_in: all.len() - own.len(),
        read: format!(
            "Read {} in {} ms.",
            words::ago(since, shell.now),
            words::number(i64::try_from(reading.took.as_millis()).unwrap_or(i64::MAX))
        ),
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
