//! `new`: a skill that passes every check from its first minute.

use super::printed;
use crate::{
    args::NewArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    shape,
};
use serde_json::json;
use skillful_catalog::{disk, roots::repository_of};
use skillful_format::{Limits, Tree, TreeFile, TreePath, scaffold};

pub(crate) fn run(context: &mut Context, args: &NewArgs) -> Outcome {
    scaffold::check_name(&args.name).map_err(|refused| {
        let failure = Failure::usage(refused.to_string());
        match &refused.suggestion {
            Some(name) => failure.hint(format!("`skillful new {name}` would do")),
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
        return Err(Failure::new(format!("`{}` is already there", context.short(&target)))
            .hint("choose another name, or another folder with --to"));
    }
    let text = scaffold::skill_file(&args.name, args.description.as_deref());
    let limits = Limits::default();
    let mut tree = Tree::default();
    let path = TreePath::new("SKILL.md", &limits).map_err(|fault| Failure::new(fault.to_string()))?;
    tree.insert(path, TreeFile { bytes: text.into_bytes(), executable: false }, &limits)
        .map_err(|diagnostic| Failure::new(diagnostic.message))?;
    disk::write_folder(&tree, &target).map_err(failed(format!("create `{}`", target.display())))?;
    let file = target.join("SKILL.md");
    if context.output.json {
        printed(
            context
                .output
                .print_untyped(&json!({ "schema": shape::SCHEMA, "name": args.name, "path": file })),
        )?;
    } else {
        let short = context.short(&file);
        printed(
            context
                .output
                .print(&format!("created {short}\nnext: edit it, then run `skillful check {short}`\n")),
        )?;
    }
    Ok(Exit::Clean)
}

/// Refuses what an agent would not take from its own tool.
fn agent_limits(context: &mut Context, profile: &str, name: &str, description: &str) -> Result<(), Failure> {
    let agent = context.known_agent(profile)?;
    for (what, text, limit) in
        [("name", name, agent.create.name), ("description", description, agent.create.description)]
    {
        let length = text.chars().count();
        if let Some(limit) = limit.filter(|limit| length > *limit) {
            let message =
                format!("{} takes a {what} of {limit} characters at most, not {length}", agent.title);
            return Err(Failure::usage(message).hint(format!("choose a shorter {what}")));
        }
    }
    Ok(())
}
