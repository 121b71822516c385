//! Where things are: for drawing, and for the mouse.

use crate::{
    job::{CardPages, Preview},
    keys::{self, Action},
    list::Filter,
    state::{Screen, State},
    text::columns,
};

/// What a click means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A row of the list, by its position in what is shown.
    Row(usize),
    Cell {
        row: usize,
        column: usize,
    },
    Tab(u8),
    Filter(Filter),
    Search,
    Key(Action),
}

/// The filters with their columns.
pub(crate) fn filters(state: &State) -> Vec<(u16, Filter, String)> {
    let mut x: u16 = if state.is_wide() { 48 } else { 30.min(state.size.0 / 3) };
    let items = &state.list.items;
    let mut found = Vec::new();
    for filter in Filter::ALL {
        let number = items.iter().filter(|item| filter.keeps(item)).count();
        let text = match filter {
            Filter::All => "All".to_owned(),
            other => format!("{} {number}", other.word()),
        };
        // The one that is on is in brackets, as a tab.
        let text = if filter == state.list.filter { format!("[{text}]") } else { text };
        let wide = u16::try_from(columns(&text)).unwrap_or(0);
        found.push((x, filter, text));
        x += wide + 2;
    }
    found
}

fn spread(titles: impl Iterator<Item = String>, open: usize) -> Vec<(u16, String)> {
    let mut x = 0;
    let mut found = Vec::new();
    for (at, title) in titles.enumerate() {
        let title = if at == open { format!("[{title}]") } else { title };
        let wide = u16::try_from(columns(&title)).unwrap_or(0);
        found.push((x, title));
        x += wide + 2;
    }
    found
}

/// The tabs about a skill with their columns.
pub(crate) fn preview_tabs(preview: &Preview, open: usize, room: u16) -> Vec<(u16, String)> {
    let titles = || preview.tabs.iter().enumerate().map(|(at, (title, _))| format!("{} {title}", at + 1));
    let wide: usize = titles().map(|title| columns(&title) + 2).sum();
    // Without room for all of them the longest word is shortened.
    let is_narrow = wide > usize::from(room);
    spread(titles().map(|title| if is_narrow { title.replace("Capabilities", "Can") } else { title }), open)
}

/// The tabs of a review with their columns.
pub(crate) fn card_tabs(card: &CardPages, open: usize) -> Vec<(u16, String)> {
    spread(card.tabs.iter().map(|(title, _)| title.clone()), open)
}

/// Columns of the names in the matrix: the longest name where the window is wide.
pub(crate) fn matrix_names(state: &State) -> u16 {
    let most = if state.is_wide() { state.size.0 / 4 } else { 16 };
    u16::try_from(state.list.longest).unwrap_or(u16::MAX).min(most).max(16)
}

/// The first column of the matrix that is shown, and the columns of each.
pub(crate) fn matrix_columns(state: &State) -> (usize, Vec<(u16, u16)>) {
    let Some(snapshot) = &state.snapshot else { return (0, Vec::new()) };
    let agents = &snapshot.matrix.agents;
    let wide: Vec<u16> = agents
        .iter()
        .map(|agent| agent.title.as_str())
        .chain(["ASSISTANT"])
        .map(|title| u16::try_from(columns(title).max(11)).unwrap_or(11))
        .collect();
    let left = matrix_names(state) + 4;
    let fits = |first: usize| {
        let mut x = left;
        let mut found = Vec::new();
        for width in &wide[first.min(wide.len())..] {
            if x + width > state.size.0 {
                break;
            }
            found.push((x, *width));
            x += width + 2;
        }
        found
    };
    let mut first = 0;
    while first < state.column && first + fits(first).len() <= state.column {
        first += 1;
    }
    (first, fits(first))
}

/// What lies at a place.
pub(crate) fn target(state: &State, x: u16, y: u16) -> Option<Target> {
    let (_, height) = state.size;
    if y + 1 == height {
        return key_at(state, x);
    }
    let top = match (state.screen, state.is_roomy()) {
        (Screen::List, true) | (Screen::Matrix, _) => 4,
        (Screen::List, false) => 1,
        _ => 0,
    };
    let tab_at = |tabs: &[(u16, String)], left: u16| {
        let is_it = |(start, title): &(u16, String)| {
            let end = start + u16::try_from(columns(title)).unwrap_or(0);
            (left + start..left + end).contains(&x)
        };
        tabs.iter().position(is_it).and_then(|at| u8::try_from(at).ok()).map(Target::Tab)
    };
    match state.screen {
        Screen::List | Screen::Matrix => {
            if y == 1 && state.is_roomy() {
                let is_it = |(start, _, text): &(u16, Filter, String)| {
                    (*start..start + u16::try_from(columns(text)).unwrap_or(0)).contains(&x)
                };
                let filter = filters(state).into_iter().find(is_it).filter(|_| state.list.query.is_empty());
                return Some(filter.map_or(Target::Search, |(_, filter, _)| Target::Filter(filter)));
            }
            if state.is_wide() && state.screen == Screen::List && x > state.list_width() {
                let preview = state.current_preview().filter(|_| y == 4)?;
                return tab_at(
                    &preview_tabs(preview, state.detail.tab, state.page_width()),
                    state.list_width() + 2,
                );
            }
            let at = usize::from(y.checked_sub(top)?);
            let row = state.list.offset + at;
            if at >= state.list.height || row >= state.list.shown.len() {
                return None;
            }
            if state.screen == Screen::List {
                return Some(Target::Row(row));
            }
            let (first, cells) = matrix_columns(state);
            let cell = cells.iter().position(|(start, width)| (*start..start + width).contains(&x));
            Some(cell.map_or(Target::Row(row), |at| Target::Cell { row, column: first + at }))
        }
        Screen::Detail => {
            let preview = state.current_preview().filter(|_| y == 1)?;
            tab_at(&preview_tabs(preview, state.detail.tab, state.page_width()), 0)
        }
        Screen::Review => {
            let card = state.reviews.card.as_ref().filter(|_| y == 1)?;
            tab_at(&card_tabs(card, state.reviews.scroll.tab), 0)
        }
        _ => None,
    }
}

/// The key of the bottom line at a column.
fn key_at(state: &State, x: u16) -> Option<Target> {
    let mut start = 0;
    for (key, label) in state.keys.bottom(state.screen.place(), usize::from(state.size.0)) {
        let end = start + u16::try_from(columns(key) + columns(label) + 1).unwrap_or(0);
        if (start..end).contains(&x) {
            let place = state.screen.place();
            let is_it = |one: &&keys::Binding| one.shown == key && one.places.contains(&place);
            return state.keys.all().iter().find(is_it).map(|one| Target::Key(one.action));
        }
        start = end + 2;
    }
    None
}
