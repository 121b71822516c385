//! `sync --import`: what a lock of npm `skills` asks for, fetched once and locked from then on.

use crate::{
    args::SyncArgs,
    commands::{
        add,
        keys::{allowed, signing},
        registry::{Desk, refused},
    },
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{harmless, tell},
    progress::watched,
};
use skillful_format::Tree;
use skillful_registry::{
    Source,
    fetch::Fetched,
    install::{Adding, Mode, plan_add_all},
    lock::{SkillKey, npm},
    review,
};
use std::collections::BTreeSet;

pub(super) fn run(context: &mut Context, args: &SyncArgs) -> Outcome {
    let mut desk = Desk::open(context, args.place.global)?;
    let (path, _) = desk.npm_lock(context);
    let Some(imported) = npm::import_file(&path).map_err(refused)? else {
        return Err(Failure::new(format!("there is no {} here", context.short(&path)))
            .hint("npm `skills` writes one; `skillful add` needs none"));
    };
    for loss in &imported.losses {
        tell(&format!("note: {}: {}\n", harmless(&loss.what), harmless(&loss.why)));
    }
    let folders = add::folders(context, &[], &desk.site)?;
    let outside = desk.outside(context);
    let mut is_whole = true;
    let mut got: Vec<(Source, Fetched)> = Vec::new();
    for wanted in imported.wanted.into_iter().filter(|wanted| !desk.lock.skills.contains_key(&wanted.name)) {
        let fetched = watched(context, &wanted.source, None, &outside).map_err(|error| error.to_string());
        let fetched = fetched.and_then(|mut fetched| {
            fetched.skills.retain(|found| found.name == wanted.name);
            if fetched.skills.is_empty() {
                return Err("its source has no skill of that name".to_owned());
            }
            Ok(fetched)
        });
        match fetched {
            Ok(fetched) => got.push((wanted.source, fetched)),
            Err(why) => {
                is_whole = false;
                tell(&format!("warning: {}: {}\n", harmless(wanted.name.as_str()), harmless(&why)));
            }
        }
    }
    let found = || got.iter().flat_map(|(_, fetched)| &fetched.skills);
    let trees: Vec<&Tree> = found().map(|found| &found.tree).collect();
    desk.cards = found().map(|found| found.name.clone()).zip(review::cards(&trees)).collect();
    let suspect: BTreeSet<SkillKey> =
        desk.cards.iter().filter(|(_, card)| card.is_blocked()).map(|(name, _)| name.clone()).collect();
    let allowed = allowed(context)?;
    let addings: Vec<Adding<'_>> = got
        .iter()
        .map(|(source, fetched)| Adding {
            source,
            fetched,
            folders: &folders,
            mode: Mode::Copy,
            agreed: false,
            suspect: &suspect,
            signing: signing(&allowed),
        })
        .collect();
    let plan = plan_add_all(&addings, &desk.lock, &desk.site, &desk.contents).map_err(refused)?;
    let (plan, left) = plan.without_refused();
    for (step, why) in &left {
        tell(&format!("warning: {}: {}\n", harmless(step.place.as_str()), harmless(&why.to_string())));
    }
    let exit = desk.perform(context, &args.place, &plan)?;
    Ok(if is_whole && left.is_empty() { exit } else { Exit::Findings })
}
