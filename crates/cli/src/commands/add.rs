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
use serde::Serialize;
use skillful::{
    library::{AddRequest, Download},
    views::SCHEMA,
};
use skillful_format::{Document, Sidecars, Tree};

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
#[derive(Serialize)]
struct Offered {
    schema: u32,
    skills: Vec<OfferedSkill>,
}

#[derive(Serialize)]
struct OfferedSkill {
    name: String,
    description: String,
    blocked: bool,
}

fn list(context: &Context, download: &Download) -> Outcome {
    let skill = |(name, tree): (&skillful_registry::lock::SkillKey, &Tree)| OfferedSkill {
        name: name.to_string(),
        description: description(tree),
        blocked: download.cards().get(name).is_some_and(skillful_registry::review::Card::is_blocked),
    };
    let offered = Offered { schema: SCHEMA, skills: download.skills().map(skill).collect() };
    if context.output.json {
        printed(context.output.print_untyped(&offered))?;
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

fn description(tree: &Tree) -> String {
    let document = tree.skill_file().map(|(_, file)| Document::read(&file.bytes, &Sidecars::default()));
    document.and_then(|document| document.manifest.description).unwrap_or_default()
}
