//! What a worker reports becomes part of the model.

use super::{Effect, RELOADING, different, show, wanted_card, wanted_preview};
use crate::{
    job::{Answer, Job, Snapshot},
    list::Query,
    state::{Reviews, Screen, State},
    text::count,
};
use std::sync::Arc;

pub(super) fn on_answer(state: &mut State, answer: Answer) -> Vec<Effect> {
    match answer {
        Answer::Snapshot { snapshot, changed } => on_snapshot(state, snapshot, changed),
        Answer::Preview(preview) => {
            let is_current = state.snapshot.as_ref().is_some_and(|one| one.number == preview.snapshot);
            if is_current && Some(preview.row) == state.list.selected() {
                state.preview = Some(*preview);
            }
            Vec::new()
        }
        Answer::Bodies { words, snapshot, hits } => {
            let is_current = state.snapshot.as_ref().is_some_and(|one| one.number == snapshot);
            if is_current && Query::parse(&state.list.query).words == words {
                let was_empty = state.list.shown.is_empty();
                state.list.add_bodies(hits);
                if state.only_different {
                    different(state);
                }
                return if was_empty { wanted_preview(state) } else { Vec::new() };
            }
            Vec::new()
        }
        Answer::Reviews(Ok(items)) => {
            let name = state.selected().map(|row| row.skill.name.clone());
            // The review begins with the skill that was selected.
            let first = name.and_then(|name| items.iter().position(|item| item.name == name)).unwrap_or(0);
            state.reviews = Reviews { at: first, items: Some(items), ..Reviews::default() };
            wanted_card(state)
        }
        Answer::Reviews(Err(why)) => {
            state.reviews.failed = Some(why);
            Vec::new()
        }
        Answer::NoCard { at, why } => {
            if at == state.reviews.at {
                state.reviews.failed = Some(why);
            }
            Vec::new()
        }
        Answer::Card(pages) => {
            if state.screen == Screen::Review && pages.at == state.reviews.at {
                // Of a changed skill the difference comes first.
                if state.reviews.card.is_none() && !pages.card.differences.is_empty() {
                    state.reviews.scroll.tab = 1;
                }
                state.reviews.card = Some(*pages);
            }
            Vec::new()
        }
        Answer::TrustPlan(plan) => on_plan(state, *plan, Screen::Trust),
        Answer::UpdatePlan(plan) => on_plan(state, *plan, Screen::Update),
        Answer::FixPlan(plan) => on_plan(state, *plan, Screen::Fix),
        Answer::RemovePlan(plan) => on_plan(state, *plan, Screen::Remove),
        Answer::StarterPlan(plan) => on_plan(state, *plan, Screen::Starter),
        Answer::Created { file, message } => {
            state.busy = state.busy.saturating_sub(1);
            state.created = Some(file);
            state.say(message);
            vec![Effect::Read(Job::Refresh { quiet: true })]
        }
        Answer::Page(page) => on_plan(state, *page, Screen::Answer),
        Answer::Updates { found, message } => {
            state.busy = state.busy.saturating_sub(1);
            state.updates = found;
            state.say(message);
            Vec::new()
        }
        Answer::Done { message, undo, decided } => {
            state.busy = state.busy.saturating_sub(1);
            state.undo.extend(undo);
            state.say(message);
            let mut effects = vec![Effect::Read(Job::Refresh { quiet: true })];
            if decided.is_some() {
                let at = state.reviews.at;
                let left = state.reviews.items.as_mut().map_or(0, |items| {
                    if at < items.len() {
                        items.remove(at);
                    }
                    items.len()
                });
                let items = state.reviews.items.take();
                state.reviews = Reviews { items, at: at.min(left.saturating_sub(1)), ..Reviews::default() };
                if left == 0 && state.screen == Screen::Review {
                    effects.extend(show(state, Screen::List));
                }
                effects.extend(wanted_card(state));
            }
            effects
        }
        Answer::Failed(why) => {
            state.busy = state.busy.saturating_sub(1);
            state.warn(why);
            Vec::new()
        }
    }
}

fn on_plan(state: &mut State, plan: crate::job::Plan, screen: Screen) -> Vec<Effect> {
    state.busy = state.busy.saturating_sub(1);
    state.message = crate::state::Message::default();
    if !state.screen.is_plan() {
        state.back = state.screen;
    }
    state.plan = Some(plan);
    state.plan_top = 0;
    show(state, screen)
}

fn on_snapshot(state: &mut State, snapshot: Arc<Snapshot>, changed: Option<String>) -> Vec<Effect> {
    state.list.replace(Arc::clone(&snapshot.items));
    state.snapshot = Some(snapshot);
    different(state);
    let is_created = |row: &usize| state.created.as_ref() == Some(&state.list.items[*row].key);
    if let Some(at) = state.list.shown.iter().position(is_created) {
        state.created = None;
        state.list.go(at);
    }
    if state.message.text == RELOADING {
        let total = count(state.list.items.len(), "skill");
        state.say(changed.clone().unwrap_or_else(|| format!("everything was read again: {total}")));
    }
    // The answer to the user's own action is not replaced by what it changed.
    if let Some(changed) = changed.filter(|_| state.message.text.is_empty()) {
        state.say(changed);
    }
    let mut effects = wanted_preview(state);
    let words = Query::parse(&state.list.query).words;
    if !words.is_empty() {
        effects.push(Effect::Read(Job::SearchBodies { words }));
    }
    effects
}
