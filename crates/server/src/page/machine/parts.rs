//! The parts of the page about this machine: agents, what needs attention, the cells of the matrix with their reasons.

use super::{AgentPart, AttentionRow, Cell, Why};
use crate::{
    machine::MachineReading,
    page::{
        encoded, explain_picture, icon, markdown,
        marks::{Mark, Markup},
        words,
    },
};
use skillful::{
    library::ReviewItem,
    views::{
        MatrixAgent, MatrixCell, MatrixSkill,
        overview::{AgentOverview, Attention, AttentionKind},
    },
    visible::short_path,
};
use std::path::Path;

/// Two letters for the tile of an agent.
pub(super) fn tile(title: &str) -> String {
    let letters: Vec<char> = title.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut words = title.split(|c: char| c.is_whitespace() || c == '-').filter(|word| !word.is_empty());
    let second = words.nth(1).and_then(|word| word.chars().next()).or_else(|| letters.get(1).copied());
    let first = letters.first().copied().unwrap_or('?').to_uppercase();
    first.chain(second.into_iter().flat_map(char::to_lowercase)).collect()
}

pub(super) fn path_words(reading: &MachineReading, path: &Path) -> String {
    let environment = reading.workspace.environment();
    short_path(path, &environment.cwd, &environment.home)
}

/// A folder as it is named from anywhere on this machine: below the home with `~`.
pub(super) fn home_words(reading: &MachineReading, path: &Path) -> String {
    match path.strip_prefix(&reading.workspace.environment().home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

pub(super) fn agent_part(
    agent: &AgentOverview,
    column: Option<&MatrixAgent>,
    cells: &[&MatrixCell],
) -> AgentPart {
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

pub(super) fn attention_row(one: &Attention, reading: &MachineReading) -> AttentionRow {
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
        text: attention_words(one, reading),
        href,
        word: word.to_owned(),
        command: one.command.clone(),
    }
}

/// What needs attention, as a sentence.
fn attention_words(one: &Attention, reading: &MachineReading) -> Markup {
    let names = one.text.split_once(": ").map_or("", |(_, names)| names);
    let skills = words::count(one.count, "skill", "skills");
    let verb = if one.count == 1 { "is" } else { "are" };
    let text = match one.about {
        AttentionKind::Invalid => format!("{skills} cannot be read: {names}"),
        AttentionKind::Review => {
            format!("{skills} {verb} pending, and no agent loads them until you approve: {names}")
        }
        AttentionKind::Untrusted => format!("{skills} of this repository {verb} not trusted yet"),
        AttentionKind::Unavailable => {
            let needs = names.strip_prefix("need ").unwrap_or(names);
            format!("{skills} {verb} unavailable, since something is missing: {needs}")
        }
        AttentionKind::Misses => {
            let agent = reading.overview.agents.iter().find(|agent| one.command.ends_with(&agent.agent));
            match agent {
                Some(agent) => format!(
                    "{} does not load {skills} that you have; {}",
                    agent.title,
                    match agent.fixable {
                        0 => "a link does not help".to_owned(),
                        1 => "a link fixes 1".to_owned(),
                        many => format!("links fix {many}"),
                    }
                ),
                None => one.text.clone(),
            }
        }
        AttentionKind::Blocked | AttentionKind::Unset | AttentionKind::Updates => one.text.clone(),
    };
    markdown::prose(&[text.trim_end_matches(": ")])
}

pub(super) fn review_link(item: &ReviewItem) -> String {
    format!("/ui/machine/review/{}", encoded(format!("{}:{}", item.kind.prefix(), item.name)))
}

/// Skills that come with Skillful: other agents have none of them, which is not a problem of theirs.
pub(super) fn is_built_in(row: &MatrixSkill) -> bool {
    row.agents.iter().any(|cell| cell.why.as_deref().is_some_and(|why| why.starts_with("it is built into")))
}

/// The reason of a cell below the name of its agent: the agent is not named again.
fn short_why(why: &str, title: &str) -> String {
    let rest = why.strip_prefix(title).map_or(why, str::trim_start);
    let rest = rest.strip_prefix("does not read ").unwrap_or(rest);
    explain_picture::cut(&rest.replace('`', ""), 60)
}

pub(super) fn cell(cell: &MatrixCell, state: &str, title: &str) -> Cell {
    if cell.why.as_deref().is_some_and(|why| why.starts_with("it is built into")) {
        return Cell {
            mark: Markup(
                "<span class=\"dim\" aria-hidden=\"true\">–</span><span class=\"vh\">Not read</span>"
                    .to_owned(),
            ),
            small: String::new(),
        };
    }
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
    Cell { mark: Markup(mark.to_string()), small: short_why(cell.why.as_deref().unwrap_or_default(), title) }
}

/// Whether a row belongs to a filter.
pub(super) fn belongs(row: &MatrixSkill, filter: &str) -> bool {
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

pub(super) fn key(row: &MatrixSkill) -> String {
    row.skill.path.text().into_owned()
}

pub(super) fn why(row: &MatrixSkill, reading: &MachineReading) -> Why {
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
            (Some(why), false) => match why.strip_prefix(&agent.title) {
                Some(rest) => format!("does not load it, since it {}", rest.trim_start()),
                None => format!("does not load it: {why}"),
            },
            (None, false) => "does not load it".to_owned(),
        };
        let fix = if cell.loads() { "" } else { cell.fix.as_deref().unwrap_or_default() };
        (tile(&agent.title), agent.title.clone(), markdown::prose(&[&text, fix]))
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
