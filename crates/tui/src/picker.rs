//! The list of the interface as a question: one or several rows are chosen.

use crate::{
    draw::{Canvas, Columns, item_line, settle},
    error::UiError,
    item::Item,
    list::{List, Query, matcher, positions},
    terminal::{EndSignals, FullScreen, Input},
    text::cut,
    theme::{Role, Theme},
    update::Event,
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::Frame;
use std::{
    collections::BTreeSet,
    sync::{Arc, mpsc::channel},
};

/// A question whose answers are rows of a list.
#[derive(Clone, Debug)]
pub struct Picker {
    /// The question.
    pub title: String,
    /// The rows.
    pub items: Vec<Item>,
    /// Rows that are chosen before the user does anything; none makes it a question with one answer.
    pub chosen: Option<BTreeSet<usize>>,
    /// What is typed into the search before the user types.
    pub query: String,
    /// Colours and characters.
    pub theme: Theme,
}

/// Asks. Returns the selected rows, or none when the user left. The caller checks that there is a terminal.
pub fn pick(picker: Picker) -> Result<Option<Vec<usize>>, UiError> {
    let (send, receive) = channel();
    let mut screen = FullScreen::enter(false)?;
    let to_loop = send.clone();
    let _signals = EndSignals::start(move |_| drop(to_loop.send(None)))?;
    let _input = Input::start(move |event| send.send(event.ok()).is_ok())?;
    let mut state = PickerState::new(picker);
    loop {
        screen.draw(|frame| state.draw(frame))?;
        let Ok(Some(event)) = receive.recv() else { return Ok(None) };
        match state.update(&event) {
            Step::Ask => {}
            Step::Leave => return Ok(None),
            Step::Take(rows) => return Ok(Some(rows)),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Ask,
    Leave,
    Take(Vec<usize>),
}

struct PickerState {
    title: String,
    theme: Theme,
    list: List,
    chosen: Option<BTreeSet<usize>>,
    searching: bool,
}

impl PickerState {
    fn new(picker: Picker) -> Self {
        let Picker { title, items, chosen, query, theme } = picker;
        let mut list = List::new(Arc::new(items));
        let searching = !query.is_empty();
        list.query = query;
        list.apply();
        Self { title: skillful::visible::sentence(&title), theme, list, chosen, searching }
    }

    fn update(&mut self, event: &Event) -> Step {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.on_key(key),
            Event::Paste(text) if self.searching => {
                text.lines().next().unwrap_or_default().chars().for_each(|c| self.list.type_in(c));
                Step::Ask
            }
            _ => Step::Ask,
        }
    }

    fn on_key(&mut self, key: &KeyEvent) -> Step {
        let page = isize::try_from(self.list.height.max(2) - 1).unwrap_or(1);
        let (code, modifiers) = (key.code, key.modifiers - KeyModifiers::SHIFT);
        if (code, modifiers) == (KeyCode::Char('c'), KeyModifiers::CONTROL) {
            return Step::Leave;
        }
        match code {
            KeyCode::Esc if self.searching || !self.list.query.is_empty() => {
                self.searching = false;
                self.list.clear();
            }
            KeyCode::Enter => return self.take(),
            KeyCode::Backspace if self.searching => self.list.delete(),
            KeyCode::Char(c) if self.searching && modifiers.is_empty() => self.list.type_in(c),
            KeyCode::Esc | KeyCode::Char('q') => return Step::Leave,
            KeyCode::Up | KeyCode::Char('k') => self.list.step(-1),
            KeyCode::Down | KeyCode::Char('j') => self.list.step(1),
            KeyCode::PageUp => self.list.step(-page),
            KeyCode::PageDown => self.list.step(page),
            KeyCode::Tab | KeyCode::Char(' ') => self.toggle(),
            KeyCode::Char('/') => self.searching = true,
            KeyCode::Char('a') => self.toggle_all(),
            KeyCode::Char('g') | KeyCode::Home => self.list.go(0),
            KeyCode::Char('G') | KeyCode::End => self.list.go(usize::MAX),
            _ => {}
        }
        Step::Ask
    }

    fn take(&self) -> Step {
        match (&self.chosen, self.list.selected()) {
            (Some(chosen), _) if chosen.is_empty() => Step::Ask,
            (Some(chosen), _) => Step::Take(chosen.iter().copied().collect()),
            (None, Some(row)) => Step::Take(vec![row]),
            (None, None) => Step::Ask,
        }
    }

    fn toggle(&mut self) {
        if let (Some(chosen), Some(row)) = (&mut self.chosen, self.list.selected())
            && !chosen.remove(&row)
        {
            chosen.insert(row);
        }
    }

    /// Chooses all rows that are shown; when all are, none of them.
    fn toggle_all(&mut self) {
        let Some(chosen) = &mut self.chosen else { return };
        let all = self.list.shown.iter().all(|row| chosen.contains(row));
        for row in &self.list.shown {
            if all {
                chosen.remove(row);
            } else {
                chosen.insert(*row);
            }
        }
    }

    fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let theme = self.theme;
        self.list.height = usize::from(area.height.saturating_sub(4));
        self.list.follow();
        let canvas = &mut Canvas { buffer: frame.buffer_mut(), area, theme };
        canvas.put(0, 0, &cut(&self.title, canvas.width()), Role::Heading);
        if self.searching || !self.list.query.is_empty() {
            let cursor = if self.searching { "_" } else { "" };
            canvas.put(0, 1, &format!("/ {}{cursor}", self.list.query), Role::Plain);
        } else {
            canvas.put(0, 1, "/ type to search", Role::Quiet);
        }
        let pattern = Query::parse(&self.list.query).pattern();
        let mut matcher = matcher();
        let visible = self.list.shown.iter().enumerate().skip(self.list.offset).take(self.list.height);
        for (y, (at, row)) in (2..).zip(visible) {
            let item = &self.list.items[*row];
            let found = pattern
                .as_ref()
                .map_or_else(Vec::new, |pattern| positions(pattern, item.name_chars.slice(..), &mut matcher));
            let left: u16 = if self.chosen.is_some() { 6 } else { 0 };
            let columns = Columns {
                width: canvas.width().saturating_sub(usize::from(left)),
                name: 0,
                scope: false,
                agents: false,
                body: None,
            };
            let is_selected = at == self.list.cursor;
            let line = item_line(item, None, is_selected && left == 0, &found, &columns, theme);
            canvas.line(left.saturating_sub(if left > 0 { 2 } else { 0 }), y, &line, canvas.area.width);
            if let Some(chosen) = &self.chosen {
                let mark = if chosen.contains(row) { "[x]" } else { "[ ]" };
                canvas.put(0, y, if is_selected { ">" } else { " " }, Role::Plain);
                canvas.put(2, y, mark, Role::Plain);
            }
            if is_selected {
                canvas.reverse(0, y, canvas.area.width);
            }
        }
        if self.list.shown.is_empty() {
            canvas.put(2, 2, "Nothing matches.  esc clears", Role::Plain);
        }
        let keys = match &self.chosen {
            Some(chosen) if chosen.is_empty() => "space select   a all   esc cancel   select one to continue",
            Some(_) => "space select   a all   enter continue   esc cancel",
            None => "enter choose   esc cancel",
        };
        let last = area.height.saturating_sub(1);
        canvas.put(0, last, &cut(keys, canvas.width()), Role::Quiet);
        canvas.right(last.saturating_sub(1), &self.list.window(), Role::Quiet);
        settle(canvas.buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Badge;
    use ratatui::{Terminal, backend::TestBackend};

    fn key(code: KeyCode) -> Event {
        Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn picker(chosen: Option<BTreeSet<usize>>) -> PickerState {
        let blocked = Badge { word: "BLOCKED".to_owned(), role: Role::Danger };
        let items = vec![
            Item::new("changelog", Badge::default(), "Keep a changelog."),
            Item::new("db-review", Badge::default(), "Review migrations\nbefore they run."),
            Item::new("evil\u{202e}\u{1b}[2J", blocked, "Looks harmless\u{200b}."),
        ];
        let theme = Theme::default();
        PickerState::new(Picker {
            title: "Fetched acme/skills, 3 skills".into(),
            items,
            chosen,
            query: String::new(),
            theme,
        })
    }

    fn screen(picker: &mut PickerState) -> String {
        let mut terminal = Terminal::new(TestBackend::new(60, 7)).unwrap();
        terminal.draw(|frame| picker.draw(frame)).unwrap();
        let buffer = terminal.backend().buffer().clone();
        let row = |y: u16| {
            (0..60).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>().trim_end().to_owned()
        };
        (0..7).map(|y| row(y) + "\n").collect()
    }

    #[test]
    fn several_rows_are_chosen_and_hostile_names_are_inert() {
        let mut picker = picker(Some(BTreeSet::from([0])));
        assert_eq!(picker.update(&key(KeyCode::Down)), Step::Ask);
        picker.update(&key(KeyCode::Char(' ')));
        insta::assert_snapshot!(screen(&mut picker), @r"
        Fetched acme/skills, 3 skills
        / type to search
          [x] changelog                        Keep a changelog.
        > [x] db-review                        Review migrations…
          [ ] evil<U+202E><U+00…  BLOCKED      Looks harmless<U+2…
                                                               1-3/3
        space select   a all   enter continue   esc cancel
        ");
        assert_eq!(picker.update(&key(KeyCode::Enter)), Step::Take(vec![0, 1]));
        picker.update(&key(KeyCode::Char('a')));
        assert_eq!(picker.update(&key(KeyCode::Enter)), Step::Take(vec![0, 1, 2]));
        picker.update(&key(KeyCode::Char('a')));
        assert_eq!(picker.update(&key(KeyCode::Enter)), Step::Ask, "nothing is chosen");
        assert_eq!(picker.update(&key(KeyCode::Esc)), Step::Leave);
    }

    #[test]
    fn a_search_narrows_and_esc_clears_it_before_it_leaves() {
        let mut picker = picker(None);
        for c in "/dbr".chars() {
            picker.update(&key(KeyCode::Char(c)));
        }
        assert_eq!(picker.list.shown, [1]);
        assert_eq!(picker.update(&key(KeyCode::Esc)), Step::Ask);
        assert_eq!(picker.list.shown, [0, 1, 2]);
        assert_eq!(picker.update(&key(KeyCode::Enter)), Step::Take(vec![1]));
    }
}
