//! `add`: skills from a source into the folders of agents.

use super::{
    registry::{Desk, refused},
    tell_diagnostics,
};
use crate::{
    args::AddArgs,
    context::Context,
    error::{Failure, Outcome},
};
use skillful_format::TreePath;
use skillful_registry::{
    Source,
    fetch::fetch,
    install::{Adding, Mode, Site, plan_add, skills_folder},
    source::Place,
};

/// Whose folder is meant when nobody says: `.agents/skills`, which most agents read.
const DEFAULT_AGENT: &str = "agentskills";

pub(crate) fn run(context: &mut Context, args: &AddArgs) -> Outcome {
    let source: Source = args
        .source
        .parse()
        .map_err(|error| Failure::usage(format!("{error}")).hint("see `skillful add --help`"))?;
    let desk = Desk::open(context, args.place.global)?;
    let source = anchored(source, context, &desk.site);
    context.load_hosts();
    let folders = folders(context, &args.agent, &desk.site)?;
    let fetched = fetch(&source, None, &desk.outside(context)).map_err(refused)?;
    for found in &fetched.skills {
        tell_diagnostics(context, &found.diagnostics);
    }
    let suspect = std::collections::BTreeSet::new();
    let mode = if args.link { Mode::Link } else { Mode::Copy };
    let adding = Adding {
        source: &source,
        fetched: &fetched,
        folders: &folders,
        mode,
        agreed: false,
        suspect: &suspect,
    };
    let plan = plan_add(&adding, &desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    desk.perform(context, &args.place, &plan)
}

/// A path as the lock keeps it: from the project's top, or whole; never from where somebody stood.
fn anchored(mut source: Source, context: &Context, site: &Site) -> Source {
    if let Place::Path(path) = &mut source.place {
        let from = match path.strip_prefix('~') {
            Some(rest) => context.environment.home.join(rest.trim_start_matches('/')),
            None => context.environment.cwd.join(path.as_str()),
        };
        let real = from.canonicalize().unwrap_or(from);
        let base = site.base.canonicalize().unwrap_or_else(|_| site.base.clone());
        let below = if site.lock == site.base { real.strip_prefix(&base).ok() } else { None };
        let text = match below {
            Some(below) if below.as_os_str().is_empty() => Some(".".to_owned()),
            Some(below) => below.to_str().map(|below| format!("./{below}")),
            None => real.to_str().map(str::to_owned),
        };
        if let Some(text) = text {
            *path = text;
        }
    }
    source
}

fn folders(context: &Context, agents: &[String], site: &Site) -> Result<Vec<TreePath>, Failure> {
    let default = [DEFAULT_AGENT.to_owned()];
    let agents = if agents.is_empty() { default.as_slice() } else { agents };
    let mut folders = Vec::new();
    for agent in agents {
        let host = context.hosts.get(agent).ok_or_else(|| {
            Failure::usage(format!("there is no agent `{agent}`")).hint("`skillful hosts` lists them")
        })?;
        let variables = &context.environment.variables;
        let folder = skills_folder(host, site, &context.environment.home, variables).map_err(refused)?;
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(folders)
}
