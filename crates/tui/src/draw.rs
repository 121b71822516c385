//! Draws a state. Pure: the same state gives the same cells.

pub(crate) mod hit;
mod list;
mod matrix;
mod overlay;
mod page;

use crate::{
    state::{Screen, State},
    text::{columns, cut, thousands},
    theme::{Role, Theme},
};
pub(crate) use list::{Columns, item_line};
use ratatui::{
    Frame,
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};
use skillful::views::FolderTrust;

/// Draws the whole screen.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    // The window changed after the state was measured; the event about it comes next.
    if (area.width, area.height) != state.size {
        return;
    }
    let canvas = &mut Canvas { buffer: frame.buffer_mut(), area, theme: state.theme };
    if state.is_too_small() {
        let (width, height) = (area.width, area.height);
        let text = format!("Window too small ({width}×{height}), need 30×8");
        for (row, line) in crate::text::wrap(&text, usize::from(width)).iter().enumerate() {
            canvas.put(0, u16::try_from(row).unwrap_or(0), line, Role::Plain);
        }
        return;
    }
    match state.screen {
        Screen::List => list::draw(canvas, state),
        Screen::Matrix => matrix::draw(canvas, state),
        Screen::Detail => page::detail(canvas, state),
        Screen::Review => page::review(canvas, state),
        _ => page::plan(canvas, state),
    }
    overlay::draw(canvas, state);
    settle(canvas.buffer);
}

/// Replaces the characters whose columns terminals count differently. They would move the rest of their line, and parts of
/// them would stay on the screen.
pub(crate) fn settle(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        // The shortest of them has four bytes.
        if cell.symbol().len() >= 4
            && let Some(settled) = settled(cell.symbol())
        {
            cell.set_symbol(&settled);
        }
    }
}

/// A flag as its letters, a joined or coloured emoji as its first part, in the columns that were counted for it.
fn settled(symbol: &str) -> Option<String> {
    let letter = |c: char| {
        let place = u32::from(c).checked_sub(0x1f1e6).filter(|place| *place < 26)?;
        char::from_digit(place + 10, 36).map(|letter| letter.to_ascii_uppercase())
    };
    let joins =
        |c: char| matches!(c, '\u{200d}' | '\u{20e3}' | '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
    let first = symbol.chars().next()?;
    let mut shown: String = match letter(first) {
        Some(_) => symbol.chars().filter_map(letter).collect(),
        None if symbol.chars().skip(1).any(joins) => first.to_string(),
        None => return None,
    };
    while columns(&shown) < columns(symbol) {
        shown.push(' ');
    }
    Some(shown)
}

/// Cells of a screen.
pub(crate) struct Canvas<'b> {
    pub(crate) buffer: &'b mut Buffer,
    pub(crate) area: Rect,
    pub(crate) theme: Theme,
}

