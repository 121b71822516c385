//! One event in, the next state and what is to be done out. No disk, no terminal, no clock.

mod answers;
mod deeds;
mod mouse;

use crate::{
    job::{Answer, Deed, Job},
    keys::Action,
    list::{Filter, Query},
    state::{Overlay, Reviews, Screen, Scroll, State},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent};
use std::path::PathBuf;

/// What happened.
pub(crate) enum Event {
    Key(KeyEvent),
    Mouse(MouseEvent),
    Resize(u16, u16),
    Paste(String),
    Answer(Answer),
    /// The cursor rested since this many moves.
    Rested(u64),
}

/// What the program does next.
#[derive(Debug)]
pub(crate) enum Effect {
    Read(Job),
    Do(Deed),
    /// Reports `Rested` after a moment.
    Rest(u64),
    Edit(PathBuf),
    Copy(String),
    Redraw,
    Suspend,
    Quit,
}

/// Columns that a wheel or a page moves.
const WHEEL: isize = 3;
/// The message while everything is read again.
const RELOADING: &str = "reading everything again";

pub(crate) fn update(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::Key(key) if key.kind == KeyEventKind::Release => Vec::new(),
        // A terminal sends Alt as an escape before the key: Esc and a key that follows at once look the same, and no key
        // needs Alt.
        Event::Key(key) if key.modifiers.contains(KeyModifiers::ALT) => {
            let mut effects = on_key(state, &KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE));
            effects.extend(on_key(state, &KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT)));
            effects
        }
        Event::Key(key) => on_key(state, &key),
        Event::Mouse(mouse) => mouse::on_mouse(state, mouse),
        Event::Resize(width, height) => {
            state.size = (width, height);
            state.measure();
            let mut effects = wanted_preview(state);
            effects.extend(wanted_card(state));
            effects
        }
        Event::Paste(text) => on_paste(state, &text),
        Event::Answer(answer) => answers::on_answer(state, answer),
        Event::Rested(moves) if moves == state.moves => {
            let mut effects = wanted_preview(state);
            effects.extend(wanted_bodies(state));
            effects
        }
        Event::Rested(_) => Vec::new(),
    }
}

fn on_paste(state: &mut State, text: &str) -> Vec<Effect> {
    let line = text.lines().next().unwrap_or_default();
    match &mut state.overlay {
        Some(
            Overlay::Help { filter: field }
            | Overlay::TypeName { typed: field }
            | Overlay::NewSkill { typed: field },
        ) => {
            field.extend(line.chars().filter(|c| !c.is_control()).take(crate::list::QUERY));
            Vec::new()
        }
        None if state.searching => {
            line.chars().for_each(|c| state.list.type_in(c));
            searched(state)
        }
        _ => Vec::new(),
    }
}

fn on_key(state: &mut State, key: &KeyEvent) -> Vec<Effect> {
    state.message = crate::state::Message::default();
    if state.overlay.is_some() {
        return on_overlay(state, key);
    }
    if state.searching {
        return on_search(state, key);
    }
    if key.code == KeyCode::Esc {
        return leave(state);
    }
    match state.keys.action(state.screen.place(), key) {
        Some(action) => act(state, action),
        None => Vec::new(),
    }
}

/// Esc leaves every state.
fn leave(state: &mut State) -> Vec<Effect> {
    match state.screen {
        Screen::Detail => show(state, state.back),
        screen if screen.is_plan() => show(state, state.back),
        Screen::Matrix | Screen::Review => show(state, Screen::List),
        Screen::List if !state.list.query.is_empty() || state.list.filter != Filter::All => {
            state.list.filter = Filter::All;
            state.list.clear();
            moved(state)
        }
        _ => {
            state.say("q quits");
            Vec::new()
        }
    }
}

fn show(state: &mut State, screen: Screen) -> Vec<Effect> {
    if state.screen == Screen::Matrix && screen != Screen::Matrix && state.only_different {
        state.only_different = false;
        different(state);
    }
    if !screen.is_plan() {
        state.plan = None;
    }
    state.screen = screen;
    state.measure();
    let mut effects = wanted_preview(state);
    effects.extend(wanted_card(state));
    effects
}

