//! Keys as data: what each does, where it works, and what the bottom line and the help say about it. A user's
//! configuration (`[ui.keys]`) gives actions other keys.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::BTreeMap;

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
    FixColumn,
    Editor,
    CopyMention,
    CopyPath,
    Undo,
    Remove,
    SearchSources,
    Agents,
    New,
    Starter,
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
pub(crate) enum KeyPlace {
    List,
    Detail,
    Matrix,
    Review,
    Trust,
    Update,
    Fix,
    Remove,
    Starter,
    Answer,
}

use KeyPlace::{Answer, Detail, Fix, List, Matrix, Remove, Review, Starter, Trust, Update};

const EVERYWHERE: &[KeyPlace] = &[List, Detail, Matrix, Review, Trust, Update, Fix, Remove, Starter, Answer];
const SKILLS: &[KeyPlace] = &[List, Detail, Matrix];

/// One line of the table as it is shipped.
struct Preset {
    name: &'static str,
    keys: &'static [KeyPress],
    action: Action,
    places: &'static [KeyPlace],
    shown: &'static str,
    label: &'static str,
    group: &'static str,
    rank: u8,
}

/// A key with what is held down beside it.
type KeyPress = (KeyCode, KeyModifiers);

/// One line of the table in use.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// The name in the configuration.
    pub(crate) name: &'static str,
    keys: Vec<KeyPress>,
    pub(crate) action: Action,
    pub(crate) places: &'static [KeyPlace],
    /// The keys as the help writes them.
    pub(crate) shown: String,
    pub(crate) label: &'static str,
    pub(crate) group: &'static str,
    /// The order in the bottom line; 0 keeps it out, and from 20 on it is only in a wide one.
    rank: u8,
}

const fn plain(c: char) -> KeyPress {
    (KeyCode::Char(c), KeyModifiers::NONE)
}

const fn control(c: char) -> KeyPress {
    (KeyCode::Char(c), KeyModifiers::CONTROL)
}

const fn key(code: KeyCode) -> KeyPress {
    (code, KeyModifiers::NONE)
}

macro_rules! bindings {
    ($(@ $group:literal: $($name:literal [$($key:expr),*] $action:expr, $places:expr, $shown:literal, $label:literal, $rank:literal;)*)*) => {
        &[$($(Preset {
            name: $name, keys: &[$($key),*], action: $action, places: $places, shown: $shown, label: $label,
            group: $group, rank: $rank,
        }),*),*]
    };
}

