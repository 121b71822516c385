//! `add`: skills from a source into the folders of agents.

use super::{
    library::{open, settle},
    printed, tell_diagnostics, ui,
};
use crate::{
    args::AddArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{Cell, DIM, Table},
    progress::Bar,
    prompt,
};
use skillful::{
    library::{AddRequest, Download},
    views::share::{OfferedSkill, OfferedSkills},
};
use skillful_tui::{Badge, Item, Picker, Role, pick};
use std::collections::BTreeSet;

pub(crate) fn run(context: &mut Context, args: &AddArgs) -> Outcome {
    let bar = Bar::new(context);
    let library = open(context, args.place.global, &bar)?;
    let Some(source) = args.source.as_deref().filter(|_| !args.adopt) else {
        drop(bar);
        let (_, missed) = library.plan_adopt()?;
        let exit = settle(context, &library, &args.place, &|_| Ok(library.plan_adopt()?.0))?;
        return Ok(if missed == 0 { exit } else { Exit::Findings });
    };
    let request = AddRequest {
        source: source.to_owned(),
        skills: args.skill.clone(),
        revision: args.rev.clone(),
        agents: args.agent.clone(),
        link: args.link,
        signer: args.signer.clone(),
        replace: args.replace,
    };
    let mut download = library.download(&request)?;
    drop(bar);
    if args.list {
        return list(context, &download);
    }
    tell_diagnostics(context, &download.diagnostics);
    if args.skill.is_empty() && !args.place.yes && !args.place.dry_run {
        choose(context, source, &mut download)?;
    }
    settle(context, &library, &args.place, &|answers| library.plan_add(&download, answers))
}

/// Lets the user choose among the skills of a source, on a terminal and when there are several.
fn choose(context: &Context, source: &str, download: &mut Download) -> Result<(), Failure> {
    let offered = OfferedSkills::of(download).skills;
    if offered.len() < 2 || context.output.json || !prompt::is_possible() || ui::is_possible(context).is_err()
    {
        return Ok(());
    }
    let item = |skill: &OfferedSkill| {
        let badge = Badge {
            word: if skill.blocked { "BLOCKED".to_owned() } else { String::new() },
            role: if skill.blocked { Role::Danger } else { Role::Plain },
        };
        Item::new(&skill.name, badge, &skill.description)
    };
    let open = offered.iter().enumerate().filter(|(_, skill)| !skill.blocked).map(|(at, _)| at);
    let chosen = pick(Picker {
        title: format!("Install from {source}: {} skills", offered.len()),
        items: offered.iter().map(item).collect(),
        chosen: Some(open.collect()),
        query: String::new(),
        theme: ui::theme(context),
    })?;
    let chosen = chosen.ok_or_else(|| Failure::new("nothing was changed"))?;
    let names: BTreeSet<&str> = chosen.iter().map(|at| offered[*at].name.as_str()).collect();
    download.keep(|name| names.contains(name.as_str()));
    Ok(())
}

/// What a source offers.
fn list(context: &Context, download: &Download) -> Outcome {
    let offered = OfferedSkills::of(download);
    if context.output.json {
        printed(context.output.print_json(&offered))?;
        return Ok(Exit::Clean);
    }
    let row = |skill: &OfferedSkill| {
        let state = if skill.blocked { "BLOCKED" } else { "" };
        vec![Cell::plain(&skill.name), Cell::plain(state), Cell::styled(&skill.description, DIM)]
    };
    let rows = offered.skills.iter().map(row).collect();
    let table = Table { heads: vec!["SKILL", "AUDIT", "DESCRIPTION"], rows };
    printed(context.output.print(&table.render(&context.output)))?;
    Ok(Exit::Clean)
}
