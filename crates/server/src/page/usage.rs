//! Usage: four figures, one chart, skill by agent, what is not used.

use super::{
    Nav, Shell, Visitor, address::Address, errors::PageResult, marks::Markup, picture, shell::paged, show,
    words,
};
use crate::{extract::Params, state::App};
use askama::Template;
use axum::{Router, extract::State, response::Response, routing::get};
use serde::Deserialize;
use skillful_team::{
    permission::{OrgDeed, may_org},
    usage::{GroupUses, UnusedSkill, UsageOf, UsageReport, WINDOWS},
};

/// The routes.
pub(crate) fn router() -> Router<App> {
    Router::new().route("/ui/usage", get(usage)).route("/ui/usage.csv", get(export))
}

/// The window, and whose usage.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct UsageQuery {
    w: Option<i64>,
    whose: Option<String>,
    group: Option<String>,
    agent: Option<String>,
}

struct Stat {
    word: &'static str,
    value: String,
    note: String,
}

struct HeatRow {
    id: String,
    name: String,
    cells: Vec<(String, &'static str)>,
    total: String,
}

#[derive(Template)]
#[template(path = "usage.html")]
struct UsagePage {
    shell: Shell,
    here: Address,
    windows: Vec<(String, &'static str, bool)>,
    may_all: bool,
    is_all: bool,
    stats: Vec<Stat>,
    is_empty: bool,
    chart: Markup,
    rows: Vec<(String, String, String)>,
    agents: Vec<String>,
    heat: Vec<HeatRow>,
    unused: Vec<UnusedSkill>,
    groups: Vec<GroupRow>,
    /// The groups of the filter: id, name, whether it is chosen.
    group_options: Vec<(String, String, bool)>,
    agent_options: Vec<(String, bool)>,
    /// The filters as the query of an export.
    exported: String,
    is_filtered: bool,
}

/// A group with its uses as a bar.
struct GroupRow {
    name: String,
    members: String,
    uses: String,
    href: String,
    bar: Markup,
}

fn group_rows(groups: &[GroupUses], here: &Address) -> Vec<GroupRow> {
    let most = groups.iter().map(|one| one.uses).max().unwrap_or(0).max(1);
    groups
        .iter()
        .map(|one| GroupRow {
            name: one.name.clone(),
            members: words::number(one.members),
            uses: words::number(one.uses),
            href: here.with("group", &one.group_id).to_string(),
            bar: picture::part(one.uses, most),
        })
        .collect()
}

paged!(UsagePage);

fn window_word(days: i64) -> &'static str {
    match days {
        1 => "24 hours",
        7 => "7 days",
        90 => "90 days",
        365 => "1 year",
        _ => "30 days",
    }
}

/// What the address asks for, as far as the visitor may ask it.
struct Asked {
    days: i64,
    may_all: bool,
    is_all: bool,
    group: String,
    agent: String,
}

impl Asked {
    fn of(query: &UsageQuery, visitor: &Visitor) -> Self {
        let may_all = may_org(&visitor.actor, OrgDeed::ReadUsage, &visitor.actor.org).is_ok();
        let is_all = may_all && query.whose.as_deref() != Some("own");
        let group = query.group.clone().filter(|_| is_all);
        Self {
            days: query.w.filter(|days| WINDOWS.contains(days)).unwrap_or(30),
            may_all,
            is_all,
            group: group.unwrap_or_default(),
            agent: query.agent.clone().unwrap_or_default(),
        }
    }

    fn usage(&self) -> UsageOf<'_> {
        UsageOf { of_all: self.is_all, group: &self.group, agent: &self.agent }
    }

    fn address(&self) -> Address {
        Address::of("/ui/usage")
            .with("w", if self.days == 30 { String::new() } else { self.days.to_string() })
            .with("whose", if self.may_all && !self.is_all { "own" } else { "" })
            .with("group", &self.group)
            .with("agent", &self.agent)
    }
}

/// The name of a bucket of time.
fn bucket(from: i64, days: i64) -> String {
    if days == 1 { words::hour(from) } else { words::short_date(from) }
}

