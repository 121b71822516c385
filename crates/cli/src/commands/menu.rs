//! `menu`: the menu that a model would get, and what its budget costs.

use super::{all_diagnostics, printed, tell_catalog};
use crate::{
    args::MenuArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table, WARN},
    shape,
    turn::room,
};
use serde_json::json;
use skillful::turn::{menu_budget, rank};
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
    // The index is opened only when something would be lost.
    let worth = |menu: &[usize]| match message.as_str() {
        "" => Ranked::unknown(menu),
        message => rank(&context.workspace.index(), message, menu),
    };
    let manner = Manner { rank: &worth, ..Manner::plain(agent, menu_budget(room(args.room), agent)) };
    let disclosure = disclose(&context.workspace.engine(&catalog, None), &turn, &manner);
    let style = agent.map_or(MenuStyle::Xml, |agent| agent.menu.style);
    if context.output.json {
        let mut value = json!(disclosure);
        value["schema"] = json!(shape::SCHEMA);
        value["style"] = json!(style);
        value["diagnostics"] = all_diagnostics(context, &catalog, &[]);
        printed(context.output.print_untyped(&value))?;
    } else if args.report {
        tell_catalog(context, &catalog);
        printed(context.output.print(&report(context, &disclosure)))?;
    } else {
        tell_catalog(context, &catalog);
        let end = if disclosure.text.is_empty() || disclosure.text.ends_with('\n') { "" } else { "\n" };
        printed(context.output.print(&format!("{}{end}", disclosure.text)))?;
    }
    Ok(Exit::Clean)
}

fn report(context: &Context, disclosure: &Menu) -> String {
    let unit = disclosure.budget.unit.words();
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
            let (words, style) = match loss.truncation {
                Truncation::Capped { lost } => {
                    (format!("its description is over the cap by {lost} characters"), DIM)
                }
                Truncation::Shortened { lost } => {
                    (format!("{lost} characters of its description are not shown"), DIM)
                }
                Truncation::NameOnly => ("only its name is shown".to_owned(), WARN),
                Truncation::Omitted => ("it is not shown".to_owned(), WARN),
            };
            vec![Cell::plain(&loss.name), Cell::styled(words, style)]
        })
        .collect();
    out.push('\n');
    out + &Table { heads: vec!["SKILL", "WHAT IT LOST"], rows }.render(&context.output)
}
