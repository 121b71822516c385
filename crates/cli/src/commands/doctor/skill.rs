//! One skill under the doctor's eye: everything it needs, and what is missing.

use super::{Finding, Health};
use crate::{args::WorkArgs, context::Context, error::Failure};
use skillful::execution::Execution;
use skillful_catalog::{
    Catalog, Entry,
    gate::{Door, gate},
};
use skillful_runtime::{
    exec,
    hooks::Hooks,
    policy::{Ground, Place, Policy, ToolLists},
    requirements::{needs, offers},
};
use std::collections::BTreeMap;

pub(super) fn findings(context: &Context, catalog: &Catalog, at: usize) -> Result<Vec<Finding>, Failure> {
    let entry = &catalog.entries[at];
    let execution = context.execution(WorkArgs::default())?;
    Ok([
        Some(standing(context, catalog, entry)),
        Some(installed(&execution, entry)),
        requirements(context, catalog, at),
        servers(context, entry),
        tools(context, entry),
        hooks(entry),
        programs(&execution, entry),
    ]
    .into_iter()
    .flatten()
    .collect())
}

fn standing(context: &Context, catalog: &Catalog, entry: &Entry) -> Finding {
    let ask = |door| {
        gate(catalog, entry, context.workspace.principal(), context.workspace.environment(), door).reasons
    };
    let (person, model) = (ask(Door::Person), ask(Door::Model));
    let what = match (person.is_empty(), model.is_empty()) {
        (true, true) => "you may call it, and a model may choose it",
        (true, false) => "you may call it; a model may not choose it",
        (false, true) => "a model may choose it; you may not call it",
        (false, false) => "nobody may use it now",
    };
    let mut more: Vec<String> = model.iter().chain(&person).map(ToString::to_string).collect();
    more.sort();
    more.dedup();
    let health = match (person.is_empty(), model.is_empty()) {
        (false, false) => Health::Bad,
        (true, true) => Health::Good,
        _ => Health::Warn,
    };
    Finding { health, what: what.to_owned(), more }
}

fn installed(execution: &Execution, entry: &Entry) -> Finding {
    let known = entry.folder().canonicalize().is_ok_and(|one| execution.installed.folders.contains_key(&one));
    match execution.installed.check(entry.folder()) {
        Ok(()) if known => {
            Finding { health: Health::Good, what: "it is as it was installed".to_owned(), more: Vec::new() }
        }
        Ok(()) => {
            let what = "it was not installed by skillful, so changes of it go unseen".to_owned();
            Finding { health: Health::Good, what, more: Vec::new() }
        }
        Err(error) => {
            Finding { health: Health::Bad, what: "it changed".to_owned(), more: vec![error.to_string()] }
        }
    }
}

fn requirements(context: &Context, catalog: &Catalog, at: usize) -> Option<Finding> {
    let needs = needs(catalog, at, context.workspace.asker());
    let missing: Vec<String> = needs
        .iter()
        .filter(|need| !need.met)
        .map(|need| {
            format!("{} {} is missing: {}", need.kind, need.name, need.fix.as_deref().unwrap_or_default())
        })
        .collect();
    let met: Vec<String> =
        needs.iter().filter(|need| need.met).map(|need| format!("{} {}", need.kind, need.name)).collect();
    if needs.is_empty() {
        return None;
    }
    let (health, what) = if missing.is_empty() {
        (Health::Good, format!("it has {}", met.join(", ")))
    } else {
        (Health::Bad, "it lacks something".to_owned())
    };
    Some(Finding { health, what, more: missing })
}

fn servers(context: &Context, entry: &Entry) -> Option<Finding> {
    let offers = offers(entry, &context.workspace.config().mcp.keys().cloned().collect());
    if offers.is_empty() {
        return None;
    }
    let more = offers
        .iter()
        .map(|offer| {
            let how = offer.url.as_deref().or(offer.command.as_deref());
            let how = how.map_or_else(
                || "its author does not say how to get it".to_owned(),
                |how| format!("it is `{how}`"),
            );
            format!(
                "{}: {how}; once you have it, name it under [mcp.\"{}\"] in the configuration",
                offer.name, offer.name
            )
        })
        .collect();
    Some(Finding {
        health: Health::Warn,
        what: "it wants MCP servers that are not known here".to_owned(),
        more,
    })
}

fn tools(context: &Context, entry: &Entry) -> Option<Finding> {
    let manifest = &entry.loaded.manifest;
    let lists =
        ToolLists { allowed: manifest.allowed_tools.clone(), disallowed: manifest.disallowed_tools.clone() };
    lists.allowed.as_ref()?;
    let place = Place { folder: context.workspace.environment().cwd.display().to_string(), home: None };
    let ground = Ground::new(&BTreeMap::new(), &[], skillful_catalog::profile::ToolListMode::Restrict, place);
    let policy = Policy::of(&lists, &ground);
    let allowed: Vec<String> = lists.allowed.iter().flatten().map(ToString::to_string).collect();
    let health = if policy.notes.is_empty() { Health::Good } else { Health::Warn };
    let what = if allowed.is_empty() {
        "it allows no tools".to_owned()
    } else {
        format!("while it is active only these tools pass: {}", allowed.join(", "))
    };
    Some(Finding { health, what, more: policy.notes })
}

fn hooks(entry: &Entry) -> Option<Finding> {
    let (hooks, wrong) = Hooks::of(&entry.loaded.manifest);
    if hooks.0.is_empty() && wrong.is_empty() {
        return None;
    }
    let events: Vec<&str> = hooks.events().collect();
    let health = if wrong.is_empty() { Health::Good } else { Health::Bad };
    let what = format!("it hooks into {}", events.join(", "));
    Some(Finding { health, what, more: wrong.into_iter().map(|one| one.message).collect() })
}

fn programs(execution: &Execution, entry: &Entry) -> Option<Finding> {
    let manifest = &entry.loaded.manifest;
    let scripts = exec::programs(entry).unwrap_or_default();
    let runs = !scripts.is_empty()
        || manifest.cli
        || manifest.hooks.is_some()
        || manifest.mcp.is_some()
        || !entry.loaded.commands.is_empty();
    if !runs {
        return None;
    }
    let report = execution.sandbox.report();
    Some(match report.best() {
        Some(tier) => Finding {
            health: Health::Good,
            what: format!("what it runs is held by {tier}"),
            more: if scripts.is_empty() {
                Vec::new()
            } else {
                vec![format!("programs: {}", scripts.join(", "))]
            },
        },
        None => Finding {
            health: Health::Bad,
            what: "what it runs is refused: no sandbox holds here".to_owned(),
            more: vec!["`skillful sandbox` says what to do".to_owned()],
        },
    })
}
