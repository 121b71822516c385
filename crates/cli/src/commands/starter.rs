//! `starter`: the skills that the program brings along.

use super::{add, printed};
use crate::{
    args::{AddArgs, StarterArgs, StarterCommand, StarterInstallArgs},
    context::Context,
    error::{Exit, Outcome},
    output::{Cell, DIM, Table, count},
};
use skillful::views::starter::{StarterList, StarterSkill};

pub(crate) fn run(context: &mut Context, args: &StarterArgs) -> Outcome {
    match &args.command {
        None | Some(StarterCommand::List) => list(context),
        Some(StarterCommand::Install(install)) => add::run(context, &as_add(install)),
    }
}

/// Starter skills are a source like any other.
fn as_add(install: &StarterInstallArgs) -> AddArgs {
    AddArgs {
        source: Some("starter:".to_owned()),
        skill: install.skills.clone(),
        list: false,
        rev: None,
        adopt: false,
        agent: install.agent.clone(),
        link: false,
        copy: false,
        signer: None,
        replace: false,
        place: install.place(),
    }
}

fn list(context: &Context) -> Outcome {
    let starter = StarterList::of(&context.workspace);
    if context.output.json {
        printed(context.output.print_json(&starter))?;
        return Ok(Exit::Clean);
    }
    let row = |skill: &StarterSkill| {
        let files = count(skill.files, "file");
        let files = if skill.scripts { format!("{files}, scripts") } else { files };
        vec![Cell::plain(&skill.name), Cell::plain(files), Cell::styled(&skill.description, DIM)]
    };
    let rows = starter.skills.iter().map(row).collect();
    let mut text = Table { heads: vec!["SKILL", "FILES", "DESCRIPTION"], rows }.render(&context.output);
    if context.output.is_table() {
        let offered =
            if starter.enabled { "offered here" } else { "turned off: `system = false` in config.toml" };
        text.push_str(&format!(
            "\n{}, {offered}.\nGive them to an agent: skillful starter install --agent codex\n",
            count(starter.skills.len(), "starter skill")
        ));
    }
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}
