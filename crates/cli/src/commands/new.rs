//! `new`: creates a skill that passes every check.

use super::printed;
use crate::{
    args::NewArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
};
use skillful::views::{CreatedSkill, SCHEMA};
use skillful_catalog::{disk, roots::repository_of};
use skillful_format::{Limits, Tree, TreeFile, TreePath, scaffold};

pub(crate) fn run(context: &mut Context, args: &NewArgs) -> Outcome {
    scaffold::check_name(&args.name).map_err(|refused| {
        let failure = Failure::usage(refused.to_string());
        match &refused.suggestion {
            Some(name) => failure.hint(format!("skillful new {name}")),
            None => failure,
        }
    })?;
    if let Some(agent) = &args.agent {
        let description = scaffold::description(&args.name, args.description.as_deref());
        agent_limits(context, agent, &args.name, &description)?;
    }
    let cwd = &context.workspace.environment().cwd;
    let parent = match &args.to {
        Some(folder) => cwd.join(folder),
        None if args.user => context.workspace.environment().home.join(".agents/skills"),
        None => repository_of(cwd).unwrap_or(cwd).join(".agents/skills"),
    };
    let target = parent.join(&args.name);
    if target.symlink_metadata().is_ok() {
        return Err(Failure::new(format!("`{}` already exists", context.short(&target)))
            .hint("choose another name, or another folder with --to"));
    }
    let text = scaffold::skill_file(&args.name, args.description.as_deref());
    let limits = Limits::default();
    let mut tree = Tree::default();
    let path = TreePath::new("SKILL.md", &limits).map_err(|fault| Failure::new(fault.to_string()))?;
    tree.insert(path, TreeFile { bytes: text.into_bytes(), executable: false }, &limits)
        .map_err(|diagnostic| Failure::new(diagnostic.message))?;
    disk::write_folder(&tree, &target).map_err(failed(format!("create `{}`", target.display())))?;
    let created = CreatedSkill { schema: SCHEMA, name: args.name.clone(), path: target.join("SKILL.md") };
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

/// Refuses a name or a description that is too long for an agent.
fn agent_limits(context: &mut Context, profile: &str, name: &str, description: &str) -> Result<(), Failure> {
    let agent = context.known_agent(profile)?;
    for (what, text, limit) in
        [("name", name, agent.create.name), ("description", description, agent.create.description)]
    {
        let length = text.chars().count();
        if let Some(limit) = limit.filter(|limit| length > *limit) {
            let message = format!(
                "{} accepts a {what} of at most {limit} characters; this one has {length}",
                agent.title
            );
            return Err(Failure::usage(message).hint(format!("choose a shorter {what}")));
        }
    }
    Ok(())
}
