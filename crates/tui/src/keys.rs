//! Keys as data: what each does, where it works, and what the bottom line and the help say about it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Left,
    Right,
    Open,
    Search,
    Filter,
    Sort,
    Clear,
    NextTab,
    PreviousTab,
    Tab(u8),
    Toggle,
    Trust,
    Update,
    CheckUpdates,
    Fix,
    Editor,
    CopyMention,
    CopyPath,
    Undo,
    Matrix,
    Review,
    Problems,
    Actions,
    Different,
    Approve,
    Reject,
    NextItem,
    PreviousItem,
    Yes,
    Reload,
    Redraw,
    Suspend,
    Help,
    Quit,
}

/// Where a key works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    List,
    Detail,
    Matrix,
    Review,
    Trust,
    Update,
}

use Place::{Detail, List, Matrix, Review, Trust, Update};

const EVERYWHERE: &[Place] = &[List, Detail, Matrix, Review, Trust, Update];
const SKILLS: &[Place] = &[List, Detail, Matrix];

/// One line of the table.
pub(crate) struct Binding {
    pub(crate) keys: &'static [(KeyCode, KeyModifiers)],
    pub(crate) action: Action,
    pub(crate) places: &'static [Place],
    /// The keys as the help writes them.
    pub(crate) shown: &'static str,
    pub(crate) label: &'static str,
    pub(crate) group: &'static str,
    /// The order in the bottom line; 0 keeps it out, and from 20 on it is only in a wide one.
    pub(crate) rank: u8,
}

const fn plain(c: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(c), KeyModifiers::NONE)
}

const fn control(c: char) -> (KeyCode, KeyModifiers) {
    (KeyCode::Char(c), KeyModifiers::CONTROL)
}

const fn key(code: KeyCode) -> (KeyCode, KeyModifiers) {
    (code, KeyModifiers::NONE)
}

macro_rules! bindings {
    ($($group:literal: $([$($key:expr),*] $action:expr, $places:expr, $shown:literal, $label:literal, $rank:literal;)*)*) => {
        &[$($(Binding {
            keys: &[$($key),*], action: $action, places: $places, shown: $shown, label: $label, group: $group,
            rank: $rank,
        }),*),*]
    };
}

/// Every key.
pub(crate) const BINDINGS: &[Binding] = bindings! {
    "Move":
    [plain('k'), key(KeyCode::Up)] Action::Up, EVERYWHERE, "", "", 0;
    [plain('j'), key(KeyCode::Down)] Action::Down, EVERYWHERE, "j k arrows", "move", 0;
    [key(KeyCode::PageUp), control('b')] Action::PageUp, EVERYWHERE, "", "", 0;
    [key(KeyCode::PageDown), control('f'), plain(' ')] Action::PageDown, EVERYWHERE, "PgUp PgDn", "page", 0;
    [plain('g'), key(KeyCode::Home)] Action::First, EVERYWHERE, "g G", "first, last", 0;
    [plain('G'), key(KeyCode::End)] Action::Last, EVERYWHERE, "", "", 0;
    [plain('h'), key(KeyCode::Left)] Action::Left, &[Matrix], "h l", "agent", 0;
    [plain('l'), key(KeyCode::Right)] Action::Right, &[Matrix], "", "", 0;
    [key(KeyCode::Tab)] Action::NextTab, &[List, Detail, Review], "tab", "next tab", 13;
    [key(KeyCode::BackTab)] Action::PreviousTab, &[List, Detail, Review], "", "", 0;
    [plain('1')] Action::Tab(0), &[List, Detail, Review], "1-5", "tab", 0;
    [plain('2')] Action::Tab(1), &[List, Detail, Review], "", "", 0;
    [plain('3')] Action::Tab(2), &[List, Detail, Review], "", "", 0;
    [plain('4')] Action::Tab(3), &[List, Detail, Review], "", "", 0;
    [plain('5')] Action::Tab(4), &[List, Detail], "", "", 0;
    "Find":
    [plain('/')] Action::Search, &[List, Matrix], "/", "search", 2;
    [plain('f')] Action::Filter, &[List, Matrix], "f", "filter", 0;
    [plain('s')] Action::Sort, &[List], "s", "sort", 0;
    [plain('c')] Action::Clear, &[List, Matrix], "c", "clear search and filter", 0;
    [plain('!')] Action::Problems, &[List, Matrix], "!", "problems", 0;
    "Act":
    [plain('e')] Action::Toggle, SKILLS, "e", "enable or disable", 21;
    [plain('t')] Action::Trust, SKILLS, "t", "trust this repository", 0;
    [plain('u')] Action::Update, SKILLS, "u", "update", 22;
    [plain('U')] Action::CheckUpdates, SKILLS, "U", "look for updates of all", 0;
    [plain('x')] Action::Fix, SKILLS, "x", "how to fix it", 24;
    [plain('o')] Action::Editor, SKILLS, "o", "open in $EDITOR", 25;
    [plain('y')] Action::CopyMention, SKILLS, "y", "copy mention", 23;
    [plain('Y')] Action::CopyPath, SKILLS, "Y", "copy path", 0;
    [plain('z')] Action::Undo, SKILLS, "z", "undo", 0;
    "Views":
    [key(KeyCode::Enter)] Action::Open, &[List, Matrix], "enter", "open", 1;
    [plain('m')] Action::Matrix, &[List, Detail], "m", "matrix", 3;
    [plain('r')] Action::Review, SKILLS, "r", "review", 4;
    [plain('a')] Action::Actions, SKILLS, "a", "actions", 5;
    [plain('d')] Action::Different, &[Matrix], "d", "different", 6;
    "Decide":
    [plain('a')] Action::Approve, &[Review], "a", "approve", 1;
    [plain('x')] Action::Reject, &[Review], "x", "reject", 2;
    [plain('n')] Action::NextItem, &[Review], "n", "next skill", 3;
    [plain('p')] Action::PreviousItem, &[Review], "p", "previous skill", 0;
    [plain('t')] Action::Yes, &[Trust], "t", "trust", 1;
    [plain('y')] Action::Yes, &[Update], "y", "update now", 1;
    "Program":
    [control('r')] Action::Reload, EVERYWHERE, "ctrl-r", "reload", 0;
    [control('l')] Action::Redraw, EVERYWHERE, "ctrl-l", "redraw", 0;
    [control('z')] Action::Suspend, EVERYWHERE, "ctrl-z", "suspend", 0;
    [plain('?')] Action::Help, EVERYWHERE, "?", "help", 98;
    [plain('q'), control('c')] Action::Quit, EVERYWHERE, "q", "quit", 99;
};

