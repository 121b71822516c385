//! A turn: a user's message becomes an answer.

use crate::{
    compaction,
    event::Event,
    fork,
    history::{Item, ItemKind},
    image::Image,
    session::ChatSession,
    setup::TurnSetup,
    skills,
    tools::git_facts,
    turn_loop::{TurnLoop, happening, system},
};
use skillful_catalog::Entry;
use skillful_llm::Usage;
use skillful_render::{escape, news::Seen};
use skillful_runtime::{
    Activation,
    compose::{self, Composition, Manner, MenuFor, PartKind, compose, disclose},
    hooks::Event as HookEvent,
    session::{self, Outcome, Skill},
};
use skillful_select::{
    access::{Admitted, Way, is_open},
    mention::MentionMeaning,
    selection::{Selected, SelectionReason},
    turn::Turn,
};
use std::{collections::BTreeSet, thread};

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TurnEnd {
    /// With an answer.
    Answered,
    /// The model or a filter refused.
    Refused,
    /// The answer reached the length limit.
    Cut,
    /// Skills near a file that it touched have to join: the caller reads them and calls [`go_on`].
    Joined,
    /// A limit of the turn was reached, with an explanation.
    Bound(String),
    /// The user or a hook stopped it, with the reason.
    Stopped(String),
}

/// The outcome of a turn.
#[derive(Clone, Debug)]
pub struct TurnOutcome {
    /// The last answer.
    pub text: String,
    /// How it ended.
    pub end: TurnEnd,
    /// The selected skills, the menu and what was shortened.
    pub composition: Composition,
    /// The menu that the user has seen; the caller records it when the turn ended.
    pub seen: Seen,
    /// Skills that stay active.
    pub roots: Vec<String>,
    /// Tokens used, sub-agents included.
    pub usage: Usage,
    /// The cost, when prices are known.
    pub cost: Option<f64>,
}

/// Why a turn failed. The journal keeps what happened before.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The model did not answer.
    #[error(transparent)]
    Model(#[from] skillful_llm::Error),
    /// The user cancelled the step.
    #[error("the user cancelled the step")]
    Cancelled,
    /// The journal could not be written; without it the session could not be continued.
    #[error("the session could not be recorded: {0}")]
    Journal(String),
    /// A hook of a skill refused the message.
    #[error("a hook refused the message: {0}")]
    Blocked(String),
}

/// Answers a turn. Blocks. Events go to the observer and, before they are acted on, into the journal.
pub fn turn(
    setup: &TurnSetup<'_>,
    session: &mut ChatSession,
    turn: &Turn,
    seen: Option<&Seen>,
) -> Result<TurnOutcome, TurnError> {
    thread::scope(|scope| {
        let mut turn_loop = TurnLoop::new(setup, session, scope, String::new());
        let turned = begin(&mut turn_loop, turn, seen);
        if turned.is_err() && turn_loop.background.is_busy() {
            // The turn failed, so its sub-agents are cancelled.
            setup.cancel.cancel();
        }
        let usage = turn_loop.spent.usage;
        session.usage += usage;
        turned
    })
}

/// Goes on with a turn that ended with [`TurnEnd::Joined`], with the skills that joined.
pub fn go_on(
    setup: &TurnSetup<'_>,
    session: &mut ChatSession,
    before: TurnOutcome,
    known: &BTreeSet<String>,
) -> Result<TurnOutcome, TurnError> {
    thread::scope(|scope| {
        let turn = Turn { folder: setup.env.folder.clone(), ..Turn::default() };
        let manner = Manner {
            unit: setup.unit,
            menu: MenuFor::Session,
            ..Manner::plain(Some(setup.agent), setup.budget)
        };
        let menu = disclose(&setup.engine(), &turn, &manner).text;
        let mut turn_loop = TurnLoop::new(setup, session, scope, system(setup, &menu));
        let came: Vec<String> = setup
            .engine
            .catalog
            .entries
            .iter()
            .enumerate()
            .filter(|(at, _)| is_open(setup.engine.catalog, *at, setup.engine.asker, Way::Menu))
            .filter(|(_, entry)| !known.contains(&entry.address()))
            .map(|(_, entry)| format!("- {}: {}", entry.address(), entry.description().unwrap_or_default()))
            .collect();
        if !came.is_empty() {
            let note =
                format!("Skills of the folders that you work in are available now:\n{}", came.join("\n"));
            turn_loop.push(vec![Item::user(ItemKind::Note, note)])?;
        }
        turn_loop.enter_by_path()?;
        let turned = turn_loop.steps();
        let usage = turn_loop.spent.usage;
        let cost = turn_loop.spent.cost;
        session.usage += usage;
        let (text, end) = turned?;
        let text = if text.is_empty() { before.text } else { text };
        let mut all = before.usage;
        all += usage;
        let cost = before.cost.map_or(cost, |sum| Some(sum + cost.unwrap_or(0.0)));
        Ok(TurnOutcome { text, end, usage: all, cost, ..before })
    })
}

