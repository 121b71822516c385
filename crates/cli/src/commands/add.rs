//! `add`: skills from a source into the folders of agents.

use super::{
    library::{open, settle},
    printed, tell_diagnostics,
};
use crate::{
    args::AddArgs,
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table},
    progress::Bar,
};
use skillful::{
    library::{AddRequest, Download},
    views::share::{OfferedSkill, OfferedSkills},
};

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
    };
    let download = library.download(&request)?;
    drop(bar);
    if args.list {
        return list(context, &download);
    }
    tell_diagnostics(context, &download.diagnostics);
    settle(context, &library, &args.place, &|answers| library.plan_add(&download, answers))
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