/// What a key does in a place.
pub(crate) fn action(place: Place, event: &KeyEvent) -> Option<Action> {
    // A terminal reports a capital with or without shift.
    let modifiers = event.modifiers - KeyModifiers::SHIFT;
    let is_it = |(code, wanted): &(KeyCode, KeyModifiers)| *code == event.code && *wanted == modifiers;
    let found =
        BINDINGS.iter().find(|binding| binding.places.contains(&place) && binding.keys.iter().any(is_it));
    found.map(|binding| binding.action)
}

/// The keys of the bottom line of a place, as many as fit.
pub(crate) fn bottom(place: Place, width: usize) -> Vec<(&'static str, &'static str)> {
    let mut shown: Vec<&Binding> =
        BINDINGS.iter().filter(|binding| binding.rank > 0 && binding.places.contains(&place)).collect();
    shown.sort_by_key(|binding| binding.rank);
    let leave = match place {
        List => None,
        Matrix => Some(("esc", "list")),
        Detail => Some(("esc", "back")),
        Review => Some(("esc", "later")),
        Trust | Update => Some(("esc", "no")),
    };
    let wide = |(key, label): &(&str, &str)| key.len() + label.len() + 3;
    let last = leave.as_ref().map_or(0, wide);
    // What is rarer goes first when there is no room.
    loop {
        let pairs: Vec<_> = shown.iter().map(|binding| (binding.shown, binding.label)).collect();
        if pairs.iter().map(wide).sum::<usize>() + last <= width + 2 || shown.len() <= 2 {
            return pairs.into_iter().chain(leave).collect();
        }
        let rarest = |binding: &Binding| if binding.rank >= 98 { 0 } else { binding.rank };
        let most = shown.iter().map(|binding| rarest(binding)).max().unwrap_or(0);
        shown.retain(|binding| rarest(binding) != most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_one_thing_in_one_place() {
        for place in EVERYWHERE {
            let keys: Vec<_> = BINDINGS
                .iter()
                .filter(|binding| binding.places.contains(place))
                .flat_map(|one| one.keys)
                .collect();
            for (at, key) in keys.iter().enumerate() {
                assert!(!keys[at + 1..].contains(key), "{key:?} twice in {place:?}");
            }
        }
    }

    #[test]
    fn no_key_needs_alt_or_a_function_key() {
        for (code, modifiers) in BINDINGS.iter().flat_map(|binding| binding.keys) {
            assert!(!modifiers.contains(KeyModifiers::ALT) && !matches!(code, KeyCode::F(_)));
        }
    }

    #[test]
    fn the_bottom_line_fits_and_keeps_help_and_quit() {
        for width in [30, 60, 80, 120, 200] {
            for place in EVERYWHERE {
                let pairs = bottom(*place, width);
                let line: Vec<String> = pairs.iter().map(|(key, label)| format!("{key} {label}")).collect();
                let line = line.join("  ");
                assert!(line.len() <= width, "{width}: {line}");
                assert!(line.contains("q quit"), "{width}: {line}");
            }
        }
    }
}
