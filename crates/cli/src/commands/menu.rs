//! `menu`: the menu that a model would get, and what its budget costs.

use super::{diagnostic_views, printed, tell_catalog};
use crate::{
    args::MenuArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table, WARN, count},
    turn::room,
};
use skillful::{
    turn::rank,
    views::{MenuView, SCHEMA},
};
use skillful_catalog::profile::MenuStyle;
use skillful_render::{Menu, menu::Truncation};
use skillful_runtime::compose::{Manner, Ranked, disclose};
use skillful_select::turn::Turn;

pub(crate) fn run(context: &mut Context, args: &MenuArgs) -> Outcome {
    context.for_agent(args.agent.as_deref())?;
    let catalog = context.workspace.catalog();
    let agent = context.workspace.as_agent();
    let message = args.message.clone().unwrap_or_default();
    let turn = Turn {
        message: message.clone(),
        folder: context.workspace.environment().cwd.clone(),
        ..Turn::default()
    };
    // The search index is opened only when the budget forces a choice.
    let worth = |menu: &[usize]| match message.as_str() {
        "" => Ranked::unknown(menu),
        message => rank(&context.workspace.index(), message, menu),
    };
    let manner =
        Manner { rank: &worth, ..Manner::plain(agent, context.workspace.menu_budget(room(args.room))) };
    let menu = disclose(&context.workspace.engine(&catalog, None), &turn, &manner);
    let style = agent.map_or(MenuStyle::Xml, |agent| agent.menu.style);
    let diagnostics = diagnostic_views(context, &catalog, &[]);
    let view = MenuView { schema: SCHEMA, menu, style, diagnostics };
    if context.output.json {
        printed(context.output.print_json(&view))?;
        return Ok(Exit::Clean);
    }
    tell_catalog(context, &catalog);
    let menu = &view.menu;
    if args.report {
        printed(context.output.print(&report(context, menu)))?;
    } else {
        let end = if menu.text.is_empty() || menu.text.ends_with('\n') { "" } else { "\n" };
        printed(context.output.print(&format!("{}{end}", menu.text)))?;
    }
    Ok(Exit::Clean)
}

fn report(context: &Context, menu: &Menu) -> String {
    let unit = menu.budget.unit.words();
    let skills = count(menu.skills, "skill");
    let whole = if menu.losses.is_empty() { ", none shortened, none left out" } else { "" };
    let mut out = format!("{skills}, {} of {} {unit}{whole}\n", menu.used, menu.budget.limit);
    if menu.losses.is_empty() {
        return out;
    }
    let rows = menu
        .losses
        .iter()
        .map(|loss| {
            let (words, style) = match loss.truncation {
                Truncation::Capped { lost } => {
                    (format!("description {} over the limit of one skill", count(lost, "character")), DIM)
                }
                Truncation::Shortened { lost } => {
                    (format!("description shortened by {}", count(lost, "character")), DIM)
                }
                Truncation::NameOnly => ("only its name is listed".to_owned(), WARN),
                Truncation::Omitted => ("left out".to_owned(), WARN),
            };
            vec![Cell::plain(&loss.name), Cell::styled(words, style)]
        })
        .collect();
    out.push('\n');
    out + &Table { heads: vec!["SKILL", "SHORTENED"], rows }.render(&context.output)
}
