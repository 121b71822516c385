//! The list, with the preview beside it or the facts below it.

use super::{Canvas, hit, underlined};
use crate::{
    item::{Badge, Item},
    keys::Action,
    list::{Query, matcher, positions},
    state::State,
    text::{columns, cut, fixed},
    theme::{Role, Theme},
};
use ratatui::text::{Line, Span};

/// Columns of the names at least, the states, the scopes and the agents.
const NAME: usize = 16;
const STATE: usize = 11;
const SCOPE: usize = 7;
const AGENTS: usize = 13;
/// The least room for a description.
const DESCRIPTION: usize = 10;
/// The room that a description keeps when names take more.
const GOOD_DESCRIPTION: usize = 32;

/// Columns of the names in a list of a width: they grow with the window, up to the longest name.
fn name_columns(longest: usize, width: usize, has_scope: bool) -> usize {
    let room = if has_scope {
        // Names get a little more than the agents.
        width.saturating_sub(2 + 2 + STATE + 2 + SCOPE + 2) * 11 / 20
    } else {
        width.saturating_sub(2 + 2 + STATE + 2 + AGENTS + 2 + GOOD_DESCRIPTION)
    };
    longest.min(room).max(NAME)
}

pub(super) fn draw(canvas: &mut Canvas<'_>, state: &State) {
    let height = canvas.area.height;
    if !state.is_roomy() {
        canvas.search_only(state);
        rows(canvas, state, 1, canvas.area.width, false);
        canvas.foot(state, &state.list.window());
        return;
    }
    canvas.head(state);
    canvas.search(state, 1);
    canvas.rule(2);
    let width = state.list_width();
    heads(canvas, state, width);
    rows(canvas, state, 4, width, true);
    if state.is_wide() {
        beside(canvas, state, width);
        canvas.rule(height - 3);
        let corners = canvas.theme.corners();
        canvas.put(width, 2, corners[0], Role::Quiet);
        canvas.put(width, height - 3, corners[1], Role::Quiet);
    } else {
        canvas.rule(height - 8);
        below(canvas, state, height - 7);
    }
    canvas.foot(state, &state.list.window());
}

impl Canvas<'_> {
    /// The first line of a window without room for more.
    fn search_only(&mut self, state: &State) {
        if state.list.query.is_empty() && !state.searching {
            let total = crate::text::count(state.list.items.len(), "skill");
            self.put(0, 0, &format!("Skillful  {total}"), Role::Heading);
        } else {
            self.search(state, 0);
        }
    }
}

/// Whether the list has the columns of a wide screen.
fn has_scope(state: &State) -> bool {
    state.is_wide()
}

fn heads(canvas: &mut Canvas<'_>, state: &State, width: u16) {
    let name = name_columns(state.list.longest, usize::from(width), has_scope(state));
    let mut line = format!("  {}  {}", fixed("NAME", name), fixed("STATE", STATE));
    if has_scope(state) {
        line += &format!("  {}  AGENTS", fixed("SCOPE", SCOPE));
    } else {
        line += &format!("  {}  DESCRIPTION", fixed("AGENTS", AGENTS));
    }
    canvas.put(0, 3, &cut(&line, usize::from(width)), Role::Heading);
}

fn rows(canvas: &mut Canvas<'_>, state: &State, top: u16, width: u16, full: bool) {
    let list = &state.list;
    if list.shown.is_empty() {
        empty(canvas, state, top);
        return;
    }
    let pattern = Query::parse(&list.query).pattern();
    let mut matcher = matcher();
    let visible = list.shown.iter().enumerate().skip(list.offset).take(list.height);
    for (y, (at, row)) in (top..).zip(visible) {
        let item = &list.items[*row];
        let found = pattern
            .as_ref()
            .map_or_else(Vec::new, |pattern| positions(pattern, item.name_chars.slice(..), &mut matcher));
        let badge = state
            .updates
            .get(&item.name)
            .map(|version| Badge { word: format!("update {version}"), role: Role::Attention });
        let columns = Columns {
            width: usize::from(width),
            name: name_columns(list.longest, usize::from(width), has_scope(state)),
            scope: full && has_scope(state),
            agents: full,
            body: list.bodies.get(row).filter(|_| found.is_empty() && !list.query.is_empty()),
        };
        let is_selected = at == list.cursor;
        let line = item_line(item, badge.as_ref(), is_selected, &found, &columns, canvas.theme);
        canvas.line(0, y, &line, width);
        if is_selected {
            canvas.reverse(0, y, width);
        }
    }
}

/// Which columns a row has.
pub(crate) struct Columns<'a> {
    pub(crate) width: usize,
    /// Columns of the name, where agents follow.
    pub(crate) name: usize,
    pub(crate) scope: bool,
    pub(crate) agents: bool,
    /// The line of the body that matches, instead of the description.
    pub(crate) body: Option<&'a String>,
}

