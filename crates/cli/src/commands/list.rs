//! `list`: every skill with its state, and why one is not available.

use super::{printed, tell_diagnostics};
use crate::{
    args::ListArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{BAD, Cell, DIM, Table, WARN, columns, harmless, tell, wrapped},
};
use skillful::{
    agent_sets::AgentSets,
    shell_word::shell_word,
    views::{ListFilter, SkillList, SkillStream, SkillSummary, UnknownFilter},
};
use skillful_catalog::Scope;
use skillful_format::Severity;
use std::path::Path;

pub(crate) fn run(context: &mut Context, args: &ListArgs) -> Outcome {
    if let Some(agent) = &args.agent {
        ListFilter::agent(&context.workspace, "agent", agent)?;
    }
    context.for_agent(args.agent.as_deref())?;
    let filter = ListFilter {
        text: args.filter.clone(),
        state: args.state.clone(),
        scope: args.scope.clone(),
        missing_in: args.missing_in.clone(),
        source: args.source.clone(),
    };
    if context.output.json {
        printed(context.output.print_json(&SkillStream::of(&context.workspace, &filter)?))?;
        return Ok(Exit::Clean);
    }
    let list = SkillList::without_diagnostics(&context.workspace, &filter)?;
    tell_diagnostics(context, &context.diagnostics());
    let catalog = context.workspace.catalog();
    let problems: Vec<_> =
        catalog.diagnostics.iter().filter(|one| one.severity >= Severity::Warning).cloned().collect();
    tell_diagnostics(context, &problems);
    if args.names {
        let names: String = list.skills.iter().map(|skill| skill.name.clone() + "\n").collect();
        printed(context.output.print(&names))?;
        return Ok(Exit::Clean);
    }
    if list.skills.is_empty() {
        let sentence = nothing(context, &list, args);
        // A program reads rows.
        if context.output.is_table() {
            printed(context.output.print(&wrapped(&sentence, context.output.width, "")))?;
        } else {
            tell(&sentence);
        }
        return Ok(Exit::Clean);
    }
    let mut text = table(context, &list).render(&context.output);
    if context.output.is_table() {
        text.push_str(&format!("\n{}", summary(context, &list, args)));
        text.push_str(&not_available(context, &list));
    }
    printed(context.output.page(&text))?;
    Ok(Exit::Clean)
}

fn table(context: &Context, list: &SkillList) -> Table {
    // `--json` names the agents that read the folder: it is written while the list is made, without a view of each agent.
    let sets = AgentSets::found(&context.workspace);
    let loaders = sets.loaders();
    let is_wide = context.output.is_wide();
    let origins = if is_wide { list.origins(&context.workspace) } else { Vec::new() };
    let is_table = context.output.is_table();
    // On a terminal the column is there when it says something; a program finds it after the others.
    let has_origins = is_wide && (!is_table || origins.iter().any(Option::is_some));
    let rows = list.skills.iter().enumerate().map(|(at, skill)| {
        let state = match skill.state.as_str() {
            "available" => anstyle::Style::new(),
            "invalid" => BAD,
            "untrusted" | "pending" | "unavailable" => WARN,
            _ => DIM,
        };
        let plain = if skill.state == "available" { anstyle::Style::new() } else { DIM };
        let mut cells = vec![Cell::styled(&skill.name, plain), Cell::styled(&skill.state, state)];
        if is_wide {
            cells.push(Cell::styled(&skill.scope, plain));
        }
        let agents = loaders.get(skill.key().as_path()).map_or(&[][..], Vec::as_slice);
        cells.push(Cell::styled(named(agents, context), plain));
        if is_wide {
            cells.push(Cell::styled(folder(context, skill), plain));
        }
        cells.push(Cell::styled(skill.description.as_deref().unwrap_or("-"), plain));
        if has_origins {
            let repository = if skill.scope == Scope::Project.word() { "this repository" } else { "-" };
            let origin = origins.get(at).and_then(Option::as_deref).unwrap_or(repository);
            let last = cells.len() - usize::from(is_table);
            cells.insert(last, Cell::styled(origin, plain));
        }
        cells
    });
    let heads = if has_origins {
        vec!["NAME", "STATE", "SCOPE", "LOADED BY", "FOLDER", "SOURCE", "DESCRIPTION"]
    } else if is_wide {
        vec!["NAME", "STATE", "SCOPE", "LOADED BY", "FOLDER", "DESCRIPTION"]
    } else {
        vec!["NAME", "STATE", "LOADED BY", "DESCRIPTION"]
    };
    Table { heads, rows: rows.collect() }
}

/// The folder that holds a skill; the skills of the program lie in a folder that no user looks into.
fn folder(context: &Context, skill: &SkillSummary) -> String {
    if context.output.is_table() && skill.scope == Scope::System.word() {
        return "part of skillful".to_owned();
    }
    context.short(Path::new(&skill.root))
}

/// Agents of a skill: on a terminal the first, and how many more.
fn named(all: &[&str], context: &Context) -> String {
    let wide = context.output.is_wide();
    let shown = if !context.output.is_table() {
        all.len()
    } else if wide {
        3
    } else {
        2
    };
    let mut words: Vec<String> =
        all.iter().take(shown).map(|agent| short_name(agent, wide).to_owned()).collect();
    if all.len() > shown {
        words.push(format!("+{}", all.len() - shown));
    }
    if words.is_empty() { "-".to_owned() } else { words.join(" ") }
}

/// The first word of an agent's id, where columns are few.
fn short_name(agent: &str, wide: bool) -> &str {
    if wide { agent } else { agent.split('-').next().unwrap_or(agent) }
}