/// Every key.
const BINDINGS: &[Preset] = bindings! {
    @ "Move":
    "up" [plain('k'), key(KeyCode::Up)] Action::Up, EVERYWHERE, "", "", 0;
    "down" [plain('j'), key(KeyCode::Down)] Action::Down, EVERYWHERE, "j k arrows", "move", 0;
    "page-up" [key(KeyCode::PageUp), control('b')] Action::PageUp, EVERYWHERE, "", "", 0;
    "page-down" [key(KeyCode::PageDown), control('f'), plain(' ')] Action::PageDown, EVERYWHERE, "PgUp PgDn", "page", 0;
    "first" [plain('g'), key(KeyCode::Home)] Action::First, EVERYWHERE, "g G", "first, last", 0;
    "last" [plain('G'), key(KeyCode::End)] Action::Last, EVERYWHERE, "", "", 0;
    "left" [plain('h'), key(KeyCode::Left)] Action::Left, &[Matrix], "h l", "agent", 0;
    "right" [plain('l'), key(KeyCode::Right)] Action::Right, &[Matrix], "", "", 0;
    "next-tab" [key(KeyCode::Tab)] Action::NextTab, &[List, Detail, Review], "tab", "next tab", 13;
    "previous-tab" [key(KeyCode::BackTab)] Action::PreviousTab, &[List, Detail, Review], "", "", 0;
    "tab-1" [plain('1')] Action::Tab(0), &[List, Detail, Review], "1-5", "tab", 0;
    "tab-2" [plain('2')] Action::Tab(1), &[List, Detail, Review], "", "", 0;
    "tab-3" [plain('3')] Action::Tab(2), &[List, Detail, Review], "", "", 0;
    "tab-4" [plain('4')] Action::Tab(3), &[List, Detail, Review], "", "", 0;
    "tab-5" [plain('5')] Action::Tab(4), &[List, Detail], "", "", 0;
    @ "Find":
    "search" [plain('/')] Action::Search, &[List, Matrix], "/", "search", 2;
    "filter" [plain('f')] Action::Filter, &[List, Matrix], "f", "filter", 0;
    "sort" [plain('s')] Action::Sort, &[List], "s", "sort", 0;
    "search-sources" [plain('S')] Action::SearchSources, SKILLS, "S", "search sources", 0;
    "clear" [plain('c')] Action::Clear, &[List, Matrix], "c", "clear search and filter", 0;
    "problems" [plain('!')] Action::Problems, &[List, Matrix], "!", "problems", 0;
    @ "Act":
    "toggle" [plain('e')] Action::Toggle, SKILLS, "e", "enable or disable", 21;
    "trust" [plain('t')] Action::Trust, SKILLS, "t", "trust this repository", 0;
    "update" [plain('u')] Action::Update, SKILLS, "u", "update", 22;
    "check-updates" [plain('U')] Action::CheckUpdates, SKILLS, "U", "look for updates of all", 0;
    "fix" [plain('x')] Action::Fix, SKILLS, "x", "fix", 7;
    "fix-column" [plain('X')] Action::FixColumn, &[Matrix], "X", "fix column", 8;
    "remove" [plain('d')] Action::Remove, &[List, Detail], "d", "remove", 0;
    "editor" [plain('o')] Action::Editor, SKILLS, "o", "open in $EDITOR", 25;
    "copy-mention" [plain('y')] Action::CopyMention, SKILLS, "y", "copy mention", 23;
    "copy-path" [plain('Y')] Action::CopyPath, SKILLS, "Y", "copy path", 0;
    "new" [plain('n')] Action::New, &[List], "n", "new skill", 0;
    "starter" [plain('i')] Action::Starter, &[List], "i", "install starter skills", 0;
    "undo" [plain('z')] Action::Undo, SKILLS, "z", "undo", 0;
    @ "Views":
    "open" [key(KeyCode::Enter)] Action::Open, &[List, Matrix], "enter", "open", 1;
    "matrix" [plain('m')] Action::Matrix, &[List, Detail], "m", "matrix", 3;
    "review" [plain('r')] Action::Review, SKILLS, "r", "review", 4;
    "agents" [plain('A')] Action::Agents, SKILLS, "A", "agents", 0;
    "actions" [plain('a')] Action::Actions, SKILLS, "a", "actions", 5;
    "different" [plain('d')] Action::Different, &[Matrix], "d", "different", 6;
    @ "Decide":
    "approve" [plain('a')] Action::Approve, &[Review], "a", "approve", 1;
    "reject" [plain('x')] Action::Reject, &[Review], "x", "reject", 2;
    "next-skill" [plain('n')] Action::NextItem, &[Review], "n", "next skill", 3;
    "previous-skill" [plain('p')] Action::PreviousItem, &[Review], "p", "previous skill", 0;
    "trust-yes" [plain('t')] Action::Yes, &[Trust], "t", "trust", 1;
    "update-yes" [plain('y')] Action::Yes, &[Update], "y", "update now", 1;
    "fix-yes" [plain('y')] Action::Yes, &[Fix], "y", "apply", 1;
    "remove-yes" [plain('y')] Action::Yes, &[Remove], "y", "remove", 1;
    "starter-yes" [plain('y')] Action::Yes, &[Starter], "y", "install", 1;
    @ "Program":
    "reload" [control('r')] Action::Reload, EVERYWHERE, "ctrl-r", "reload", 0;
    "redraw" [control('l')] Action::Redraw, EVERYWHERE, "ctrl-l", "redraw", 0;
    "suspend" [control('z')] Action::Suspend, EVERYWHERE, "ctrl-z", "suspend", 0;
    "help" [plain('?')] Action::Help, EVERYWHERE, "?", "help", 98;
    "quit" [plain('q'), control('c')] Action::Quit, EVERYWHERE, "q", "quit", 99;
};

/// Every key in use.
#[derive(Clone, Debug)]
pub struct Keys(Vec<Binding>);

impl Default for Keys {
    fn default() -> Self {
        let binding = |preset: &Preset| Binding {
            name: preset.name,
            keys: preset.keys.to_vec(),
            action: preset.action,
            places: preset.places,
            shown: preset.shown.to_owned(),
            label: preset.label,
            group: preset.group,
            rank: preset.rank,
        };
        Self(BINDINGS.iter().map(binding).collect())
    }
}

