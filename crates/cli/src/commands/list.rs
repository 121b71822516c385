//! `list`: every skill, who shadows whom, what is broken and where.

use super::{diagnostics_json, printed, tell_diagnostics};
use crate::{
    args::ListArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{BAD, Cell, DIM, GOOD, Table, WARN},
    shape,
};
use serde_json::json;
use skillful_catalog::{
    Catalog, Entry, Placement, Scope, gate::Reason, names::scope_named, profile::RootKind,
};
use skillful_format::Severity;
use std::collections::BTreeMap;

pub(crate) fn run(context: &mut Context, args: &ListArgs) -> Outcome {
    let catalog = context.workspace.catalog();
    let shown = select(&catalog, args)?;
    if context.output.json {
        let skills: Vec<_> = shown.iter().map(|entry| shape::entry(context, &catalog, entry)).collect();
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "folder": context.workspace.environment().cwd,
            "project": catalog.project,
            "skills": skills,
            "diagnostics": diagnostics_json(&[context.diagnostics().as_slice(), &catalog.diagnostics].concat()),
        })))?;
        return Ok(Exit::Clean);
    }
    tell_diagnostics(context, &context.diagnostics());
    let problems: Vec<_> =
        catalog.diagnostics.iter().filter(|d| d.severity >= Severity::Warning).cloned().collect();
    tell_diagnostics(context, &problems);
    if args.names {
        let names: String = shown.iter().map(|entry| entry.address() + "\n").collect();
        printed(context.output.print(&names))?;
        return Ok(Exit::Clean);
    }
    if shown.is_empty() {
        printed(context.output.print(&nothing(&catalog, args)))?;
        return Ok(Exit::Clean);
    }
    let table = Table {
        heads: vec!["NAME", "STATE", "SCOPE", "FOUND IN", "DESCRIPTION"],
        rows: shown.iter().map(|entry| row(context, &catalog, entry)).collect(),
    };
    let text = table.render(&context.output) + "\n" + &summary(context, &shown);
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

/// What can become of a skill, in the order of the summary.
const STATES: [&str; 5] = ["ready", "shadowed", "disabled", "untrusted", "invalid"];

/// The entries asked for: by name, the winner of a name before those it shadows.
fn select<'a>(catalog: &'a Catalog, args: &ListArgs) -> Result<Vec<&'a Entry>, Failure> {
    let scope = match &args.scope {
        Some(word) => Some(scope_named(word).ok_or_else(|| {
            Failure::usage(format!("there is no scope `{word}`"))
                .hint("scopes are project, user, custom, managed, plugin, integration and system")
        })?),
        None => None,
    };
    if let Some(state) = args.state.as_deref().filter(|state| !STATES.contains(state)) {
        return Err(Failure::usage(format!("there is no state `{state}`"))
            .hint(format!("states are {}", STATES.join(", "))));
    }
    let filter = args.filter.as_deref().map(str::to_lowercase);
    let mut shown: Vec<(String, bool, usize, &Entry)> = catalog
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| scope.is_none_or(|scope| scope == entry.origin.scope))
        .filter(|(_, entry)| args.state.as_deref().is_none_or(|state| state == entry.placement.word()))
        .filter(|(_, entry)| {
            args.agent.as_deref().is_none_or(|agent| catalog.agents_of(entry).contains(&agent))
        })
        .filter(|(_, entry)| {
            filter.as_deref().is_none_or(|text| {
                entry.address().to_lowercase().contains(text)
                    || entry.description().is_some_and(|words| words.to_lowercase().contains(text))
            })
        })
        .map(|(at, entry)| (entry.address(), entry.placement != Placement::Active, at, entry))
        .collect();
    shown.sort_by(|a, b| (&a.0, a.1, a.2).cmp(&(&b.0, b.1, b.2)));
    Ok(shown.into_iter().map(|(_, _, _, entry)| entry).collect())
}