fn summary(context: &Context, list: &SkillList, args: &ListArgs) -> String {
    let skills = |count: usize| if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") };
    let counts: Vec<String> = list.counts().iter().map(|(word, count)| format!("{count} {word}")).collect();
    let loaded = list.agent.as_deref().map(|agent| format!(" that {} loads", title(context, agent)));
    let loaded = loaded.unwrap_or_default();
    let filters = [
        ("missing in", &args.missing_in),
        ("state", &args.state),
        ("scope", &args.scope),
        ("source", &args.source),
        ("text", &args.filter),
    ];
    let named = |(name, value): (&str, &Option<String>)| {
        value.as_ref().map(|value| format!("{name} {}", harmless(value)))
    };
    let filters: Vec<String> = filters.into_iter().filter_map(named).collect();
    let line = if filters.is_empty() {
        format!("{}{loaded}: {}", skills(list.skills.len()), counts.join(", "))
    } else {
        format!("{} of {}{loaded}: {}", list.skills.len(), skills(list.total), filters.join(", "))
    };
    wrapped(&line, context.output.width, "")
}

/// Where the text of a group begins.
const INDENT: &str = "               ";

/// A text and its command, on the same line where both fit: a command is easier to copy from a line of its own than from
/// the ends of two.
fn with_command(text: &str, command: Option<&str>, width: usize, indent: &str) -> String {
    let text = wrapped(text, width, indent);
    let Some(command) = command else { return text };
    let last = text.trim_end().lines().next_back().map_or(0, columns);
    if last + 3 + columns(command) <= width {
        return format!("{}   {command}\n", text.trim_end());
    }
    text + &wrapped(&format!("{indent}{command}"), width, indent)
}

/// The skills that are not available, grouped by state and reason, each group with its command.
fn not_available(context: &Context, list: &SkillList) -> String {
    let mut out = String::new();
    let named = |skill: &SkillSummary| {
        let is_only = list.skills.iter().filter(|other| other.name == skill.name).count() == 1;
        if is_only {
            return skill.name.clone();
        }
        format!("{} ({})", skill.name, folder(context, skill))
    };
    for (state, _) in list.counts().into_iter().filter(|(state, _)| *state != "available") {
        let mut groups: Vec<(String, Option<String>, Vec<String>)> = Vec::new();
        for skill in list.skills.iter().filter(|skill| skill.state == state) {
            let why = short_reasons(context, skill);
            let fix = skill.fix.as_ref().filter(|_| state != "shadowed");
            let fix = fix.map(|fix| context.short_paths(fix));
            match groups.iter_mut().find(|group| group.0 == why && group.1 == fix) {
                Some(group) => group.2.push(named(skill)),
                None => groups.push((why, fix, vec![named(skill)])),
            }
        }
        for (at, (why, fix, names)) in groups.iter().enumerate() {
            let label = if at == 0 { state } else { "" };
            let shown = if names.len() > 6 {
                format!("{}, … {} more", names[..5].join(", "), names.len() - 5)
            } else {
                names.join(", ")
            };
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            let line = format!("  {label:<11}  {}", harmless(&format!("{shown}{why}")));
            let fix = fix.as_deref().map(harmless);
            out.push_str(&with_command(&line, fix.as_deref(), context.output.width, INDENT));
        }
    }
    if out.is_empty() { out } else { format!("\nWhy not available\n{out}") }
}

/// The reasons of a skill with paths as a user writes them.
fn short_reasons(context: &Context, skill: &SkillSummary) -> String {
    context.short_paths(&skill.reasons.join("; "))
}

/// The name that users know an agent by.
fn title<'c>(context: &'c Context, agent: &'c str) -> &'c str {
    context.workspace.agent(agent).map_or(agent, |profile| profile.title.as_str())
}

fn nothing(context: &Context, list: &SkillList, args: &ListArgs) -> String {
    let filters = [&args.filter, &args.scope, &args.state, &args.missing_in, &args.source];
    let filtered = filters.iter().any(|filter| filter.is_some());
    if filtered && list.total > 0 {
        return summary(context, list, args);
    }
    if let Some(agent) = &list.agent {
        let title = title(context, agent);
        return format!("{title} loads no skill here; `skillful view --agent {agent}` lists the reasons\n");
    }
    "no skills found; `skillful agents --folders` shows where they are looked for, `skillful new NAME` creates one\n"
        .to_owned()
}

/// Values that an error names.
const KNOWN: usize = 12;

impl From<UnknownFilter> for Failure {
    fn from(unknown: UnknownFilter) -> Self {
        let near = skillful_catalog::names::nearest(&unknown.word, unknown.known.iter().map(String::as_str));
        let near = near.first().map(|near| shell_word(near));
        let mut known: Vec<&str> = unknown.known.iter().take(KNOWN).map(String::as_str).collect();
        let more = format!("{} more", unknown.known.len().saturating_sub(KNOWN));
        if unknown.known.len() > KNOWN {
            known.push(&more);
        }
        let known = known.join(", ");
        let (what, option) = (unknown.what, unknown.option);
        let cause = match (what, known.is_empty()) {
            ("agent", true) => "no agent was found on this machine".to_owned(),
            ("agent", false) => format!("agents on this machine: {known}"),
            ("source", true) => "no source is configured, and no skill here was installed".to_owned(),
            ("source", false) => format!("sources of skills here: {known}"),
            _ => format!("the {what}s are {known}"),
        };
        let leave_out = format!("leave --{option} out");
        let fix = match (near, known.is_empty()) {
            (Some(near), _) => format!("skillful list --{option} {near}"),
            (None, true) => leave_out,
            (None, false) => format!("name one of these, or {leave_out}"),
        };
        Self::usage(unknown.to_string()).cause(cause).hint(fix)
    }
}