/// Compacts everything but the last answer. Returns whether there was anything to compact.
pub fn compact(setup: &TurnSetup<'_>, session: &mut ChatSession) -> Result<bool, TurnError> {
    if session.items.len() < 2 {
        return Ok(false);
    }
    thread::scope(|scope| {
        let mut turn_loop = TurnLoop::new(setup, session, scope, String::new());
        let line = turn_loop.choice().line;
        compaction::but_for(&mut turn_loop, &line, 0)
    })?;
    Ok(true)
}

fn begin(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    turn: &Turn,
    seen: Option<&Seen>,
) -> Result<TurnOutcome, TurnError> {
    let setup = turn_loop.setup;
    turn_loop.apply(&session::Event::TurnStarted);
    skills::reactivate(turn_loop);
    let mut submitted = happening(HookEvent::UserPromptSubmit);
    submitted.more.insert("prompt".to_owned(), turn.message.clone().into());
    if let Some(why) = turn_loop.fire(&submitted).blocked {
        return Err(TurnError::Blocked(why));
    }
    let before = &turn_loop.session.items;
    let is_loaded = |name: &str, instructions: &str| skills::has_instructions(before, name, instructions);
    let state = &turn_loop.session.state;
    let holds = |entry: &Entry| skills::holds(before, state, entry);
    let rank = |menu: &[usize]| setup.finder.rank(&turn.message, menu);
    let manner = Manner {
        agent: Some(setup.agent),
        budget: setup.budget,
        unit: setup.unit,
        menu: MenuFor::Session,
        rank: &rank,
        seen,
        is_loaded: &is_loaded,
        holds: &holds,
        written: Some(&turn_loop.session.menu),
    };
    let mut composed = compose(&setup.engine(), turn, &manner);
    turn_loop.system = system(setup, &composed.disclosure.text);
    for unread in &composed.unread {
        setup.observe(&Event::NotActivated { skill: unread.name.clone(), why: unread.reason.clone() });
    }
    for mention in &composed.selection.mentions {
        let is_connector = mention.meaning == MentionMeaning::Connector;
        if let Some(why) = mention.meaning.problem().filter(|_| !is_connector) {
            setup.observe(&Event::NotActivated { skill: mention.mention.name.clone(), why });
        }
    }
    for refused in &composed.selection.refused {
        let skill = setup.engine.catalog.entries[refused.entry].address();
        let why: Vec<String> = refused.verdict.reasons.iter().map(ToString::to_string).collect();
        setup.observe(&Event::NotActivated { skill, why: why.join("; ") });
    }
    let mut items = Vec::new();
    if setup.describes_repository && turn_loop.session.items.is_empty() {
        let facts = git_facts::of(&setup.env);
        items.extend(facts.map(|facts| Item::user(ItemKind::Note, facts)));
    }
    let mut forks = Vec::new();
    let number = turn_loop.session.items.len();
    for part in &composed.parts {
        match (part.kind, &part.name) {
            (PartKind::Menu, _) => {}
            (PartKind::Message, _) => {
                items.push(Item::user(ItemKind::Message, part.text.clone()));
                items.extend(attached(setup, turn));
            }
            (PartKind::LoadedSkill, Some(name)) if composed.staying.contains(name) => {
                let why = SelectionReason::Sticky.to_string();
                setup.observe(&Event::Activated { skill: name.clone(), why });
                if let Some((chosen, activation)) = selected(setup, &composed, name) {
                    skills::keep(turn_loop, &chosen.proof, activation);
                }
                items.push(Item::user(ItemKind::Note, part.text.clone()));
            }
            (PartKind::Skill | PartKind::LoadedSkill, Some(name)) => {
                let call = format!("turn-{number}-{name}");
                match activate(turn_loop, &composed, name, &call) {
                    Some((proof, Outcome::Fork { lists, .. })) => forks.push(fork::SubAgentTask {
                        proof,
                        skill: name.clone(),
                        instructions: part.text.clone(),
                        lists,
                    }),
                    _ => {
                        let mut text = part.text.clone();
                        if let Some(targets) = skills::targets(turn_loop) {
                            text.push_str(&targets);
                        }
                        let kind = match part.kind {
                            PartKind::Skill => ItemKind::Skill { name: name.clone() },
                            _ => ItemKind::Note,
                        };
                        items.push(Item::user(kind, text));
                    }
                }
            }
            _ => items.push(Item::user(ItemKind::Note, part.text.clone())),
        }
    }
    items.extend(changed(turn_loop, &composed));
    let hooks: Vec<String> = turn_loop.notes.drain(..).collect();
    items.extend(hooks.into_iter().map(|note| Item::user(ItemKind::Note, note)));
    turn_loop.push(items)?;
    for task in forks {
        let done = fork::run(setup, &task);
        turn_loop.spent.add(done.spent.usage, done.spent.cost);
        turn_loop.push(vec![Item::user(ItemKind::Note, fork::result_text(&task.skill, &done.output))])?;
    }
    let (text, end) = turn_loop.steps()?;
    let catalog = setup.engine.catalog;
    let seen = composed.seen.take().unwrap_or_else(|| compose::visible(catalog, &composed));
    Ok(TurnOutcome {
        text,
        end,
        seen,
        roots: composed.selection.roots(catalog),
        composition: composed,
        usage: turn_loop.spent.usage,
        cost: turn_loop.spent.cost,
    })
}