impl Keys {
    /// The keys with a user's own for some actions, by the name of the action. What cannot be used is returned as sentences.
    pub fn with(changes: &BTreeMap<String, Vec<String>>) -> (Self, Vec<String>) {
        let (mut keys, mut problems) = (Self::default(), Vec::new());
        for (name, words) in changes {
            let Some(at) = keys.0.iter().position(|binding| binding.name == name) else {
                let known: Vec<&str> = keys.0.iter().map(|binding| binding.name).collect();
                let near = skillful_catalog::names::nearest(name, known.iter().copied());
                let near = near.first().map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                problems.push(format!("`ui.keys.{name}` is not an action{near}"));
                continue;
            };
            let mut pressed = Vec::new();
            for word in words {
                match key_named(word) {
                    Some(key) => pressed.push(key),
                    None => problems.push(format!(
                        "`ui.keys.{name}`: `{word}` is not a key, such as `x`, `ctrl-x` or `enter`"
                    )),
                }
            }
            if pressed.is_empty() {
                continue;
            }
            let places = keys.0[at].places;
            for (other, binding) in keys.0.iter_mut().enumerate() {
                if other == at || !binding.places.iter().any(|place| places.contains(place)) {
                    continue;
                }
                let before = binding.keys.len();
                binding.keys.retain(|key| !pressed.contains(key));
                if binding.keys.len() < before {
                    binding.shown = shown(&binding.keys);
                    if binding.keys.is_empty() {
                        problems.push(format!("`ui.keys.{name}` takes the only key of `{}`", binding.name));
                    }
                }
            }
            let binding = &mut keys.0[at];
            binding.shown = shown(&pressed);
            binding.keys = pressed;
            if binding.label.is_empty() {
                binding.label = binding.name;
            }
        }
        (keys, problems)
    }

    pub(crate) fn all(&self) -> &[Binding] {
        &self.0
    }

    /// What a key does in a place.
    pub(crate) fn action(&self, place: KeyPlace, event: &KeyEvent) -> Option<Action> {
        // A terminal reports a capital with or without shift.
        let modifiers = event.modifiers - KeyModifiers::SHIFT;
        let is_it = |(code, wanted): &KeyPress| *code == event.code && *wanted == modifiers;
        let found =
            self.0.iter().find(|binding| binding.places.contains(&place) && binding.keys.iter().any(is_it));
        found.map(|binding| binding.action)
    }

    /// The key of an action as the help writes it.
    pub(crate) fn shown(&self, action: Action) -> &str {
        self.0.iter().find(|binding| binding.action == action).map_or("", |binding| binding.shown.as_str())
    }

    /// The key of an action in a place.
    pub(crate) fn shown_in(&self, place: KeyPlace, action: Action) -> &str {
        let is_it = |binding: &&Binding| binding.action == action && binding.places.contains(&place);
        self.0.iter().find(is_it).map_or("", |binding| binding.shown.as_str())
    }

    /// The keys of the bottom line of a place, as many as fit.
    pub(crate) fn bottom(&self, place: KeyPlace, width: usize) -> Vec<(&str, &str)> {
        let mut shown: Vec<&Binding> = self
            .0
            .iter()
            .filter(|binding| binding.rank > 0 && binding.places.contains(&place) && !binding.keys.is_empty())
            .collect();
        let rank = |binding: &Binding| match (place, binding.action) {
            // The matrix is about what agents miss.
            (Matrix, Action::Review | Action::Actions) => binding.rank + 20,
            _ => binding.rank,
        };
        shown.sort_by_key(|binding| rank(binding));
        let leave = match place {
            List => None,
            Matrix => Some(("esc", "list")),
            Detail | Answer => Some(("esc", "back")),
            Review => Some(("esc", "later")),
            Trust | Update | Fix | Remove | Starter => Some(("esc", "no")),
        };
        let wide = |(key, label): &(&str, &str)| key.len() + label.len() + 3;
        let last = leave.as_ref().map_or(0, wide);
        // What is rarer goes first when there is no room.
        loop {
            let pairs: Vec<_> = shown.iter().map(|binding| (binding.shown.as_str(), binding.label)).collect();
            if pairs.iter().map(wide).sum::<usize>() + last <= width + 2 || shown.len() <= 2 {
                return pairs.into_iter().chain(leave).collect();
            }
            let rarest = |binding: &Binding| if binding.rank >= 98 { 0 } else { rank(binding) };
            let most = shown.iter().map(|binding| rarest(binding)).max().unwrap_or(0);
            shown.retain(|binding| rarest(binding) != most);
        }
    }
}

