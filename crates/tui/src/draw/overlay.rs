//! What lies over the screen: help, actions, a name to type.

use super::Canvas;
use crate::{
    keys::Keys,
    state::{Overlay, State},
    text::{columns, cut, fixed, wrap},
    theme::Role,
};
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget as _};
use skillful::visible::sentence;

pub(super) fn draw(canvas: &mut Canvas<'_>, state: &State) {
    match &state.overlay {
        None => {}
        Some(Overlay::Help { filter }) => help(canvas, &state.keys, filter),
        Some(Overlay::Actions { cursor }) => actions(canvas, state, *cursor),
        Some(Overlay::TypeName { typed }) => type_name(canvas, state, typed),
        Some(Overlay::NewSkill { typed }) => {
            let question = format!("name of the new skill, such as release-notes: {}_", sentence(typed));
            ask(canvas, &question, Role::Plain, "enter create   esc do not");
        }
    }
}

fn clear(canvas: &mut Canvas<'_>, top: u16) {
    let Rect { width, height, .. } = canvas.area;
    Clear.render(Rect { x: 0, y: top, width, height: height - top }, canvas.buffer);
}

/// The keys by group, those that a filter keeps.
pub(crate) fn help_lines(keys: &Keys, filter: &str, width: usize) -> Vec<(String, String)> {
    let filter = filter.to_lowercase();
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for binding in keys.all().iter().filter(|binding| !binding.shown.is_empty()) {
        let text = format!("{} {}", binding.shown, binding.label);
        if !filter.is_empty()
            && !text.to_lowercase().contains(&filter)
            && !binding.group.to_lowercase().contains(&filter)
        {
            continue;
        }
        match groups.last_mut().filter(|(group, _)| *group == binding.group) {
            Some((_, texts)) => texts.push(text),
            None => groups.push((binding.group, vec![text])),
        }
    }
    for (group, texts) in groups {
        let mut line = String::new();
        let mut label = group.to_owned();
        for text in texts {
            if !line.is_empty() && columns(&line) + columns(&text) + 3 > width.saturating_sub(9) {
                lines.push((std::mem::take(&mut label), std::mem::take(&mut line)));
            }
            if !line.is_empty() {
                line.push_str("   ");
            }
            line.push_str(&text);
        }
        lines.push((label, line));
    }
    lines
}

fn help(canvas: &mut Canvas<'_>, keys: &Keys, filter: &str) {
    clear(canvas, 0);
    canvas.put(0, 0, "Help", Role::Heading);
    let shown = if filter.is_empty() { "type to filter".to_owned() } else { format!("{filter}_") };
    canvas.put(7, 0, &format!("/ {shown}"), Role::Plain);
    canvas.right(0, "esc close", Role::Quiet);
    let lines = help_lines(keys, filter, canvas.width());
    for (y, (group, line)) in (2..).zip(&lines) {
        canvas.put(0, y, group, Role::Heading);
        canvas.put(9, y, line, Role::Plain);
    }
    if lines.is_empty() {
        canvas.put(0, 2, "No key matches.", Role::Plain);
    }
    let y = u16::try_from(lines.len()).unwrap_or(0) + 3;
    let search = "Search: fuzzy over names, then words of descriptions and texts. state: scope: agent: missing: source: \
                  narrow it, such as state:pending or missing:codex. Esc clears, Enter keeps it.";
    if filter.is_empty() {
        for (y, line) in (y..).zip(wrap(search, canvas.width())) {
            canvas.put(0, y, &line, Role::Quiet);
        }
    }
}

fn actions(canvas: &mut Canvas<'_>, state: &State, cursor: usize) {
    let actions = state.actions();
    let rows = u16::try_from(actions.len()).unwrap_or(0) + 2;
    let top = canvas.area.height.saturating_sub(rows);
    clear(canvas, top);
    canvas.rule(top);
    let name = state.list.selected_item().map_or("", |item| item.name.as_str());
    canvas.put(2, top, &format!(" {} ", cut(name, canvas.width().saturating_sub(6))), Role::Heading);
    for (at, (y, (_, key, label, why_not))) in (top + 1..).zip(&actions).enumerate() {
        let role = if why_not.is_some() { Role::Quiet } else { Role::Plain };
        let why = why_not.as_ref().map_or_else(String::new, |why| format!("   {why}"));
        canvas.put(0, y, if at == cursor { ">" } else { " " }, Role::Plain);
        canvas.put(2, y, &fixed(key, 6), Role::Action);
        canvas.put(9, y, &cut(&format!("{label}{why}"), canvas.width().saturating_sub(9)), role);
        if at == cursor {
            canvas.reverse(0, y, canvas.area.width);
        }
    }
    canvas.put(0, canvas.area.height - 1, "enter do it   esc close", Role::Quiet);
}

fn type_name(canvas: &mut Canvas<'_>, state: &State, typed: &str) {
    let name = state.reviews.card.as_ref().map(|card| sentence(&card.card.item.name));
    let question = format!("type \"{}\" to approve it anyway: {typed}_", name.unwrap_or_default());
    ask(canvas, &question, Role::Danger, "enter approve   esc do not");
}

/// A question with what was typed, and the keys that answer it, at the bottom.
fn ask(canvas: &mut Canvas<'_>, question: &str, role: Role, keys: &str) {
    let top = canvas.area.height.saturating_sub(3);
    clear(canvas, top);
    canvas.rule(top);
    for (y, line) in (top + 1..).zip(wrap(question, canvas.width()).iter().take(1)) {
        canvas.put(0, y, line, role);
    }
    canvas.put(0, top + 2, keys, Role::Quiet);
}
