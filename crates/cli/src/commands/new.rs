//! `new`: creates a skill that passes every check.

use super::{library, printed};
use crate::{
    args::NewArgs,
    context::Context,
    error::{Exit, Outcome},
};
use skillful::{
    Library,
    library::{NewSkill, NotReading},
};
use std::{path::Path, time::SystemTime};

/// The agents of this machine that do not read the folder of a new skill.
fn not_read_by(context: &Context, library: &Library<'_>, file: &Path) -> String {
    let root = context.short(file.parent().and_then(Path::parent).unwrap_or(file));
    let line = |NotReading { agent, title, distrusts }: NotReading| {
        if distrusts {
            format!("{title} reads {root} only in a folder that it trusts, and it does not trust this one\n")
        } else {
            format!("{title} does not read {root}: skillful view --agent {agent} --fix links it\n")
        }
    };
    library.not_read_by(file).into_iter().map(line).collect()
}

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
        let mut text = format!("created {file}\nnext: edit it, then skillful check {file}\n");
        if args.description.is_none() {
            text.push_str(
                "the description is a placeholder: say in it what the skill does and when to use it\n",
            );
        }
        text.push_str(&not_read_by(context, &library, &created.path));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}
