//! The mouse: rows, the wheel, tabs. Everything it does has a key.

use super::{Effect, WHEEL, act, moved, scroll};
use crate::{
    draw::hit::{Target, target},
    keys::Action,
    state::{Screen, State},
};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

pub(super) fn on_mouse(state: &mut State, mouse: MouseEvent) -> Vec<Effect> {
    if state.overlay.is_some() {
        return Vec::new();
    }
    match mouse.kind {
        MouseEventKind::ScrollUp => scroll(state, -WHEEL),
        MouseEventKind::ScrollDown => scroll(state, WHEEL),
        MouseEventKind::Down(MouseButton::Left) => match target(state, mouse.column, mouse.row) {
            Some(Target::Row(row)) => {
                let is_again = state.list.cursor == row;
                state.list.go(row);
                if is_again && state.screen == Screen::List { act(state, Action::Open) } else { moved(state) }
            }
            Some(Target::Cell { row, column }) => {
                state.list.go(row);
                state.column = column;
                moved(state)
            }
            Some(Target::Tab(tab)) => act(state, Action::Tab(tab)),
            Some(Target::Filter(filter)) => {
                state.list.filter = filter;
                state.list.apply();
                moved(state)
            }
            Some(Target::Search) => act(state, Action::Search),
            Some(Target::Key(action)) => act(state, action),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}
