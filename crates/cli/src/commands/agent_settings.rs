//! Settings of other agents: `mcp install`, `mcp uninstall`, and `enable` and `disable` with `--agent`.

use super::{library, printed};
use crate::{
    args::InstallServerArgs,
    context::Context,
    error::{Exit, Failure, Outcome, failed},
    output::{count, harmless, harmless_lines},
    prompt,
};
use skillful::library::{AgentSettingsChange, SERVER_NAME};
use skillful_agents::UnseenCode;
use skillful_catalog::AgentProfile;
use std::{env, path::Path};

/// `mcp install` and `mcp uninstall`.
pub(crate) fn mcp(context: &Context, args: &InstallServerArgs, installs: bool) -> Outcome {
    let agent = context.known_agent(&args.agent)?;
    let library = library::user(context)?;
    let mut change = if installs {
        library.plan_mcp_install(agent, &program(context)?)?
    } else {
        library.plan_mcp_uninstall(agent)?
    };
    if change.done_before {
        if context.output.json {
            printed(context.output.print_json(&change))?;
            return Ok(Exit::Clean);
        }
        let has = if installs { "already has" } else { "does not have" };
        let text = format!("{} {has} the server {SERVER_NAME}; nothing to do.\n", change.title);
        printed(context.output.print(&text))?;
        return Ok(Exit::Clean);
    }
    if context.output.json {
        if args.yes {
            library.apply_agent_settings(&mut change)?;
        }
        printed(context.output.print_json(&change))?;
        return Ok(if args.yes || args.dry_run { Exit::Clean } else { Exit::Findings });
    }
    printed(context.output.print(&shown(context, &change)))?;
    if args.dry_run {
        return Ok(Exit::Clean);
    }
    if !args.yes {
        if !prompt::is_possible() {
            let verb = if installs { "install" } else { "uninstall" };
            return Err(Failure::new("confirmation required, but there is no terminal")
                .cause(format!("the change writes {}", context.short(&change.file)))
                .hint(format!("read it above, then skillful mcp {verb} --agent {} --yes", change.agent)));
        }
        if !prompt::yes("Write it?").map_err(failed("read the answer"))? {
            return Err(Failure::new("nothing was written"));
        }
    }
    library.apply_agent_settings(&mut change)?;
    let done = if installs { "now starts" } else { "no longer starts" };
    let text = format!("{} {done} {SERVER_NAME} as an MCP server.\nUndo: {}\n", change.title, change.undo);
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

/// How an agent starts this program: by its name when that finds it, else by its path.
fn program(context: &Context) -> Result<String, Failure> {
    let own = env::current_exe().map_err(failed("find this program"))?;
    let real = |path: &Path| path.canonicalize().ok();
    let path = context.workspace.environment().variable("PATH").unwrap_or_default();
    let named = env::split_paths(&path).map(|folder| folder.join("skillful")).find(|file| file.is_file());
    if named.is_some_and(|named| real(&named) == real(&own)) {
        return Ok("skillful".to_owned());
    }
    own.to_str().map(str::to_owned).ok_or_else(|| Failure::new("the path of this program is not UTF-8"))
}

/// `enable` and `disable` with `--agent`.
pub(crate) fn switch(context: &Context, agent: &str, words: &[String], enabled: bool) -> Outcome {
    let agent = context.known_agent(agent)?;
    let names = words.iter().map(|word| name_in(context, agent, word, enabled));
    let names = names.collect::<Result<Vec<String>, Failure>>()?;
    let library = library::user(context)?;
    let mut change = library.plan_agent_switch(agent, &names, enabled)?;
    library.apply_agent_settings(&mut change)?;
    if context.output.json {
        printed(context.output.print_json(&change))?;
        return Ok(Exit::Clean);
    }
    let verb = if enabled { "Enabled" } else { "Disabled" };
    let skills = if names.len() == 1 { harmless(&names[0]) } else { count(names.len(), "skill") };
    let text = if change.done_before {
        let state = if enabled { "enabled" } else { "disabled" };
        format!("{skills}: {state} in {} already; nothing to do.\n", change.title)
    } else {
        format!("{}{verb} {skills} in {}.\nUndo: {}\n", shown(context, &change), change.title, change.undo)
    };
    printed(context.output.print(&text))?;
    Ok(Exit::Clean)
}

/// The name that the agent has for a skill. A skill that it does not know cannot be switched.
fn name_in(context: &Context, agent: &AgentProfile, word: &str, enabled: bool) -> Result<String, Failure> {
    let view = context.workspace.view(agent);
    let seen = view.seen.iter().map(|seen| seen.name.as_str());
    let off = view.unseen.iter().filter(|one| one.code == UnseenCode::Disabled);
    let off = off.filter_map(|one| one.name.as_deref());
    let known: Vec<&str> = seen.chain(off).collect();
    let bare = word.rsplit(':').next().unwrap_or(word);
    if let Some(name) = known.iter().find(|name| **name == word || **name == bare) {
        return Ok((*name).to_owned());
    }
    let verb = if enabled { "enable" } else { "disable" };
    let failure = Failure::new(format!("{} loads no skill named `{}`", agent.title, harmless(word)));
    let near = skillful_catalog::names::nearest(word, known.iter().copied());
    Err(match near.first() {
        Some(near) => failure.hint(format!("skillful {verb} {} --agent {}", harmless(near), agent.id)),
        None => failure.hint(format!("skillful view --agent {}", agent.id)),
    })
}

fn shown(context: &Context, change: &AgentSettingsChange) -> String {
    let lines = harmless_lines(&change.difference.join("\n"));
    let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
    format!("{}\n{lines}", context.short(&change.file))
}