async fn usage(State(app): State<App>, visitor: Visitor, Params(query): Params<UsageQuery>) -> PageResult {
    let asked = Asked::of(&query, &visitor);
    let (days, is_all) = (asked.days, asked.is_all);
    let (team, actor) = (&app.team, &visitor.actor);
    let report = team.usage_of(actor, days, asked.usage()).await?;
    let by_agent = team.uses_by_agent(actor, days, asked.usage(), &report.top).await?;
    let is_narrow = !asked.group.is_empty() || !asked.agent.is_empty();
    // How far skills reach is a figure of the whole organisation.
    let reach = if is_all { Some(team.reach(actor, days).await?) } else { None };
    let groups = if is_all { team.uses_by_group(actor, days).await? } else { Vec::new() };
    let all_agents = if asked.agent.is_empty() {
        report.agents.clone()
    } else {
        team.usage_of(actor, days, UsageOf { agent: "", ..asked.usage() }).await?.agents
    };
    let here = asked.address();
    let good = words::percent(report.uses - report.failures, report.uses);
    let mut stats = vec![Stat {
        word: "Uses",
        value: words::number(report.uses),
        note: format!("in {}", window_word(days)),
    }];
    match &reach {
        Some(reach) => {
            stats.push(Stat {
                word: "Active users",
                value: words::number(report.active_users),
                note: format!("of {}", words::number(reach.users)),
            });
            stats.push(Stat {
                word: "Skills used",
                value: words::number(if is_narrow { listed(&report) } else { reach.used }),
                note: if is_narrow {
                    "of this group and agent, at most ten are listed".to_owned()
                } else {
                    format!("of {} served", words::number(reach.served))
                },
            });
        }
        None => {
            stats.push(Stat {
                word: "Skills used",
                value: words::number(listed(&report)),
                note: "by you, at most ten are listed".to_owned(),
            });
            stats.push(Stat {
                word: "Agents",
                value: words::number(i64::try_from(report.agents.len()).unwrap_or(0)),
                note: "that reported a use".to_owned(),
            });
        }
    }
    stats.push(Stat {
        word: "Without an error",
        value: good,
        note: match report.failures {
            0 => "no failure".to_owned(),
            1 => "1 failure".to_owned(),
            many => format!("{} failures", words::number(many)),
        },
    });
    let agents: Vec<String> = report.agents.iter().take(8).map(|one| one.agent.clone()).collect();
    let most = by_agent.iter().flatten().map(|one| one.uses).max().unwrap_or(1).max(1);
    let heat = report
        .top
        .iter()
        .zip(&by_agent)
        .map(|(skill, uses)| HeatRow {
            id: skill.skill_id.clone(),
            name: if skill.name.is_empty() { "deleted skill".to_owned() } else { skill.name.clone() },
            cells: agents
                .iter()
                .map(|agent| {
                    let uses = uses.iter().find(|one| one.agent == *agent).map_or(0, |one| one.uses);
                    (if uses == 0 { String::new() } else { words::number(uses) }, heat_class(uses, most))
                })
                .collect(),
            total: words::number(skill.uses),
        })
        .collect();
    let page = UsagePage {
        windows: WINDOWS
            .iter()
            .map(|window| {
                let value = if *window == 30 { String::new() } else { window.to_string() };
                (here.with("w", value).to_string(), window_word(*window), *window == days)
            })
            .collect(),
        is_empty: report.uses == 0,
        chart: chart(&report),
        rows: report
            .over_time
            .iter()
            .rev()
            .map(|at| (bucket(at.from, days), words::number(at.uses), words::number(at.failures)))
            .collect(),
        unused: reach.filter(|_| !is_narrow).map(|reach| reach.unused).unwrap_or_default(),
        groups: if asked.group.is_empty() { group_rows(&groups, &here) } else { Vec::new() },
        group_options: groups
            .into_iter()
            .map(|one| {
                let is_chosen = one.group_id == asked.group;
                (one.group_id, one.name, is_chosen)
            })
            .collect(),
        agent_options: all_agents
            .into_iter()
            .map(|one| {
                let is_chosen = one.agent == asked.agent;
                (one.agent, is_chosen)
            })
            .collect(),
        exported: here.to_string().split_once('?').map_or_else(String::new, |(_, query)| format!("?{query}")),
        is_filtered: is_narrow,
        shell: Shell::of(&app, &visitor, "Usage", Nav::Usage).await?,
        may_all: asked.may_all,
        is_all,
        here,
        stats,
        agents,
        heat,
    };
    show(&page)
}

/// How many skills a report lists.
fn listed(report: &UsageReport) -> i64 {
    i64::try_from(report.top.len()).unwrap_or(0)
}

/// A step of the heat map; the number is in the cell.
fn heat_class(uses: i64, most: i64) -> &'static str {
    match uses.saturating_mul(100) / most {
        0 if uses == 0 => "h0",
        0..10 => "h1",
        10..25 => "h2",
        25..45 => "h3",
        45..65 => "h4",
        65..85 => "h5",
        _ => "h6",
    }
}

/// Bars of uses with failures in front; each bar has its numbers as a title, and a table has them all.
fn chart(report: &UsageReport) -> Markup {
    let bars: Vec<picture::Bar> = report
        .over_time
        .iter()
        .map(|at| picture::Bar { label: bucket(at.from, report.days), value: at.uses, part: at.failures })
        .collect();
    let title = format!(
        "Uses over {}, {} to {}, at most {} in one bar",
        window_word(report.days),
        bars.first().map_or("", |bar| &bar.label),
        bars.last().map_or("", |bar| &bar.label),
        words::number(bars.iter().map(|bar| bar.value).max().unwrap_or(0))
    );
    picture::bars(&title, &bars)
}

async fn export(
    State(app): State<App>,
    visitor: Visitor,
    Params(query): Params<UsageQuery>,
) -> Result<Response, super::errors::PageError> {
    let asked = Asked::of(&query, &visitor);
    let report = app.team.usage_of(&visitor.actor, asked.days, asked.usage()).await?;
    let mut text = String::from("from,uses,failures\r\n");
    for at in &report.over_time {
        text += &format!("{},{},{}\r\n", words::iso(at.from), at.uses, at.failures);
    }
    Ok(super::csv("usage.csv", text))
}