fn on_search(state: &mut State, key: &KeyEvent) -> Vec<Effect> {
    match (key.code, key.modifiers) {
        (KeyCode::Esc, _) => {
            state.searching = false;
            state.list.clear();
            moved(state)
        }
        (KeyCode::Enter, _) => {
            state.searching = false;
            Vec::new()
        }
        (KeyCode::Backspace, _) => {
            state.list.delete();
            searched(state)
        }
        (KeyCode::Char('u'), KeyModifiers::CONTROL) => {
            state.list.clear();
            searched(state)
        }
        (KeyCode::Char('c'), KeyModifiers::CONTROL) => vec![Effect::Quit],
        (KeyCode::Char(c), modifiers) if (modifiers - KeyModifiers::SHIFT).is_empty() => {
            state.list.type_in(c);
            searched(state)
        }
        (KeyCode::Up | KeyCode::Down | KeyCode::PageUp | KeyCode::PageDown, _) => {
            state.keys.action(state.screen.place(), key).map_or_else(Vec::new, |action| act(state, action))
        }
        _ => Vec::new(),
    }
}

/// The query changed. Texts are searched when the typing rests, so that no key waits for the answers to the one before.
fn searched(state: &mut State) -> Vec<Effect> {
    if state.only_different {
        different(state);
    }
    state.wants_bodies = true;
    moved(state)
}

/// The search in texts that the last keys asked for.
fn wanted_bodies(state: &mut State) -> Option<Effect> {
    let words = Query::parse(&state.list.query).words;
    let is_wanted = std::mem::take(&mut state.wants_bodies) && !words.is_empty();
    is_wanted.then_some(Effect::Read(Job::SearchBodies { words }))
}

/// The cursor moved: the preview follows when it rests.
fn moved(state: &mut State) -> Vec<Effect> {
    state.moves += 1;
    state.detail.top = 0;
    vec![Effect::Rest(state.moves)]
}

fn wanted_preview(state: &State) -> Vec<Effect> {
    let (Some(snapshot), Some(row)) = (&state.snapshot, state.list.selected()) else { return Vec::new() };
    let width = state.page_width();
    if state.current_preview().is_some_and(|preview| preview.width == width) {
        return Vec::new();
    }
    vec![Effect::Read(Job::Preview { snapshot: snapshot.number, row, width })]
}

/// Asks for the card of the review that is shown.
fn wanted_card(state: &State) -> Vec<Effect> {
    if state.screen != Screen::Review {
        return Vec::new();
    }
    let Reviews { items: Some(items), at, card, .. } = &state.reviews else { return Vec::new() };
    let is_there = card.as_ref().is_some_and(|card| card.at == *at && card.width == state.size.0);
    match items.get(*at).filter(|_| !is_there) {
        Some(item) => {
            vec![Effect::Read(Job::Card { item: Box::new(item.clone()), at: *at, width: state.size.0 })]
        }
        None => Vec::new(),
    }
}

