//! `add --adopt`: skills that npm `skills` installed, taken into our lock as they lie there.

use super::registry::{Desk, refused};
use crate::{
    args::AddArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{harmless, tell},
};
use skillful_format::{Limits, Tree, TreePath};
use skillful_registry::{
    install::{plan_adopt, skills_folder},
    lock::npm,
    review,
};
use std::collections::BTreeMap;

/// Where npm `skills` keeps its own copy.
const THEIR_FOLDER: &str = ".agents/skills";

pub(crate) fn run(context: &mut Context, args: &AddArgs) -> Outcome {
    let mut desk = Desk::open(context, args.place.global)?;
    let (path, _) = desk.npm_lock(context);
    let named = context.short(&path);
    let Some(imported) = npm::import_file(&path).map_err(refused)? else {
        let other = if args.place.global {
            "without `--global` it adopts what was installed for this project"
        } else {
            "`--global` adopts what it installed for you in every project"
        };
        let nothing = format!("npm `skills` installed nothing here: there is no {named}");
        return Err(Failure::new(nothing).hint(other));
    };
    let folders = folders(context, &desk);
    let adoption = plan_adopt(&imported.wanted, &folders, &desk.lock, &desk.site, &desk.contents);
    let adoption = adoption.map_err(refused)?;
    let unread = imported.losses.iter().filter(|loss| loss.what != npm::HASHES);
    for loss in unread.chain(&adoption.losses) {
        tell(&format!("warning: {}: {}\n", harmless(&loss.what), harmless(&loss.why)));
    }
    for place in &adoption.strays {
        let place = context.short(&desk.site.path(place));
        tell(&format!("note: {} is in no lock and stays as it is\n", harmless(&place)));
    }
    let trees: BTreeMap<_, &Tree> = adoption.trees().map(|tree| (tree.digest(), tree)).collect();
    let by_digest: BTreeMap<_, _> =
        trees.keys().copied().zip(review::cards(&trees.values().copied().collect::<Vec<_>>())).collect();
    let adopted = adoption.plan.after.skills.iter().filter(|(name, _)| !desk.lock.skills.contains_key(*name));
    let cards =
        adopted.filter_map(|(name, locked)| Some((name.clone(), by_digest.get(&locked.tree)?.clone())));
    desk.cards = cards.collect();
    let exit = desk.perform(context, &args.place, &adoption.plan)?;
    Ok(if adoption.losses.is_empty() { exit } else { Exit::Findings })
}

/// Every folder in which an agent reads skills at this site, npm's own first.
fn folders(context: &Context, desk: &Desk) -> Vec<TreePath> {
    let variables = &context.workspace.environment().variables;
    let mut folders: Vec<TreePath> = TreePath::new(THEIR_FOLDER, &Limits::default()).into_iter().collect();
    for agent in context.workspace.agents().iter() {
        let folder = skills_folder(agent, &desk.site, &context.workspace.environment().home, variables);
        folders.extend(folder.ok().filter(|folder| !folders.contains(folder)));
    }
    folders
}