/// One row of a list.
pub(crate) fn item_line(
    item: &Item,
    badge: Option<&Badge>,
    is_selected: bool,
    found: &[u32],
    columns_of: &Columns<'_>,
    theme: Theme,
) -> Line<'static> {
    let badge = badge.unwrap_or(&item.badge);
    let quiet = if badge.role == Role::Quiet { Role::Quiet } else { Role::Plain };
    let plain = theme.style(quiet);
    let mut spans = vec![Span::raw(if is_selected { "> " } else { "  " })];
    // Where nothing follows, a name takes the room.
    let name =
        fixed(&item.name, if columns_of.agents { columns_of.name } else { NAME.max(columns_of.width / 3) });
    spans.extend(underlined(&name, found, plain, theme));
    spans.push(Span::raw("  "));
    let mut used = 4 + columns(&name);
    spans.push(Span::styled(fixed(&badge.word, STATE), theme.style(badge.role)));
    used += STATE;
    if columns_of.scope {
        spans.push(Span::styled(format!("  {}", fixed(&item.scope, SCOPE)), plain));
        used += SCOPE + 2;
    }
    if columns_of.agents {
        let room = if columns_of.scope { columns_of.width.saturating_sub(used + 2) } else { AGENTS };
        let agents = item.agents_text(columns_of.scope, room);
        let role = if agents == "-" { Role::Quiet } else { quiet };
        spans.push(Span::styled(format!("  {}", fixed(&agents, room)), theme.style(role)));
        used += room + 2;
    }
    let room = columns_of.width.saturating_sub(used + 2);
    if !columns_of.scope && room >= DESCRIPTION {
        let text = columns_of.body.map_or_else(|| item.description.clone(), |line| format!("body: {line}"));
        spans.push(Span::styled(format!("  {}", cut(&text, room)), plain));
    } else if let Some(body) = columns_of.body.filter(|_| columns_of.scope) {
        // The columns of a wide list have no description: the line replaces the agents.
        spans.pop();
        let room = columns_of.width.saturating_sub(4 + columns_of.name + STATE + SCOPE + 4);
        spans.push(Span::styled(format!("  {}", cut(&format!("body: {body}"), room)), plain));
    }
    Line::from(spans)
}

/// Why the list is empty.
fn empty(canvas: &mut Canvas<'_>, state: &State, top: u16) {
    let list = &state.list;
    let text = match (&state.snapshot, list.query.is_empty()) {
        (None, _) => "Reading skills…".to_owned(),
        (Some(_), true) if list.items.is_empty() => {
            let [new, starter] = [Action::New, Action::Starter].map(|action| state.keys.shown(action));
            format!(
                "No skills yet.  {new} new skill   {starter} install starter skills   skillful add SOURCE"
            )
        }
        (Some(_), true) => format!("No skill is in this filter ({}).  c clears it", list.filter.word()),
        (Some(_), false) => {
            let near =
                list.near().map_or_else(String::new, |(word, count)| format!(" Try: {word} ({count})"));
            let search = state.keys.shown(Action::SearchSources);
            let search = if state.searching { format!("enter, then {search}") } else { search.to_owned() };
            format!("No skill matches \"{}\".{near}   Search sources: {search}   esc clears", list.query)
        }
    };
    canvas.put(2, top, &cut(&text, canvas.width().saturating_sub(2)), Role::Plain);
}

/// The facts about the selected skill, below the list.
fn below(canvas: &mut Canvas<'_>, state: &State, top: u16) {
    let Some(item) = state.list.selected_item() else { return };
    let width = canvas.width();
    let preview = state.current_preview();
    let mut lines = vec![Line::styled(cut(&item.name, width), canvas.theme.style(Role::Heading))];
    if let Some(first) = preview.and_then(|preview| preview.facts.first()) {
        lines[0].push_span(Span::raw("   "));
        for span in first.spans.clone() {
            lines[0].push_span(span);
        }
        lines[0].spans = lines[0].spans.iter().map(|span| span.clone().patch_style(first.style)).collect();
        lines[0].spans[0] = Span::styled(cut(&item.name, width), canvas.theme.style(Role::Heading));
        lines[0].style = ratatui::style::Style::new();
    }
    lines.push(Line::raw(cut(&item.description, width)));
    lines.extend(preview.into_iter().flat_map(|preview| preview.facts.iter().skip(1).cloned()));
    for (y, line) in (top..).zip(lines.iter().take(5)) {
        canvas.line(0, y, line, canvas.area.width);
    }
}

/// The pages about the selected skill, beside the list.
fn beside(canvas: &mut Canvas<'_>, state: &State, left: u16) {
    let height = canvas.area.height;
    for y in 3..height - 3 {
        canvas.put(left, y, canvas.theme.bar(), Role::Quiet);
    }
    let (x, width) = (left + 2, canvas.area.width - left - 2);
    let Some(item) = state.list.selected_item() else { return };
    let badge = &item.badge;
    let room = usize::from(width).saturating_sub(columns(&badge.word) + 2);
    canvas.put(x, 3, &cut(&item.name, room), Role::Heading);
    canvas.right(3, &badge.word, badge.role);
    let Some(preview) = state.current_preview() else { return };
    canvas.tabs(x, 4, &hit::preview_tabs(preview, state.detail.tab, state.page_width()), state.detail.tab);
    let facts = u16::try_from(preview.facts.len()).unwrap_or(0).min(4);
    let end = height.saturating_sub(3 + facts);
    if let Some((_, lines)) = preview.tabs.get(state.detail.tab) {
        for (y, line) in (6..end.saturating_sub(1)).zip(lines) {
            canvas.line(x, y, line, width);
        }
    }
    for (y, line) in (end..).zip(preview.facts.iter().take(4)) {
        canvas.line(x, y, line, width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_room_that_descriptions_and_agents_do_not_need() {
        assert_eq!(name_columns(40, 80, false), NAME, "a description needs the rest of 80 columns");
        assert_eq!(name_columns(12, 119, false), NAME);
        assert_eq!(name_columns(30, 110, false), 30);
        assert_eq!(name_columns(40, 76, true), 27);
        assert_eq!(name_columns(20, 76, true), 20);
        assert_eq!(name_columns(40, 10, true), NAME, "a window without room does not underflow");
    }
}
