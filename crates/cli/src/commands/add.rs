//! `add`: skills from a source into the folders of agents.

use super::{
    keys::{allowed, signing},
    registry::{Desk, refused},
    tell_diagnostics,
};
use crate::{
    args::AddArgs,
    context::Context,
    error::{Failure, Outcome},
    output::tell,
    progress::watched,
};
use skillful_format::{Tree, TreePath};
use skillful_registry::{
    Source,
    fetch::Fetched,
    install::{Adding, Mode, Site, plan_add, skills_folder},
    lock::SkillKey,
    review::{self, Card},
    sign::Signing,
    source::Place,
};
use std::collections::{BTreeMap, BTreeSet};

/// Whose folder is meant when nobody says: `.agents/skills`, which most agents read.
const DEFAULT_AGENT: &str = "agentskills";

/// Skills of this disk that are audited on the way.
const AUDITED: usize = 100;

pub(crate) fn run(context: &mut Context, args: &AddArgs) -> Outcome {
    let Some(source) = args.source.as_deref().filter(|_| !args.adopt) else {
        return super::adopt::run(context, args);
    };
    let source: Source = source
        .parse()
        .map_err(|error| Failure::usage(format!("{error}")).hint("see `skillful add --help`"))?;
    let mut desk = Desk::open(context, args.place.global)?;
    let source = anchored(source, context, &desk.site);
    let folders = folders(context, &args.agent, &desk.site)?;
    let fetched = watched(context, &source, None, &desk.outside(context)).map_err(refused)?;
    tell_diagnostics(context, &fetched.diagnostics);
    for found in &fetched.skills {
        tell_diagnostics(context, &found.diagnostics);
    }
    let allowed = allowed(context)?;
    desk.cards = cards(&source, &fetched);
    let suspect: BTreeSet<SkillKey> =
        desk.cards.iter().filter(|(_, card)| card.is_blocked()).map(|(name, _)| name.clone()).collect();
    let mode = if args.link { Mode::Link } else { Mode::Copy };
    let adding = Adding {
        source: &source,
        fetched: &fetched,
        folders: &folders,
        mode,
        agreed: false,
        suspect: &suspect,
        signing: Signing { agreed: args.signer.as_deref(), ..signing(&allowed) },
    };
    let plan = plan_add(&adding, &desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    desk.perform(context, &args.place, &plan)
}

/// What an audit says of the skills. All that come from another machine, and archives, are audited; of this
/// disk as many as nobody notices, and otherwise it is said that none was.
fn cards(source: &Source, fetched: &Fetched) -> BTreeMap<SkillKey, Card> {
    let is_own_folder =
        matches!(source.place, Place::Path(_)) && fetched.skills.iter().all(|found| found.artefact.is_none());
    if is_own_folder && fetched.skills.len() > AUDITED {
        let count = fetched.skills.len();
        tell(&format!(
            "note: {count} skills of this disk are too many to audit on the way; `skillful audit` does\n"
        ));
        return BTreeMap::new();
    }
    let trees: Vec<&Tree> = fetched.skills.iter().map(|found| &found.tree).collect();
    let names = fetched.skills.iter().map(|found| found.name.clone());
    names.zip(review::cards(&trees)).collect()
}

/// A path as the lock keeps it: from the project's top, or whole; never from where somebody stood.
fn anchored(mut source: Source, context: &Context, site: &Site) -> Source {
    if let Place::Path(path) = &mut source.place {
        let from = match path.strip_prefix('~') {
            Some(rest) => context.workspace.environment().home.join(rest.trim_start_matches('/')),
            None => context.workspace.environment().cwd.join(path.as_str()),
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

pub(super) fn folders(context: &Context, agents: &[String], site: &Site) -> Result<Vec<TreePath>, Failure> {
    let default = [DEFAULT_AGENT.to_owned()];
    let agents = if agents.is_empty() { default.as_slice() } else { agents };
    let mut folders = Vec::new();
    for agent in agents {
        let agent = context.workspace.agents().get(agent).ok_or_else(|| {
            Failure::usage(format!("there is no agent `{agent}`")).hint("`skillful agents` lists them")
        })?;
        let variables = &context.workspace.environment().variables;
        let folder =
            skills_folder(agent, site, &context.workspace.environment().home, variables).map_err(refused)?;
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    Ok(folders)
}