impl Canvas<'_> {
    pub(crate) fn width(&self) -> usize {
        usize::from(self.area.width)
    }

    pub(crate) fn put(&mut self, x: u16, y: u16, text: &str, role: Role) {
        self.style(x, y, text, self.theme.style(role));
    }

    pub(crate) fn style(&mut self, x: u16, y: u16, text: &str, style: Style) {
        if x < self.area.width && y < self.area.height {
            let room = usize::from(self.area.width - x);
            self.buffer.set_stringn(x, y, text, room, style);
        }
    }

    /// A line at a place, at most this many columns of it.
    pub(crate) fn line(&mut self, x: u16, y: u16, line: &Line<'_>, width: u16) {
        if x >= self.area.width || y >= self.area.height {
            return;
        }
        let room = width.min(self.area.width - x);
        self.buffer.set_line(x, y, line, room);
        // A page that was made for a wider window is drawn until the new one is ready.
        if line.width() > usize::from(room) && room > 0 {
            self.buffer[(x + room - 1, y)].set_symbol("…");
        }
    }

    /// A text that ends at the right edge of the screen.
    pub(crate) fn right(&mut self, y: u16, text: &str, role: Role) {
        let wide = u16::try_from(columns(text)).unwrap_or(0);
        self.put(self.area.width.saturating_sub(wide), y, text, role);
    }

    pub(crate) fn rule(&mut self, y: u16) {
        let rule = self.theme.rule().repeat(self.width());
        self.put(0, y, &rule, Role::Quiet);
    }

    pub(crate) fn reverse(&mut self, x: u16, y: u16, width: u16) {
        if y < self.area.height && x < self.area.width {
            let area = Rect { x, y, width: width.min(self.area.width - x), height: 1 };
            self.buffer.set_style(area, Style::new().add_modifier(ratatui::style::Modifier::REVERSED));
        }
    }

    /// The line above the keys, and the keys.
    pub(crate) fn foot(&mut self, state: &State, right: &str) {
        let last = self.area.height - 1;
        let role = if state.message.is_problem { Role::Attention } else { Role::Plain };
        let room = self.width().saturating_sub(columns(right) + 2);
        let busy = if state.busy > 0 && state.message.text.is_empty() { "working…" } else { "" };
        let text = cut(&format!("{busy}{}", state.message.text), room);
        self.put(0, last - 1, &text, role);
        self.right(last - 1, right, Role::Quiet);
        let mut x = 0;
        for (key, label) in state.keys.bottom(state.screen.place(), self.width()) {
            self.put(x, last, key, Role::Action);
            x += u16::try_from(columns(key) + 1).unwrap_or(0);
            self.put(x, last, label, Role::Plain);
            x += u16::try_from(columns(label) + 2).unwrap_or(0);
        }
    }

    /// The first line: where, whether it is trusted, how many.
    pub(crate) fn head(&mut self, state: &State) {
        let Some(snapshot) = &state.snapshot else {
            self.put(0, 0, "Skillful", Role::Heading);
            return;
        };
        let attention =
            snapshot.items.iter().filter(|item| item.needs_attention).count() + state.updates.len();
        let total = crate::text::count(snapshot.items.len(), "skill");
        let right = match attention {
            0 => format!("{total}, no problems found"),
            1 => format!("{total}, 1 needs attention"),
            many => format!("{total}, {} need attention", thousands(many)),
        };
        let right = if columns(&right) + 30 > self.width() { total } else { right };
        let (trust, role) = match snapshot.matrix.trust {
            FolderTrust::NoRepository => ("not a repository", Role::Quiet),
            FolderTrust::NoSkills => ("", Role::Quiet),
            FolderTrust::Trusted => ("trusted", Role::Plain),
            FolderTrust::Untrusted => ("UNTRUSTED", Role::Attention),
        };
        let room = self.width().saturating_sub(columns(&right) + columns(trust) + 14);
        let folder = cut(&snapshot.folder, room);
        self.put(0, 0, "Skillful", Role::Heading);
        self.put(10, 0, &folder, Role::Plain);
        let x = u16::try_from(12 + columns(&folder)).unwrap_or(0);
        self.put(x, 0, trust, role);
        self.right(0, &right, if attention > 0 { Role::Attention } else { Role::Plain });
        if state.is_wide() {
            let agents =
                snapshot.matrix.agents.iter().map(|agent| format!("{} {}", agent.title, agent.loads));
            let agents: Vec<String> = agents.collect();
            let start = usize::from(x) + columns(trust) + 4;
            let room = self.width().saturating_sub(start + columns(&right) + 3);
            self.put(u16::try_from(start).unwrap_or(0), 0, &cut(&agents.join("   "), room), Role::Quiet);
        }
    }

    /// The search, the filters and the order.
    pub(crate) fn search(&mut self, state: &State, y: u16) {
        let list = &state.list;
        self.put(0, y, "/", Role::Action);
        if list.query.is_empty() && !state.searching {
            self.put(2, y, "type to search", Role::Quiet);
        } else {
            let cursor = if state.searching { "_" } else { "" };
            let room = self.width().saturating_sub(24);
            let text = list.query.clone() + cursor;
            // The end of a long query is what the user types at.
            let shown = if columns(&text) > room {
                let skip = text.chars().count().saturating_sub(room.saturating_sub(1));
                format!("…{}", text.chars().skip(skip).collect::<String>())
            } else {
                text
            };
            self.put(2, y, &shown, Role::Plain);
            self.right(
                y,
                &format!("{} of {}", thousands(list.shown.len()), thousands(list.items.len())),
                Role::Plain,
            );
            return;
        }
        for (x, filter, text) in hit::filters(state) {
            let is_on = filter == list.filter;
            self.put(x, y, &text, if is_on { Role::Heading } else { Role::Quiet });
        }
        if state.size.0 >= 72 {
            self.right(y, &format!("sort {}", list.sort.word()), Role::Quiet);
        }
    }

    /// Tabs with the open one in brackets.
    pub(crate) fn tabs(&mut self, x: u16, y: u16, titles: &[(u16, String)], open: usize) {
        for (at, (offset, title)) in titles.iter().enumerate() {
            self.put(x + offset, y, title, if at == open { Role::Heading } else { Role::Quiet });
        }
    }
}

/// A line with a part of its characters underlined.
pub(crate) fn underlined(text: &str, positions: &[u32], style: Style, theme: Theme) -> Vec<Span<'static>> {
    if positions.is_empty() {
        return vec![Span::styled(text.to_owned(), style)];
    }
    let found = style.patch(theme.style(Role::Found));
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (at, c) in text.chars().enumerate() {
        let is_found = u32::try_from(at).is_ok_and(|at| positions.binary_search(&at).is_ok());
        let style = if is_found { found } else { style };
        match spans.last_mut().filter(|last| last.style == style) {
            Some(last) => last.content.to_mut().push(c),
            None => spans.push(Span::styled(c.to_string(), style)),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_terminals_count_differently_are_replaced_in_the_same_columns() {
        for (symbol, shown) in [
            ("\u{1f1e9}\u{1f1ea}", Some("DE")),
            ("\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}", Some("\u{1f469}")),
            ("\u{1f44d}\u{1f3fd}", Some("\u{1f44d}")),
            ("\u{2764}\u{fe0f}", Some("\u{2764} ")),
            ("e\u{301}\u{302}", None),
            ("\u{65e5}", None),
            ("\u{1f600}", None),
        ] {
            assert_eq!(settled(symbol).as_deref(), shown, "{symbol}");
            assert_eq!(shown.map_or(columns(symbol), columns), columns(symbol), "{symbol}");
        }
        let mut buffer = Buffer::with_lines(["to \u{1f1e9}\u{1f1ea} and back"]);
        settle(&mut buffer);
        assert_eq!(buffer[(3, 0)].symbol(), "DE");
    }
}
