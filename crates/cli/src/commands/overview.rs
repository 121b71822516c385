//! `skillful` alone: agents, skills, and what needs attention, each with its command.

use super::{printed, tell_diagnostics};
use crate::{
    context::Context,
    error::{Exit, Outcome},
    output::{BAD, Cell, HEAD, Table, WARN, columns, count, cut, harmless, thousands, wrapped},
};
use skillful::views::overview::{AgentOverview, Attention, AttentionKind, Overview, RepositoryState};
use std::{
    io::{IsTerminal as _, stdout},
    path::Path,
    time::SystemTime,
};

/// Where the commands of attentions begin, when the texts are short.
const COMMANDS: usize = 46;
/// Agents that a cell names.
const READERS: usize = 2;

pub(crate) fn run(context: &mut Context) -> Outcome {
    let overview = Overview::of(&context.workspace, env!("CARGO_PKG_VERSION"), SystemTime::now());
    if context.output.json {
        printed(context.output.print_json(&overview))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let text = if context.output.is_table() { text(context, &overview) } else { lines(&overview) };
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

/// One line per fact, tab-separated, for programs.
fn lines(overview: &Overview) -> String {
    let mut out = String::new();
    let mut line = |cells: &[&str]| {
        let cells: Vec<String> = cells.iter().map(|cell| harmless(cell).replace('\t', " ")).collect();
        out.push_str(&cells.join("\t"));
        out.push('\n');
    };
    for agent in &overview.agents {
        let AgentOverview { loads, here, misses, menu, .. } = agent;
        let [loads, here, misses] = [loads, here, misses].map(ToString::to_string);
        let menu = format!("{} of {} {}", menu.used, menu.limit, menu.unit);
        line(&["agent", &agent.agent, &loads, &here, &misses, &menu]);
    }
    for state in &overview.states {
        line(&["state", &state.state, &state.count.to_string()]);
    }
    for one in &overview.attention {
        line(&["attention", &one.text, &one.command]);
    }
    out
}

fn text(context: &Context, overview: &Overview) -> String {
    let output = &context.output;
    let repository = match overview.repository {
        RepositoryState::None => "not a repository".to_owned(),
        RepositoryState::WithoutSkills => "repository without skills".to_owned(),
        RepositoryState::Trusted
            if overview.attention.iter().any(|one| one.about == AttentionKind::Untrusted) =>
        {
            format!("repository, {}", output.paint(WARN, "partly trusted"))
        }
        RepositoryState::Trusted => "repository, trusted".to_owned(),
        RepositoryState::Untrusted => format!("repository, {}", output.paint(WARN, "UNTRUSTED")),
    };
    let name = output.paint(HEAD, &format!("Skillful {}", overview.version));
    let mut out = format!("{name}   {}   {repository}\n\n", context.named(&overview.folder));
    match overview.repository {
        RepositoryState::Untrusted => out.push_str(&untrusted(context, overview)),
        _ if overview.agents.is_empty() => {
            out.push_str(&format!(
                "No agent found. Looked for {} agents in {} folders.\n\n",
                thousands(overview.looked_for.agents),
                thousands(overview.looked_for.folders)
            ));
        }
        _ => {
            out.push_str(&agents(context, overview));
            out.push('\n');
        }
    }
    if overview.agents.is_empty() && overview.skills == overview.starter.len() {
        out.push_str(&start(context, overview));
        return out;
    }
    if overview.repository != RepositoryState::Untrusted {
        let counts: Vec<String> =
            overview.states.iter().map(|one| format!("{} {}", thousands(one.count), one.state)).collect();
        let line = format!("{}: {}", count(overview.skills, "skill"), counts.join(", "));
        out.push_str(&wrapped(&line, output.width, ""));
        out.push('\n');
    }
    if overview.attention.is_empty() {
        out.push_str("No problems found.\n");
    } else {
        out.push_str(&format!("{}\n", output.paint(HEAD, "Attention")));
        out.push_str(&attention(context, &overview.attention));
    }
    if overview.repository == RepositoryState::Untrusted && overview.own_available > 0 {
        let verb = if overview.own_available == 1 { "is" } else { "are" };
        let line = format!("{} of yours {verb} available here.", count(overview.own_available, "skill"));
        out.push_str(&format!("\n{line:<COMMANDS$}skillful list\n"));
    }
    if stdout().is_terminal() {
        out.push_str("\nFull-screen view: skillful ui\n");
    }
    out
}

fn agents(context: &Context, overview: &Overview) -> String {
    let is_wide = context.output.is_wide();
    let has_versions = is_wide && overview.agents.iter().any(|agent| agent.version.is_some());
    let rows = overview.agents.iter().map(|agent| {
        let mut cells = vec![Cell::plain(&agent.title)];
        if has_versions {
            cells.push(Cell::plain(agent.version.as_deref().unwrap_or("-")));
        }
        cells.extend([agent.loads, agent.here, agent.misses].map(Cell::figure));
        let menu = &agent.menu;
        cells.push(Cell::plain(format!(
            "{} of {} {}",
            thousands(menu.used),
            thousands(menu.limit),
            menu.unit
        )));
        if is_wide {
            cells.push(Cell::plain(folders(context, agent)));
        }
        cells
    });
    let mut heads = vec!["AGENT", "LOADS", "HERE", "MISSES", "MENU"];
    if has_versions {
        heads.insert(1, "VERSION");
    }
    if is_wide {
        heads.push("FOLDERS READ");
    }
    Table { heads, rows: rows.collect() }.render(&context.output)
}

fn folders(context: &Context, agent: &AgentOverview) -> String {
    let mut parts: Vec<String> =
        agent.folders.iter().map(|folder| context.short(Path::new(folder))).collect();
    if agent.plugins > 0 {
        parts.push(count(agent.plugins, "plugin"));
    }
    let mut text = parts.join("  ");
    if agent.distrusts {
        text.push_str("; does not trust this folder");
    }
    text
}

fn untrusted(context: &Context, overview: &Overview) -> String {
    let all = overview.attention.iter().find(|one| one.about == AttentionKind::Untrusted);
    let all = all.map_or(0, |one| one.count);
    let (noun, them) = if all == 1 { ("1 skill", "it") } else { ("skills", "them") };
    let skills = if all == 1 { noun.to_owned() } else { format!("{} {noun}", thousands(all)) };
    let mut out = wrapped(
        &format!("This repository has {skills}. Skillful does not offer {them} until you trust {them}."),
        context.output.width,
        "",
    );
    if overview.untrusted.is_empty() {
        out.push('\n');
        return out;
    }
    out.push_str("Agents that read these folders may load them already:\n\n");
    let rows = overview.untrusted.iter().map(|skill| {
        let mut loaders = skill.loaded_by.iter().take(READERS).cloned().collect::<Vec<_>>().join(", ");
        if skill.loaded_by.len() > READERS {
            loaders.push_str(&format!(" +{}", skill.loaded_by.len() - READERS));
        }
        let loaders = if loaders.is_empty() { "-".to_owned() } else { loaders };
        let style = if skill.blocking > 0 { BAD } else { anstyle::Style::new() };
        vec![Cell::plain(&skill.skill), Cell::plain(loaders), Cell::styled(&skill.can, style)]
    });
    let table = Table { heads: vec!["SKILL", "LOADED BY", "CAN"], rows: rows.collect() };
    out.push_str(&table.render(&context.output));
    out.push('\n');
    out
}

/// The texts in one column and the commands in another; a text that does not fit is cut, a command never.
fn attention(context: &Context, all: &[Attention]) -> String {
    let width = context.output.width;
    let texts: Vec<String> = all.iter().map(|one| harmless(&one.text)).collect();
    let longest = texts.iter().map(|text| columns(text)).max().unwrap_or(0);
    let widest = all.iter().map(|one| columns(&one.command)).max().unwrap_or(0);
    let room = width.saturating_sub(widest);
    let column = (longest + 4).max(COMMANDS).min(room).max(24);
    let mut out = String::new();
    for (one, text) in all.iter().zip(&texts) {
        let style = if one.about == AttentionKind::Invalid || one.about == AttentionKind::Blocked {
            BAD
        } else {
            WARN
        };
        let text = cut(text, column.saturating_sub(4));
        // A list of names has a mark of its own where it ends early.
        let text = if text.ends_with("……") { text.replace("……", "…") } else { text };
        let gap = " ".repeat(column.saturating_sub(columns(&text) + 2));
        let number = one.count.to_string();
        let text = match text.strip_prefix(&number) {
            Some(rest) => format!("{}{rest}", context.output.paint(style, &number)),
            None => text,
        };
        out.push_str(&format!("  {text}{gap}{}\n", one.command));
    }
    out
}

fn start(context: &Context, overview: &Overview) -> String {
    let mut out = String::new();
    if !overview.starter.is_empty() {
        let included = if overview.starter.len() == 1 {
            "1 starter skill is included".to_owned()
        } else {
            format!("{} starter skills are included", overview.starter.len())
        };
        let line = format!("{included}: {}", harmless(&overview.starter.join(", ")));
        out.push_str(&wrapped(&line, context.output.width.min(80), ""));
        out.push('\n');
    }
    out.push_str(&format!("{}\n", context.output.paint(HEAD, "Start")));
    for (command, what) in [
        ("skillful tour", "see everything in one minute"),
        ("skillful ask \"summarise sales.csv\"", "which skill helps, and why"),
        ("skillful starter install --agent codex", "give an agent its first skills"),
        ("skillful --help", "all commands"),
    ] {
        out.push_str(&format!("  {command:<38}   {what}\n"));
    }
    out
}
