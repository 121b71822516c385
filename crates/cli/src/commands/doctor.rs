//! `doctor`: what is wrong, and what will be.

mod skill;

use super::{diagnostics_json, printed};
use crate::{
    args::DoctorArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{BAD, DIM, GOOD, HEAD, WARN, harmless},
    shape,
};
use serde_json::json;
use skillful_assistant::models::{CONNECT, Models};
use skillful_catalog::{
    AgentProfile, Catalog, Placement,
    gate::{Door, Reason, Status, gate},
};
use skillful_format::Severity;

/// How one check went.
enum Health {
    Good,
    Warn,
    Bad,
}

struct Finding {
    health: Health,
    what: String,
    more: Vec<String>,
}

pub(crate) fn run(context: &mut Context, args: &DoctorArgs) -> Outcome {
    let (catalog, findings, head) = match &args.skill {
        Some(word) => {
            let (catalog, at) = context.catalog_with(word)?;
            let entry = &catalog.entries[at];
            let head = format!("{} in {}", entry.address(), context.short(entry.folder()));
            let findings = skill::findings(context, &catalog, at)?;
            (catalog, findings, head)
        }
        None => {
            let catalog = context.workspace.catalog();
            let findings = general(context, &catalog);
            (catalog, findings, format!("skillful {}", env!("CARGO_PKG_VERSION")))
        }
    };
    let bad = findings.iter().any(|finding| matches!(finding.health, Health::Bad));
    if context.output.json {
        let list: Vec<_> = findings
            .iter()
            .map(|finding| {
                let health = match finding.health {
                    Health::Good => "good",
                    Health::Warn => "warning",
                    Health::Bad => "error",
                };
                json!({ "health": health, "finding": finding.what, "details": finding.more })
            })
            .collect();
        printed(context.output.print_json(&json!({
            "schema": shape::SCHEMA,
            "findings": list,
            "diagnostics": diagnostics_json(&[context.diagnostics().as_slice(), &catalog.diagnostics].concat()),
        })))?;
    } else {
        let output = &context.output;
        let mut out = output.paint(HEAD, &harmless(&head)) + "\n";
        for finding in &findings {
            let (style, mark) = match finding.health {
                Health::Good => (GOOD, "ok"),
                Health::Warn => (WARN, "look"),
                Health::Bad => (BAD, "bad"),
            };
            out.push_str(&format!(
                "{} {}\n",
                output.paint(style, &format!("{mark:>4}")),
                harmless(&finding.what)
            ));
            for line in &finding.more {
                out.push_str(&format!("       {}\n", output.paint(DIM, &harmless(line))));
            }
        }
        printed(context.output.print(&out))?;
    }
    Ok(if bad { Exit::Findings } else { Exit::Clean })
}

fn general(context: &Context, catalog: &Catalog) -> Vec<Finding> {
    vec![
        configuration(context),
        model(context),
        roots(context, catalog),
        broken(context, catalog),
        shadows(context, catalog),
        unavailable(context, catalog),
        trust(context, catalog),
        switched_off(context, catalog),
        walks(context, catalog),
        budgets(context, catalog),
    ]
}

const SHOWN: usize = 8;

fn capped(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > SHOWN {
        let rest = lines.len() - SHOWN;
        lines.truncate(SHOWN);
        lines.push(format!("and {rest} more"));
    }
    lines
}

fn configuration(context: &Context) -> Finding {
    let more: Vec<String> = context
        .diagnostics()
        .iter()
        .map(|d| {
            format!("{}: {}", d.path.as_ref().map_or_else(String::new, |path| context.short(path)), d.message)
        })
        .collect();
    let what = if context.workspace.paths().config.exists() {
        format!("configuration {}", context.short(&context.workspace.paths().config))
    } else {
        format!(
            "no configuration at {}; defaults are in effect",
            context.short(&context.workspace.paths().config)
        )
    };
    Finding { health: if more.is_empty() { Health::Good } else { Health::Bad }, what, more }
}

/// Whether somebody would answer. Nobody is asked.
fn model(context: &Context) -> Finding {
    match Models::of(&context.workspace).connection() {
        Ok(Some((model, address))) => Finding {
            health: Health::Good,
            what: format!("a model is connected: {model} at {address}"),
            more: Vec::new(),
        },
        Ok(None) => Finding {
            health: Health::Good,
            what: "no model is connected; `ask` shows what one would read".to_owned(),
            more: vec![CONNECT.to_owned()],
        },
        Err(failure) => {
            Finding { health: Health::Warn, what: failure.message, more: failure.hint.into_iter().collect() }
        }
    }
}

fn roots(context: &Context, catalog: &Catalog) -> Finding {
    let present = catalog.roots.iter().filter(|root| root.present).count();
    let missing: Vec<String> = catalog
        .roots
        .iter()
        .filter(|root| !root.present && context.workspace.config().settings.custom.contains(&root.path))
        .map(|root| format!("{} is configured and not there", context.short(&root.path)))
        .collect();
    let health = if missing.is_empty() { Health::Good } else { Health::Warn };
    Finding {
        health,
        what: format!("{present} folders of skills, {} skills", catalog.entries.len()),
        more: missing,
    }
}

