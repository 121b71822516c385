//! `sync`: everything in its place that the lock names, byte for byte, or a word about what is not.

mod npm;

use super::registry::{Desk, refused};
use crate::{
    args::SyncArgs,
    context::Context,
    error::{Exit, Failure, Outcome},
    output::{harmless, tell},
    progress::watched,
};
use skillful_format::{Digest, Tree};
use skillful_registry::{
    install::{Action, Plan, PlanStep, Refusal, plan_sync},
    lock::LOCK_FILE,
    review,
    sign::Signature,
    source::{Place, Ref, SkillName},
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn run(context: &mut Context, args: &SyncArgs) -> Outcome {
    if args.import {
        return npm::run(context, args);
    }
    let desk = Desk::open(context, args.place.global)?;
    if args.frozen && !desk.site.lock.join(LOCK_FILE).is_file() {
        return Err(Failure::new(format!("there is no {LOCK_FILE} here")).hint("`skillful add` makes one"));
    }
    let (fetched, signatures) = missing(context, &desk);
    let mut plan = plan_sync(&desk.lock, &desk.site, &desk.contents, &fetched).map_err(refused)?;
    plan.keep_to(desk.agents(context));
    plan.keep_signatures(&signatures);
    if !args.despite_findings {
        refuse_suspects(&mut plan);
    }
    if args.frozen {
        return desk.perform(context, &args.place, &plan);
    }
    let (plan, left) = plan.without_refused();
    for (step, why) in &left {
        tell(&format!("warning: {}: {}\n", harmless(step.place.as_str()), harmless(&why.to_string())));
    }
    let exit = desk.perform(context, &args.place, &plan)?;
    Ok(if left.is_empty() { exit } else { Exit::Findings })
}

/// Whoever wrote the lock agreed to what it names; the person of this machine did not, even where the store has
/// the same files: they may be held back elsewhere.
fn refuse_suspects(plan: &mut Plan) {
    let is_placed = |step: &&PlanStep| matches!(step.action, Action::Create | Action::Replace);
    let placed: BTreeSet<Digest> = plan.steps.iter().filter(is_placed).filter_map(PlanStep::tree).collect();
    let (digests, trees): (Vec<Digest>, Vec<&Tree>) =
        plan.trees().filter(|(digest, _)| placed.contains(digest)).unzip();
    let cards = digests.into_iter().zip(review::cards(&trees));
    let suspects: BTreeSet<Digest> =
        cards.filter(|(_, card)| card.is_blocked()).map(|(digest, _)| digest).collect();
    let is_placed = |step: &&mut PlanStep| matches!(step.action, Action::Create | Action::Replace);
    for step in plan.steps.iter_mut().filter(is_placed) {
        if step.tree().is_some_and(|tree| suspects.contains(&tree)) {
            step.action = Action::Refuse(Refusal::Suspect);
        }
    }
}

/// The trees that the store does not have, from where they came, when they are still the same there; and their
/// signatures.
fn missing(context: &Context, desk: &Desk) -> (BTreeMap<Digest, Tree>, BTreeMap<Digest, Signature>) {
    let (mut found, mut signatures) = (BTreeMap::new(), BTreeMap::new());
    let mut outside = None;
    for (name, locked) in &desk.lock.skills {
        if found.contains_key(&locked.tree) || desk.contents.read(&locked.tree).is_ok() {
            continue;
        }
        let pinned = locked.resolved.commit.as_deref().or(locked.resolved.version.as_deref());
        let pinned = pinned.and_then(|pinned| Ref::new(pinned).ok());
        let mut source = locked.source.clone();
        // An index may list hundreds; one is wanted.
        if matches!(source.place, Place::WellKnown(_)) && source.skill.is_none() {
            source.skill = SkillName::new(name.as_str()).ok();
        }
        let outside = outside.get_or_insert_with(|| desk.outside(context));
        match watched(context, &source, pinned.as_ref(), outside) {
            Ok(fetched) => {
                for skill in fetched.skills {
                    let digest = skill.tree.digest();
                    signatures.extend(skill.signature.map(|signature| (digest, signature)));
                    found.insert(digest, skill.tree);
                }
            }
            Err(error) => {
                let (name, error) = (harmless(name.as_str()), harmless(&error.to_string()));
                tell(&format!("warning: {name} could not be fetched again: {error}\n"));
            }
        }
    }
    (found, signatures)
}