fn on_overlay(state: &mut State, key: &KeyEvent) -> Vec<Effect> {
    if key.code == KeyCode::Esc || (key.code, key.modifiers) == (KeyCode::Char('c'), KeyModifiers::CONTROL) {
        state.overlay = None;
        return Vec::new();
    }
    let actions = state.actions();
    match &mut state.overlay {
        Some(
            Overlay::Help { filter: field }
            | Overlay::TypeName { typed: field }
            | Overlay::NewSkill { typed: field },
        ) if !matches!(key.code, KeyCode::Enter) => {
            match key.code {
                KeyCode::Backspace => drop(field.pop()),
                KeyCode::Char(c) if field.chars().count() < crate::list::QUERY => field.push(c),
                _ => {}
            }
            Vec::new()
        }
        Some(Overlay::TypeName { .. }) => deeds::approve_typed(state),
        Some(Overlay::NewSkill { .. }) => deeds::create_typed(state),
        Some(Overlay::Actions { cursor }) => match key.code {
            KeyCode::Up | KeyCode::Char('k') => {
                *cursor = cursor.saturating_sub(1);
                Vec::new()
            }
            KeyCode::Down | KeyCode::Char('j') => {
                *cursor = (*cursor + 1).min(actions.len() - 1);
                Vec::new()
            }
            KeyCode::Enter => {
                let chosen = actions[*cursor].0;
                state.overlay = None;
                act(state, chosen)
            }
            _ => {
                let chosen = state.keys.action(state.screen.place(), key);
                state.overlay = None;
                chosen
                    .filter(|chosen| actions.iter().any(|one| one.0 == *chosen))
                    .map_or_else(Vec::new, |one| act(state, one))
            }
        },
        _ => {
            state.overlay = None;
            Vec::new()
        }
    }
}

/// Carries out an action, or says why not.
pub(crate) fn act(state: &mut State, action: Action) -> Vec<Effect> {
    if let Some(why) = state.why_not(action).filter(|_| is_deed(action)) {
        let key = state.keys.shown(action).to_owned();
        state.warn(format!("{key}: {why}"));
        return Vec::new();
    }
    match action {
        Action::Up => scroll(state, -1),
        Action::Down => scroll(state, 1),
        Action::PageUp => scroll(state, -page(state)),
        Action::PageDown => scroll(state, page(state)),
        Action::First => scroll(state, isize::MIN / 2),
        Action::Last => scroll(state, isize::MAX / 2),
        Action::Left => {
            state.column = state.column.saturating_sub(1);
            Vec::new()
        }
        Action::Right => {
            let last = state.snapshot.as_ref().map_or(0, |snapshot| snapshot.matrix.agents.len());
            state.column = (state.column + 1).min(last);
            Vec::new()
        }
        Action::Open => {
            state.back = state.screen;
            state.detail.top = 0;
            if state.screen == Screen::Matrix {
                state.detail.tab = crate::state::AGENTS_TAB;
            }
            show(state, Screen::Detail)
        }
        Action::Search => {
            state.searching = true;
            Vec::new()
        }
        Action::Filter => {
            state.list.filter = state.list.filter.next();
            state.list.apply();
            moved(state)
        }
        Action::Problems => {
            state.list.filter =
                if state.list.filter == Filter::Problems { Filter::All } else { Filter::Problems };
            state.list.apply();
            moved(state)
        }
        Action::Sort => {
            state.list.sort = state.list.sort.next();
            state.list.apply();
            moved(state)
        }
        Action::Clear => {
            state.list.filter = Filter::All;
            state.list.clear();
            moved(state)
        }
        Action::NextTab => turn_tab(state, 1),
        Action::PreviousTab => turn_tab(state, -1),
        Action::Tab(tab) => {
            let (scroll, tabs) = tabs(state);
            if usize::from(tab) < tabs {
                *scroll = Scroll { tab: usize::from(tab), top: 0 };
            }
            Vec::new()
        }
        Action::Matrix => show(state, Screen::Matrix),
        Action::Different => {
            state.only_different = !state.only_different;
            different(state);
            moved(state)
        }
        Action::Review => {
            state.reviews = Reviews::default();
            let mut effects = show(state, Screen::Review);
            effects.push(Effect::Read(Job::Reviews));
            effects
        }
        Action::Actions => {
            state.overlay = Some(Overlay::Actions { cursor: 0 });
            Vec::new()
        }
        Action::NextItem | Action::PreviousItem => {
            let last = state.reviews.items.as_ref().map_or(0, |items| items.len().saturating_sub(1));
            let at = state.reviews.at;
            let next = if action == Action::NextItem { (at + 1).min(last) } else { at.saturating_sub(1) };
            if next != at {
                state.reviews.at = next;
                state.reviews.card = None;
                state.reviews.failed = None;
                state.reviews.scroll = Scroll::default();
            }
            wanted_card(state)
        }
        Action::Reload => {
            state.say(RELOADING);
            vec![Effect::Read(Job::Refresh { quiet: true })]
        }
        Action::Redraw => vec![Effect::Redraw],
        Action::Suspend => vec![Effect::Suspend],
        Action::New => {
            state.overlay = Some(Overlay::NewSkill { typed: String::new() });
            Vec::new()
        }
        Action::Help => {
            state.overlay = Some(Overlay::Help { filter: String::new() });
            Vec::new()
        }
        Action::Quit => vec![Effect::Quit],
        Action::Toggle
        | Action::Trust
        | Action::Update
        | Action::CheckUpdates
        | Action::Fix
        | Action::FixColumn
        | Action::Editor
        | Action::CopyMention
        | Action::CopyPath
        | Action::Undo
        | Action::Remove
        | Action::SearchSources
        | Action::Agents
        | Action::Starter
        | Action::Approve
        | Action::Reject
        | Action::Yes => deeds::act(state, action),
    }
}

