//! A turn: what somebody said becomes an answer.

use crate::{
    compaction,
    conversation::{Item, Kind},
    event::Event,
    flow::{Flow, happening, system},
    fork,
    run::{Run, TurnError, Turned, World},
    skills,
};
use skillful_render::{escape, news::Seen};
use skillful_runtime::{
    compose::{self, Manner, PartKind, compose},
    hooks::Event as HookEvent,
    session::{self, Outcome, Skill},
};
use skillful_select::turn::Turn;
use std::thread;

/// Answers a turn. Blocks; what happens meanwhile goes to the watcher, and into the journal before it is
/// acted on.
pub fn turn(world: &World<'_>, run: &mut Run, turn: &Turn, seen: Option<&Seen>) -> Result<Turned, TurnError> {
    thread::scope(|scope| {
        let mut flow = Flow::new(world, run, scope, String::new());
        let turned = begin(&mut flow, turn, seen);
        if turned.is_err() && flow.background.is_busy() {
            // Nobody waits for sub-agents of a turn that failed.
            world.cancel.cancel();
        }
        let usage = flow.spent.usage;
        run.usage += usage;
        turned
    })
}

/// Makes a summary of all but the last answer, because somebody wants it. Tells whether there was anything to sum up.
pub fn compact(world: &World<'_>, run: &mut Run) -> Result<bool, TurnError> {
    if run.items.len() < 2 {
        return Ok(false);
    }
    thread::scope(|scope| {
        let mut flow = Flow::new(world, run, scope, String::new());
        let line = flow.choice().line;
        compaction::but_for(&mut flow, &line, 0)
    })?;
    Ok(true)
}

fn begin(flow: &mut Flow<'_, '_, '_, '_>, turn: &Turn, seen: Option<&Seen>) -> Result<Turned, TurnError> {
    let world = flow.world;
    flow.apply(&session::Event::TurnStarted);
    skills::go_on(flow);
    let mut submitted = happening(HookEvent::UserPromptSubmit);
    submitted.more.insert("prompt".to_owned(), turn.message.clone().into());
    if let Some(why) = flow.fire(&submitted).blocked {
        return Err(TurnError::Blocked(why));
    }
    let loaded = skills::loaded(&flow.run.items);
    let rank = |menu: &[usize]| world.finder.rank(&turn.message, menu);
    let manner = Manner {
        agent: Some(world.agent),
        budget: world.budget,
        unit: world.unit,
        rank: &rank,
        seen,
        loaded: &loaded,
    };
    let composed = compose(&world.engine(), turn, &manner);
    flow.system = system(world, &composed.disclosure.text);
    for unread in &composed.unread {
        world.see(&Event::NotActivated { skill: unread.name.clone(), why: unread.reason.clone() });
    }
    for refused in &composed.selection.refused {
        let skill = world.engine.catalog.entries[refused.entry].address();
        let why: Vec<String> = refused.verdict.reasons.iter().map(ToString::to_string).collect();
        world.see(&Event::NotActivated { skill, why: why.join("; ") });
    }
    let mut items = Vec::new();
    let mut forks = Vec::new();
    let number = flow.run.items.len();
    for part in &composed.parts {
        match (part.kind, &part.name) {
            (PartKind::Catalogue, _) => {}
            (PartKind::Message, _) => {
                items.push(Item::user(Kind::Message, part.text.clone()));
                items.extend(attached(turn));
            }
            (PartKind::Skill, Some(name)) => {
                let call = format!("turn-{number}-{name}");
                match activate(flow, &composed, name, &call) {
                    Some(Outcome::Fork { lists, .. }) => forks.push((name.clone(), lists)),
                    _ => {
                        let mut text = part.text.clone();
                        if let Some(targets) = skills::targets(flow) {
                            text.push_str(&targets);
                        }
                        // A note that it is loaded above must not pass for the instructions themselves.
                        let again = loaded.contains(name);
                        let kind = if again { Kind::Note } else { Kind::Skill { name: name.clone() } };
                        items.push(Item::user(kind, text));
                    }
                }
            }
            _ => items.push(Item::user(Kind::Note, part.text.clone())),
        }
    }
    let hooks: Vec<String> = flow.notes.drain(..).collect();
    items.extend(hooks.into_iter().map(|note| Item::user(Kind::Note, note)));
    flow.push(items)?;
    for (name, lists) in forks {
        let Some(activation) = composed.activations.iter().find(|one| one.name == name) else { continue };
        let job = fork::Job { skill: name.clone(), instructions: activation.instructions.clone(), lists };
        let done = fork::run(world, &job);
        flow.spent.add(done.spent.usage, done.spent.cost);
        flow.push(vec![Item::user(Kind::Note, fork::told(&name, &done.output))])?;
    }
    let (text, end) = flow.steps()?;
    let catalog = world.engine.catalog;
    Ok(Turned {
        text,
        end,
        seen: compose::visible(catalog, &composed.selection),
        roots: composed.selection.roots(catalog),
        composition: composed,
        usage: flow.spent.usage,
        cost: flow.spent.cost,
    })
}

/// The files that came with a message, so that the model can read them.
fn attached(turn: &Turn) -> Option<Item> {
    let lines: Vec<String> =
        turn.attachments.iter().map(|file| format!("- {}", escape::path(file))).collect();
    let text = || format!("Attached files:\n{}", lines.join("\n"));
    (!lines.is_empty()).then(|| Item::user(Kind::Note, text()))
}

/// A chosen skill takes effect: its lists, its hooks, its server, its wishes about the model.
fn activate(
    flow: &mut Flow<'_, '_, '_, '_>,
    composed: &compose::Composition,
    name: &str,
    call: &str,
) -> Option<Outcome> {
    // The very skill that was chosen: a path may name one that another of its name shadows.
    let entries = &flow.world.engine.catalog.entries;
    let mut chosen =
        composed.selection.selected.iter().filter(|chosen| entries[chosen.entry()].address() == name);
    let chosen = chosen.next()?;
    let entry = &entries[chosen.entry()];
    let outcome = flow.apply(&session::Event::Activate {
        skill: Skill::of(name, &entry.loaded.manifest),
        call: call.to_owned(),
    });
    let why: Vec<String> = chosen.why.iter().map(ToString::to_string).collect();
    let activation = composed.activations.iter().find(|one| one.name == name);
    skills::takes_effect(flow, entry, activation, &why.join(", "), &outcome);
    Some(outcome)
}
