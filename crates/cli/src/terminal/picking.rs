//! The list of commands and skills below the prompt of a chat, while a word behind `/` or `$` is typed.

use super::complete::{Choice, Vocabulary};
use crate::output::{DIM, HEAD, columns, cut};
use rustyline::{
    Cmd, ConditionalEventHandler, Event, EventContext, EventHandler, KeyCode, KeyEvent, Modifiers, Movement,
    RepeatCount, hint::Hint,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows of the list.
const ROWS: usize = 8;
/// Columns of what a skill takes as arguments.
const ARGUMENT: usize = 20;

/// What the list shows, shared by the line editor and the keys.
#[derive(Clone, Debug, Default)]
pub(super) struct Picking(Arc<Mutex<PickingState>>);

#[derive(Debug, Default)]
struct PickingState {
    words: Vocabulary,
    /// The line that the rest belongs to; another line starts anew.
    line: String,
    selected: usize,
    /// Whether the user went to a row.
    is_moved: bool,
    is_closed: bool,
    /// The line to send in the place of what was typed.
    chosen: Option<String>,
    /// Where the word that the editor completes begins, and what replaces it.
    elected: Option<(usize, String)>,
    /// What was typed when the user switched the mode.
    switched: Option<String>,
}

/// The rows below the prompt, and what the right arrow inserts.
pub(super) struct Rows {
    text: String,
    rest: Option<String>,
}

impl Rows {
    /// A text beside the line.
    pub(super) fn beside(text: String, rest: Option<String>) -> Self {
        Self { text, rest }
    }
}

impl Hint for Rows {
    fn display(&self) -> &str {
        &self.text
    }

    fn completion(&self) -> Option<&str> {
        self.rest.as_deref()
    }
}

impl Picking {
    fn state(&self) -> MutexGuard<'_, PickingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the words of the list.
    pub(super) fn know(&self, words: Vocabulary) {
        *self.state() = PickingState { words, ..PickingState::default() };
    }

    /// The line that the user chose in the list instead of the typed one.
    pub(super) fn take_chosen(&self) -> Option<String> {
        self.state().chosen.take()
    }

    /// The one completion that a key asked for.
    pub(super) fn take_elected(&self) -> Option<(usize, String)> {
        self.state().elected.take()
    }

    /// What was typed when the user switched the mode.
    pub(super) fn take_switched(&self) -> Option<String> {
        self.state().switched.take()
    }

    /// The list for a line with the cursor at its end.
    pub(super) fn rows(&self, line: &str, cursor: usize, width: usize, height: usize) -> Option<Rows> {
        let mut state = self.state();
        state.follow(line);
        let (start, found) = state.open(line, cursor)?;
        let rest = state.words.rest(line, cursor);
        let room = ROWS.min(height.saturating_sub(3)).max(1);
        let first = state.selected.saturating_sub(room - 1);
        let shown = &found[first.min(found.len())..(first + room).min(found.len())];
        let widest =
            |text: &dyn Fn(&Choice) -> usize| shown.iter().map(|choice| text(choice)).max().unwrap_or(0);
        let names = widest(&|choice| columns(choice.name()));
        let arguments = widest(&|choice| columns(&choice.argument)).min(ARGUMENT);
        let row = |(at, choice): (usize, &&Choice)| {
            let mark = if first + at == state.selected { '>' } else { ' ' };
            let argument = cut(&choice.argument, ARGUMENT);
            let gap = " ".repeat(arguments.saturating_sub(columns(&argument)));
            let name = choice.name();
            let pad = " ".repeat(names.saturating_sub(columns(name)));
            let text = format!("{mark} {name}{pad}  {argument}{gap}  {}", choice.about);
            cut(text.trim_end(), width.saturating_sub(1))
        };
        let mut rows: Vec<String> = shown.iter().enumerate().map(row).collect();
        if found.len() > shown.len() {
            rows.push(cut(&format!("  {} of {}", shown.len(), found.len()), width.saturating_sub(1)));
        }
        debug_assert!(start <= cursor, "the word begins before the cursor");
        Some(Rows { text: format!("\n{}", rows.join("\n")), rest })
    }

    /// The keys that work while the list is shown.
    pub(super) fn keys(&self) -> Vec<(Event, EventHandler)> {
        let bound = |key: KeyEvent, action| {
            let handler = PickingKey { picking: self.clone(), action };
            (Event::from(key), EventHandler::Conditional(Box::new(handler)))
        };
        let key = |code, action| bound(KeyEvent(code, Modifiers::NONE), action);
        vec![
            key(KeyCode::Up, Action::Move(-1)),
            key(KeyCode::Down, Action::Move(1)),
            key(KeyCode::Tab, Action::Insert),
            key(KeyCode::Enter, Action::Send),
            key(KeyCode::Esc, Action::Close),
            key(KeyCode::BackTab, Action::Switch),
            bound(KeyEvent::ctrl('C'), Action::Clear),
        ]
    }
}

impl PickingState {
    fn follow(&mut self, line: &str) {
        if self.line != line {
            line.clone_into(&mut self.line);
            (self.selected, self.is_moved, self.is_closed) = (0, false, false);
        }
    }

    /// Where the word begins, and the choices for it. Nothing when the list is not shown.
    fn open(&self, line: &str, cursor: usize) -> Option<(usize, Vec<&Choice>)> {
        if cursor != line.len() || self.is_closed {
            return None;
        }
        let (start, found) = self.words.complete(line, cursor);
        (!found.is_empty()).then_some((start, found))
    }

    /// What a key does to a line; `None` leaves it to the line editor.
    fn act(&mut self, action: Action, line: &str, cursor: usize) -> Option<Cmd> {
        self.follow(line);
        if action == Action::Switch {
            // The line comes back behind the new mode.
            self.switched = Some(line.to_owned());
            return Some(Cmd::Interrupt);
        }
        if action == Action::Clear {
            // In an empty line it is an interrupt.
            return (!line.is_empty()).then_some(Cmd::Kill(Movement::WholeBuffer));
        }
        let (start, found) = self.open(line, cursor)?;
        let count = found.len();
        let choice = found[self.selected.min(count - 1)].clone();
        let typed = &line[start..];
        let elected = Some((start, format!("{} ", choice.word)));
        match action {
            Action::Move(step) => {
                let last = isize::try_from(count - 1).unwrap_or(0);
                let at = isize::try_from(self.selected).unwrap_or(0) + step;
                self.selected = usize::try_from(at.clamp(0, last)).unwrap_or(0);
                self.is_moved = true;
                Some(Cmd::Repaint)
            }
            Action::Close | Action::Switch | Action::Clear => {
                self.is_closed = true;
                Some(Cmd::Repaint)
            }
            Action::Insert => {
                self.elected = elected;
                Some(Cmd::Complete)
            }
            Action::Send => {
                // In a sentence a `$` may be one of the user's own; a sign alone asks for the whole list.
                let is_meant = self.is_moved || start == 0 && typed.len() > 1;
                if !is_meant || choice.word == typed {
                    return None;
                }
                if choice.needs_argument() {
                    self.elected = elected;
                    return Some(Cmd::Complete);
                }
                self.chosen = Some(format!("{}{}", &line[..start], choice.word));
                Some(Cmd::AcceptLine)
            }
        }
    }
}

/// Each line of the list in its style.
pub(super) fn painted(rows: &str, color: bool) -> String {
    if !color {
        return rows.to_owned();
    }
    let line = |line: &str| match line.strip_prefix('>') {
        Some(_) => format!("{HEAD}{line}{HEAD:#}"),
        None => format!("{DIM}{line}{DIM:#}"),
    };
    rows.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Move(isize),
    Insert,
    Send,
    Close,
    /// The next mode, whatever is typed.
    Switch,
    /// Discards what is typed.
    Clear,
}

struct PickingKey {
    picking: Picking,
    action: Action,
}

impl ConditionalEventHandler for PickingKey {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, context: &EventContext<'_>) -> Option<Cmd> {
        self.picking.state().act(self.action, context.line(), context.pos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picking() -> Picking {
        let choice = |word: &str, argument: &str, about: &str| Choice {
            word: word.to_owned(),
            about: about.to_owned(),
            argument: argument.to_owned(),
        };
        let picking = Picking::default();
        picking.know(Vocabulary {
            slash: vec![
                choice("/release-notes", "[version]", "Write release notes from merged changes."),
                choice("/research-brief", "", "Research a question and write one page."),
                choice("/new", "command", "begin a new session"),
            ],
            dollar: vec![choice("$release-notes", "[version]", "Write release notes.")],
        });
        picking
    }

    fn shown(picking: &Picking, line: &str) -> Option<String> {
        picking.rows(line, line.len(), 60, 24).map(|rows| rows.text)
    }

    fn press(picking: &Picking, action: Action, line: &str) -> Option<Cmd> {
        picking.state().act(action, line, line.len())
    }

    #[test]
    fn the_list_opens_behind_a_sign_and_narrows_as_the_user_types() {
        let picking = picking();
        insta::assert_snapshot!(shown(&picking, "/re").unwrap().trim_start(), @r"
        > release-notes   [version]  Write release notes from merg…
          research-brief             Research a question and write…
        ");
        insta::assert_snapshot!(shown(&picking, "/n").unwrap().trim_start(), @r"
        > /new           command    begin a new session
          release-notes  [version]  Write release notes from merge…
        ");
        assert!(shown(&picking, "write $rel").unwrap().starts_with("\n> release-notes"));
        assert_eq!(shown(&picking, "in /tmp"), None);
        assert_eq!(shown(&picking, "/nothing-like-it"), None);
    }

    #[test]
    fn keys_move_insert_send_and_close() {
        let picking = picking();
        // It takes an argument, so that Enter inserts it.
        for action in [Action::Insert, Action::Send] {
            assert_eq!(press(&picking, action, "/re"), Some(Cmd::Complete));
            assert_eq!(picking.take_elected(), Some((0, "/release-notes ".to_owned())));
        }
        assert_eq!(press(&picking, Action::Move(1), "/re"), Some(Cmd::Repaint));
        assert!(shown(&picking, "/re").unwrap().contains("\n> research-brief"));
        assert_eq!(press(&picking, Action::Send, "/re"), Some(Cmd::AcceptLine));
        assert_eq!(picking.take_chosen().as_deref(), Some("/research-brief"));
        assert_eq!(press(&picking, Action::Close, "/re"), Some(Cmd::Repaint));
        assert_eq!(shown(&picking, "/re"), None);
        assert!(shown(&picking, "/r").is_some(), "another line opens it again");
    }

    #[test]
    fn an_interrupt_discards_what_is_typed_and_goes_on_in_an_empty_line() {
        let picking = picking();
        assert!(matches!(press(&picking, Action::Clear, "/re"), Some(Cmd::Kill(_))));
        assert_eq!(press(&picking, Action::Clear, ""), None);
    }

    #[test]
    fn enter_sends_what_was_typed_unless_the_user_means_the_list() {
        let picking = picking();
        assert_eq!(press(&picking, Action::Send, "costs $rel"), None, "a sentence");
        assert_eq!(press(&picking, Action::Send, "/"), None, "a sign alone");
        assert_eq!(press(&picking, Action::Send, "/new"), None, "a whole word");
        press(&picking, Action::Move(1), "costs $rel");
        assert!(matches!(press(&picking, Action::Send, "costs $rel"), Some(Cmd::Complete)));
        assert_eq!(picking.take_chosen(), None);
    }
}