/// Keys with names of their own.
const NAMED: [(&str, KeyCode); 12] = [
    ("enter", KeyCode::Enter),
    ("tab", KeyCode::Tab),
    ("shift-tab", KeyCode::BackTab),
    ("space", KeyCode::Char(' ')),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
];

/// The key that a word of the configuration names. Esc always leaves, and is not among them.
fn key_named(word: &str) -> Option<KeyPress> {
    if let Some((_, code)) = NAMED.iter().find(|(name, _)| *name == word) {
        return Some(key(*code));
    }
    let (held, rest) = match word.strip_prefix("ctrl-") {
        Some(rest) => (KeyModifiers::CONTROL, rest),
        None => (KeyModifiers::NONE, word),
    };
    let mut chars = rest.chars();
    let c = chars.next().filter(|c| !c.is_control() && !c.is_whitespace())?;
    chars.next().is_none().then_some((KeyCode::Char(c), held))
}

/// Keys as the help writes them.
fn shown(keys: &[KeyPress]) -> String {
    let word = |(code, held): &KeyPress| match (NAMED.iter().find(|(_, named)| named == code), code) {
        (Some((name, _)), _) => (*name).to_owned(),
        (None, KeyCode::Char(c)) if held.contains(KeyModifiers::CONTROL) => format!("ctrl-{c}"),
        (None, KeyCode::Char(c)) => c.to_string(),
        (None, other) => other.to_string(),
    };
    keys.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clashes(keys: &Keys) -> Vec<String> {
        let mut found = Vec::new();
        for place in EVERYWHERE {
            let all: Vec<_> = keys
                .all()
                .iter()
                .filter(|one| one.places.contains(place))
                .flat_map(|one| &one.keys)
                .collect();
            for (at, key) in all.iter().enumerate() {
                if all[at + 1..].contains(key) {
                    found.push(format!("{key:?} twice in {place:?}"));
                }
            }
        }
        found
    }

    fn changed(changes: &[(&str, &str)]) -> (Keys, Vec<String>) {
        let words = |words: &str| words.split(' ').map(str::to_owned).collect();
        Keys::with(&changes.iter().map(|(name, keys)| ((*name).to_owned(), words(keys))).collect())
    }

    #[test]
    fn a_key_does_one_thing_in_one_place_and_an_action_has_one_name() {
        assert_eq!(clashes(&Keys::default()), Vec::<String>::new());
        let mut names: Vec<&str> = BINDINGS.iter().map(|one| one.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), BINDINGS.len());
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
                let keys = Keys::default();
                let pairs = keys.bottom(*place, width);
                let line: Vec<String> = pairs.iter().map(|(key, label)| format!("{key} {label}")).collect();
                let line = line.join("  ");
                assert!(line.len() <= width, "{width}: {line}");
                assert!(line.contains("q quit"), "{width}: {line}");
            }
        }
    }

    #[test]
    fn a_user_gives_actions_other_keys_and_each_key_keeps_one_meaning() {
        let (keys, problems) = changed(&[("editor", "E ctrl-o"), ("quit", "Q"), ("down", "J down")]);
        assert_eq!((problems, clashes(&keys)), (Vec::new(), Vec::new()));
        let press = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        assert_eq!(keys.action(List, &press('E')), Some(Action::Editor));
        assert_eq!(keys.action(List, &press('o')), None, "a new key replaces the old ones");
        assert_eq!(keys.action(Detail, &press('J')), Some(Action::Down));
        assert_eq!(keys.shown(Action::Editor), "E ctrl-o");
        assert!(keys.bottom(List, 80).contains(&("Q", "quit")));
    }

    #[test]
    fn keys_that_cannot_be_used_are_named() {
        let (keys, problems) = changed(&[("edtor", "E"), ("search", "f1"), ("sort", "f")]);
        assert_eq!(
            problems,
            [
                "`ui.keys.edtor` is not an action; did you mean `editor`?",
                "`ui.keys.search`: `f1` is not a key, such as `x`, `ctrl-x` or `enter`",
                "`ui.keys.sort` takes the only key of `filter`",
            ]
        );
        assert_eq!(keys.shown(Action::Search), "/");
    }
}