fn is_deed(action: Action) -> bool {
    matches!(
        action,
        Action::Toggle
            | Action::Trust
            | Action::Update
            | Action::Fix
            | Action::FixColumn
            | Action::Editor
            | Action::CopyMention
            | Action::CopyPath
            | Action::Undo
            | Action::Remove
            | Action::SearchSources
            | Action::Review
            | Action::Open
    )
}

/// Keeps only rows that differ, when the matrix is asked for them.
fn different(state: &mut State) {
    let differing = state.snapshot.as_ref().filter(|_| state.only_different).map(std::sync::Arc::clone);
    state.list.narrow(|row| {
        let row = differing.as_ref().map(|snapshot| snapshot.matrix.skills.get(row));
        row.is_none_or(|row| row.is_some_and(skillful::views::MatrixSkill::differs))
    });
}

fn page(state: &State) -> isize {
    let rows = match state.screen {
        Screen::List | Screen::Matrix => state.list.height,
        _ => state.page_height(),
    };
    isize::try_from(rows.max(2) - 1).unwrap_or(1)
}

/// Moves the cursor of a list or the top of a page.
fn scroll(state: &mut State, by: isize) -> Vec<Effect> {
    let height = state.page_height();
    let limit = |lines: usize| lines.saturating_sub(height);
    match state.screen {
        Screen::List | Screen::Matrix => {
            let before = state.list.selected();
            state.list.step(by);
            return if state.list.selected() == before { Vec::new() } else { moved(state) };
        }
        Screen::Detail => {
            let tab = state.detail.tab;
            let lines =
                state.current_preview().and_then(|one| one.tabs.get(tab)).map_or(0, |(_, all)| all.len());
            state.detail.top = state.detail.top.saturating_add_signed(by).min(limit(lines));
        }
        Screen::Review => {
            let Reviews { card, scroll, .. } = &mut state.reviews;
            let lines =
                card.as_ref().and_then(|card| card.tabs.get(scroll.tab)).map_or(0, |(_, all)| all.len());
            scroll.top = scroll.top.saturating_add_signed(by).min(limit(lines));
        }
        _ => {
            let lines = state.plan.as_ref().map_or(0, |plan| plan.lines.len());
            state.plan_top = state.plan_top.saturating_add_signed(by).min(limit(lines));
        }
    }
    Vec::new()
}

/// The tabs of this screen: which one is open, and how many there are.
fn tabs(state: &mut State) -> (&mut Scroll, usize) {
    if state.screen == Screen::Review { (&mut state.reviews.scroll, 4) } else { (&mut state.detail, 5) }
}

fn turn_tab(state: &mut State, by: i8) -> Vec<Effect> {
    let (scroll, tabs) = tabs(state);
    let tab = if by > 0 { (scroll.tab + 1) % tabs } else { (scroll.tab + tabs - 1) % tabs };
    *scroll = Scroll { tab, top: 0 };
    Vec::new()
}

#[cfg(test)]
mod tests;