/// The instructions of active skills that changed since they were loaded, which selection does not bring.
fn changed(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, composed: &Composition) -> Vec<Item> {
    let Some(news) = &composed.news else { return Vec::new() };
    let active: Vec<String> =
        turn_loop.session.state.active().iter().map(|skill| skill.name.clone()).collect();
    let is_selected = |name: &str| composed.parts.iter().any(|part| part.name.as_deref() == Some(name));
    let names = news.changed.iter().filter(|name| active.contains(name) && !is_selected(name));
    let mut items = Vec::new();
    for name in names {
        match skills::enter(turn_loop, name, Way::Load) {
            Ok(text) => {
                let text = format!("The skill `{name}` changed. These instructions hold now.\n\n{text}");
                items.push(Item::user(ItemKind::Skill { name: name.clone() }, text));
            }
            Err(why) => {
                turn_loop.setup.observe(&Event::NotActivated { skill: name.clone(), why });
            }
        }
    }
    items
}

/// A note that lists the attached files, with those that are images.
fn attached(setup: &TurnSetup<'_>, turn: &Turn) -> Option<Item> {
    if turn.attachments.is_empty() {
        return None;
    }
    let lines: Vec<String> =
        turn.attachments.iter().map(|file| format!("- {}", escape::path(file))).collect();
    let mut item = Item::user(ItemKind::Note, format!("Attached files:\n{}", lines.join("\n")));
    for file in &turn.attachments {
        match Image::read(&setup.env.folder.join(file)) {
            Ok(image) => item.message.parts.extend(image.map(Image::part)),
            Err(error) => setup.observe(&Event::Note(format!("{file} is not shown to the model: {error}"))),
        }
    }
    Some(item)
}

/// A selected skill and what it came to.
fn selected<'c>(
    setup: &TurnSetup<'_>,
    composed: &'c Composition,
    name: &str,
) -> Option<(&'c Selected, Option<&'c Activation>)> {
    // The selected entry itself: a path may name a skill that another of the same name shadows.
    let entries = &setup.engine.catalog.entries;
    let mut all = composed.selection.selected.iter();
    let chosen = all.find(|chosen| entries[chosen.entry()].address() == name)?;
    Some((chosen, composed.activations.iter().find(|one| one.name == name)))
}

/// Activates a selected skill: its tool lists, hooks, server and requested model.
fn activate(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    composed: &compose::Composition,
    name: &str,
    call: &str,
) -> Option<(Admitted, Outcome)> {
    let (chosen, activation) = selected(turn_loop.setup, composed, name)?;
    let entry = &turn_loop.setup.engine.catalog.entries[chosen.entry()];
    let outcome =
        turn_loop.apply(&session::Event::Activate { skill: Skill::of(entry), call: call.to_owned() });
    let why: Vec<String> = chosen.why.iter().map(ToString::to_string).collect();
    skills::apply_effects(turn_loop, &chosen.proof, activation, &why.join(", "), &outcome);
    Some((chosen.proof.clone(), outcome))
}
