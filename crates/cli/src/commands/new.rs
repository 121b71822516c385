//! `new`: creates a skill that passes every check.

use super::{library, printed};
use crate::{
    args::NewArgs,
    context::Context,
    error::{Exit, Outcome},
};
use skillful::{Library, library::NewSkill};
use std::time::SystemTime;

pub(crate) fn run(context: &Context, args: &NewArgs) -> Outcome {
    let library = Library::open(&context.workspace, library::scope(args.user), SystemTime::now())?;
    let created = library.create(&NewSkill {
        name: args.name.clone(),
        description: args.description.clone(),
        folder: args.to.clone(),
        agent: args.agent.clone(),
    })?;
    if context.output.json {
        printed(context.output.print_json(&created))?;
    } else {
        let file = context.short(&created.path);
        printed(
            context.output.print(&format!("created {file}\nnext: edit it, then skillful check {file}\n")),
        )?;
    }
    Ok(Exit::Clean)
}