fn row(context: &Context, catalog: &Catalog, entry: &Entry) -> Vec<Cell> {
    let style = match entry.placement {
        Placement::Active => GOOD,
        Placement::Shadowed { .. } | Placement::Disabled { .. } => DIM,
        Placement::Untrusted { .. } => WARN,
        Placement::Invalid => BAD,
    };
    let faded = if entry.placement == Placement::Active { anstyle::Style::new() } else { DIM };
    let place = match (entry.origin.scope, entry.origin.kind) {
        (Scope::System, _) if catalog.roots[entry.origin.root].agents == ["skillful"] => {
            "built in".to_owned()
        }
        (_, RootKind::Commands) => context.short(entry.folder()),
        _ => context.short(entry.folder().parent().unwrap_or(entry.folder())),
    };
    let (words, words_style) = words(context, catalog, entry);
    vec![
        Cell::styled(entry.address(), faded),
        Cell::styled(entry.placement.word(), style),
        Cell::styled(entry.origin.scope.word(), faded),
        Cell::styled(place, faded),
        Cell::styled(words, words_style),
    ]
}

/// What the last column says: the reason first, where there is one.
fn words(context: &Context, catalog: &Catalog, entry: &Entry) -> (String, anstyle::Style) {
    // A line shows only the head of it.
    let whole = entry.description().unwrap_or_default();
    let end = whole.char_indices().nth(context.output.width).map_or(whole.len(), |(end, _)| end);
    let description = whole[..end].to_owned();
    match &entry.placement {
        Placement::Shadowed { by } => {
            let winner = &catalog.entries[*by];
            (format!("shadowed by {}", context.short(winner.folder())), DIM)
        }
        Placement::Disabled { by } => (Reason::SwitchedOff { disabled: by.clone() }.to_string(), DIM),
        Placement::Invalid => {
            let worst = entry.loaded.diagnostics.iter().find(|d| d.severity == Severity::Error);
            let text = worst.map_or_else(String::new, |diagnostic| {
                let at = diagnostic.span.map_or_else(String::new, |span| format!("line {}: ", span.line));
                format!("{at}{}", diagnostic.message)
            });
            (text, BAD)
        }
        Placement::Untrusted { more } if !more.is_empty() => {
            (format!("asks for more: {}", more.join(", ")), WARN)
        }
        Placement::Active if description.is_empty() => {
            ("no description: never offered to a model".to_owned(), WARN)
        }
        Placement::Active | Placement::Untrusted { .. } => {
            let style = if entry.placement == Placement::Active { anstyle::Style::new() } else { DIM };
            (description, style)
        }
    }
}

fn summary(context: &Context, shown: &[&Entry]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in shown {
        *counts.entry(entry.placement.word()).or_default() += 1;
    }
    let parts: Vec<String> =
        STATES.iter().filter_map(|word| counts.get(word).map(|count| format!("{count} {word}"))).collect();
    let total = shown.len();
    let mut out = format!("{total} {}: {}\n", if total == 1 { "skill" } else { "skills" }, parts.join(", "));
    let warned = shown
        .iter()
        .filter(|entry| {
            entry.placement != Placement::Invalid && entry.loaded.worst() == Some(Severity::Warning)
        })
        .count();
    let mut hint = |text: String| {
        out.push_str(&context.output.paint(DIM, &text));
        out.push('\n');
    };
    if counts.contains_key("untrusted") {
        hint("untrusted: `skillful trust` shows what this repository's skills could do, and asks".to_owned());
    }
    if counts.contains_key("invalid") {
        hint("invalid: `skillful show NAME` has the line and the fix".to_owned());
    }
    if warned > 0 {
        let skills = if warned == 1 { "skill has" } else { "skills have" };
        hint(format!("{warned} {skills} warnings: `skillful check` shows them"));
    }
    out
}

fn nothing(catalog: &Catalog, args: &ListArgs) -> String {
    let filtered =
        args.filter.is_some() || args.scope.is_some() || args.state.is_some() || args.agent.is_some();
    if filtered && !catalog.entries.is_empty() {
        return format!("none of {} skills matches\n", catalog.entries.len());
    }
    "no skills found; `skillful roots --all` shows where they are looked for, `skillful new NAME` creates one\n".to_owned()
}