fn broken(context: &Context, catalog: &Catalog) -> Finding {
    let lines: Vec<String> = catalog
        .entries
        .iter()
        .filter(|entry| entry.placement == Placement::Invalid)
        .map(|entry| {
            let worst = entry.loaded.diagnostics.iter().find(|d| d.severity == Severity::Error);
            let line = worst.and_then(|d| d.span).map_or_else(String::new, |span| format!(":{}", span.line));
            let message = worst.map_or("cannot be read", |d| &d.message);
            format!("{}{line}: {message}", context.short(&entry.origin.file))
        })
        .collect();
    let what = match lines.len() {
        0 => "every skill can be read".to_owned(),
        1 => "1 skill cannot be read".to_owned(),
        count => format!("{count} skills cannot be read"),
    };
    Finding { health: if lines.is_empty() { Health::Good } else { Health::Bad }, what, more: capped(lines) }
}

fn shadows(context: &Context, catalog: &Catalog) -> Finding {
    let lines: Vec<String> = catalog
        .entries
        .iter()
        .filter_map(|entry| match entry.placement {
            Placement::Shadowed { by } => {
                let winner = context.short(catalog.entries[by].folder());
                Some(format!("{} is shadowed by {winner}", context.short(entry.folder())))
            }
            _ => None,
        })
        .collect();
    let what = match lines.len() {
        0 => "no skill shadows another".to_owned(),
        count => format!("{count} shadowed"),
    };
    Finding { health: if lines.is_empty() { Health::Good } else { Health::Warn }, what, more: capped(lines) }
}

fn unavailable(context: &Context, catalog: &Catalog) -> Finding {
    let lines: Vec<String> = catalog
        .entries
        .iter()
        .filter(|entry| entry.placement == Placement::Active)
        .filter_map(|entry| {
            let verdict = gate(
                catalog,
                entry,
                context.workspace.principal(),
                context.workspace.environment(),
                Door::Person,
            );
            let reasons: Vec<String> = verdict.reasons.iter().map(ToString::to_string).collect();
            (verdict.status == Status::Unavailable)
                .then(|| format!("{}: {}", entry.address(), reasons.join("; ")))
        })
        .collect();
    let what = match lines.len() {
        0 => "everything that skills need is there".to_owned(),
        count => format!("{count} lack something they need"),
    };
    Finding { health: if lines.is_empty() { Health::Good } else { Health::Warn }, what, more: capped(lines) }
}

fn trust(context: &Context, catalog: &Catalog) -> Finding {
    let count =
        catalog.entries.iter().filter(|entry| matches!(entry.placement, Placement::Untrusted { .. })).count();
    let (health, what) = match count {
        0 => (Health::Good, "no untrusted skills here".to_owned()),
        1 => (Health::Warn, "1 skill of this repository is untrusted".to_owned()),
        count => (Health::Warn, format!("{count} skills of this repository are untrusted")),
    };
    let more = if count == 0 {
        Vec::new()
    } else {
        vec![format!("`skillful trust` asks about {}", context.short(&catalog.project))]
    };
    Finding { health, what, more }
}

fn switched_off(context: &Context, catalog: &Catalog) -> Finding {
    let lines: Vec<String> = catalog
        .entries
        .iter()
        .filter_map(|entry| match &entry.placement {
            Placement::Disabled { by } => {
                let why = Reason::SwitchedOff { disabled: by.clone() };
                Some(format!("{} at {}: {why}", entry.address(), context.short(&entry.origin.file)))
            }
            _ => None,
        })
        .collect();
    let what = match lines.len() {
        0 => "no skill is switched off".to_owned(),
        1 => "1 skill is switched off".to_owned(),
        count => format!("{count} skills are switched off"),
    };
    Finding { health: Health::Good, what, more: capped(lines) }
}

fn walks(context: &Context, catalog: &Catalog) -> Finding {
    let lines: Vec<String> = catalog
        .diagnostics
        .iter()
        .filter(|d| d.severity >= Severity::Warning)
        .map(|d| {
            format!("{}: {}", d.path.as_ref().map_or_else(String::new, |path| context.short(path)), d.message)
        })
        .collect();
    let what = if lines.is_empty() {
        "every folder was read to its end"
    } else {
        "some folders were not read as expected"
    };
    Finding {
        health: if lines.is_empty() { Health::Good } else { Health::Warn },
        what: what.to_owned(),
        more: capped(lines),
    }
}

/// Whether each agent's catalogue fits into the space that agent gives it.
fn budgets(context: &Context, catalog: &Catalog) -> Finding {
    let mut lines = Vec::new();
    let mut over = false;
    for agent in context.workspace.agents().iter() {
        let Some(budget) = budget(agent) else { continue };
        let (count, used) = catalog
            .entries
            .iter()
            .filter(|entry| {
                entry.placement == Placement::Active && catalog.agents_of(entry).contains(&agent.id.as_str())
            })
            .fold((0usize, 0usize), |(count, used), entry| {
                let cap = agent.catalogue.description.map_or(usize::MAX, |cap| cap as usize);
                let words = entry.description().map_or(0, |text| text.chars().count().min(cap));
                (count + 1, used + entry.name.chars().count() + words + 4)
            });
        if count == 0 {
            continue;
        }
        over |= used > budget;
        let verdict = if used > budget { "over: descriptions will be cut" } else { "fits" };
        let skills = if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") };
        lines.push(format!("{}: {skills}, {used} of {budget} characters, {verdict}", agent.title));
    }
    let what = if over { "some catalogues do not fit" } else { "catalogues fit their budgets" };
    Finding { health: if over { Health::Warn } else { Health::Good }, what: what.to_owned(), more: lines }
}

/// Characters an agent gives its catalogue, for a window of 200,000 tokens where it depends on one.
fn budget(agent: &AgentProfile) -> Option<usize> {
    const WINDOW: usize = 200_000;
    let share = agent.catalogue.window_permille.map(|permille| WINDOW * permille as usize / 1000 * 4);
    share.or(agent.catalogue.characters.map(|characters| characters as usize))
}
