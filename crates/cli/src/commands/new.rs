//! `new`: creates a skill that passes every check.

use super::{library, printed};
use crate::{
    args::NewArgs,
    context::Context,
    error::{Exit, Outcome},
};
use skillful::{Library, library::NewSkill};
use skillful_agents::UnseenCode;
use skillful_catalog::AgentProfile;
use std::{path::Path, time::SystemTime};

/// The agents of this machine that do not read the folder of a new skill.
fn not_read_by(context: &Context, file: &Path) -> String {
    let Some(root) = file.parent().and_then(Path::parent) else { return String::new() };
    let workspace = &context.workspace;
    let line = |agent: &AgentProfile| {
        let view = workspace.view(agent);
        if view.roots.iter().any(|known| known.path == root) {
            return None;
        }
        // An agent that has to trust the folder first is not helped by a link.
        let distrusts = view
            .unseen
            .iter()
            .any(|unseen| unseen.file.starts_with(root) && unseen.code == UnseenCode::Untrusted);
        let title = &agent.title;
        Some(if distrusts {
            format!(
                "{title} reads {} only in a folder that it trusts, and it does not trust this one\n",
                context.short(root)
            )
        } else {
            let fix = format!("skillful view --agent {} --fix links it", agent.id);
            format!("{title} does not read {}: {fix}\n", context.short(root))
        })
    };
    workspace.agents_found().into_iter().filter_map(line).collect()
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
        text.push_str(&not_read_by(context, &created.path));
        printed(context.output.print(&text))?;
    }
    Ok(Exit::Clean)
}
