//! `prompt`: the catalogue that a model would get, and what its budget costs.

use super::{printed, tell_diagnostics};
use crate::{
    args::PromptArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, DIM, Table, WARN},
    shape,
};
use serde_json::json;
use skillful_catalog::{Catalog, Host, host::CatalogueStyle};
use skillful_render::{
    Budget, Disclosure, Item, Unit,
    catalogue::{Fate, catalogue},
};
use skillful_select::{
    selection::{Asker, select},
    turn::Turn,
};

pub(crate) fn run(context: &mut Context, args: &PromptArgs) -> Outcome {
    let catalog = context.catalog();
    let host = match &args.host {
        Some(name) => Some(context.hosts.get(name).cloned().ok_or_else(|| {
            Failure::usage(format!("there is no agent `{name}`")).hint("`skillful hosts` lists the agents")
        })?),
        None => None,
    };
    let items = items(context, &catalog, host.as_ref());
    let style = host.as_ref().map_or(CatalogueStyle::Xml, |host| host.catalogue.style);
    let disclosure = catalogue(&items, style, budget(args, host.as_ref()));
    if context.output.json {
        let mut value = json!(disclosure);
        value["schema"] = json!(shape::SCHEMA);
        value["style"] = json!(style);
        printed(context.output.print_json(&value))?;
    } else if args.report {
        tell_diagnostics(context, &context.diagnostics);
        printed(context.output.print(&report(context, &disclosure)))?;
    } else {
        let end = if disclosure.text.is_empty() || disclosure.text.ends_with('\n') { "" } else { "\n" };
        printed(context.output.print(&format!("{}{end}", disclosure.text)))?;
    }
    Ok(Exit::Clean)
}

/// What a model may choose from here; with a host, what lies in the folders it reads.
fn items(context: &Context, catalog: &Catalog, host: Option<&Host>) -> Vec<Item> {
    let turn = Turn { folder: context.environment.cwd.clone(), ..Turn::default() };
    let asker = Asker::new(&context.principal, &context.environment);
    select(catalog, &turn, asker)
        .menu
        .into_iter()
        .map(|at| &catalog.entries[at])
        .filter(|entry| host.is_none_or(|host| catalog.hosts_of(entry).contains(&host.id.as_str())))
        .map(|entry| Item {
            name: entry.address(),
            description: entry.loaded.manifest.description.clone().unwrap_or_default(),
            when_to_use: entry.loaded.manifest.when_to_use.clone(),
            location: entry.origin.file.display().to_string(),
        })
        .collect()
}

fn budget(args: &PromptArgs, host: Option<&Host>) -> Budget {
    let rule = host.map(|host| &host.catalogue);
    let mut budget = match (args.budget, args.window, rule) {
        (Some(limit), _, _) => Budget { limit, unit: Unit::Characters, ..Budget::default() },
        (None, Some(window), rule) => {
            let permille = rule.and_then(|rule| rule.window_permille);
            permille.map_or_else(
                || Budget::of_window(window),
                |permille| Budget {
                    limit: (window * permille as usize / 1000).max(1),
                    unit: Unit::EstimatedTokens,
                    ..Budget::default()
                },
            )
        }
        (None, None, rule) => {
            let limit = rule.and_then(|rule| rule.characters).map(|limit| limit as usize);
            Budget { limit: limit.unwrap_or(Budget::default().limit), ..Budget::default() }
        }
    };
    if let Some(cap) = rule.and_then(|rule| rule.description) {
        budget.description = cap as usize;
    }
    budget
}

fn report(context: &Context, disclosure: &Disclosure) -> String {
    let unit = match disclosure.budget.unit {
        Unit::Characters => "characters",
        Unit::EstimatedTokens => "tokens (estimated as a quarter of the bytes)",
    };
    let skills =
        if disclosure.skills == 1 { "1 skill".to_owned() } else { format!("{} skills", disclosure.skills) };
    let mut out = format!("{skills}, {} of {} {unit}\n", disclosure.used, disclosure.budget.limit);
    if disclosure.losses.is_empty() {
        out.push_str("nothing was lost\n");
        return out;
    }
    let rows = disclosure
        .losses
        .iter()
        .map(|loss| {
            let (words, style) = match loss.fate {
                Fate::Capped { lost } => {
                    (format!("its description is over the cap by {lost} characters"), DIM)
                }
                Fate::Shortened { lost } => {
                    (format!("{lost} characters of its description are not shown"), DIM)
                }
                Fate::NameOnly => ("only its name is shown".to_owned(), WARN),
                Fate::Omitted => ("it is not shown".to_owned(), WARN),
            };
            vec![Cell::plain(&loss.name), Cell::styled(words, style)]
        })
        .collect();
    out.push('\n');
    out + &Table { heads: vec!["SKILL", "WHAT IT LOST"], rows }.render(&context.output)
}
