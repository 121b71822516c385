//! Skills × agents: words, not symbols, and the reason of the selected cell.

use super::{
    Canvas,
    hit::{matrix_columns, matrix_names},
};
use crate::{
    keys::{Action, KeyPlace},
    state::State,
    text::{cut, fixed, wrap},
    theme::Role,
};
use skillful::{views::MatrixSkill, visible::sentence};

pub(super) fn draw(canvas: &mut Canvas<'_>, state: &State) {
    let Some(snapshot) = &state.snapshot else {
        canvas.head(state);
        return;
    };
    let height = canvas.area.height;
    let matrix = &snapshot.matrix;
    let differ = matrix.skills.iter().filter(|row| row.differs()).count();
    let key = state.keys.shown_in(KeyPlace::Matrix, Action::Different);
    let only = if state.only_different { format!("; only these, {key} shows all") } else { String::new() };
    let right = format!("{differ} of {} rows differ{only}", matrix.skills.len());
    canvas.put(0, 0, "Matrix", Role::Heading);
    let room = canvas.width().saturating_sub(right.len() + 10);
    canvas.put(8, 0, &cut(&snapshot.folder, room), Role::Plain);
    canvas.right(0, &right, Role::Plain);
    canvas.search(state, 1);
    canvas.rule(2);
    let (first, columns) = matrix_columns(state);
    canvas.put(2, 3, "SKILL", Role::Heading);
    for (at, (x, width)) in columns.iter().enumerate() {
        let title = matrix.agents.get(first + at).map_or("ASSISTANT", |agent| agent.title.as_str());
        canvas.put(*x, 3, &cut(&title.to_uppercase(), usize::from(*width)), Role::Heading);
    }
    let list = &state.list;
    let visible = list.shown.iter().enumerate().skip(list.offset).take(list.height);
    for (y, (at, row)) in (4..).zip(visible) {
        let (skill, item) = (&matrix.skills[*row], &list.items[*row]);
        let is_selected = at == list.cursor;
        canvas.put(0, y, if is_selected { ">" } else { " " }, Role::Plain);
        canvas.put(2, y, &fixed(&item.name, usize::from(matrix_names(state))), Role::Plain);
        for (column, (x, width)) in columns.iter().enumerate() {
            let (word, role) = cell(skill, first + column);
            canvas.put(*x, y, &fixed(word, usize::from(*width)), role);
            if is_selected && first + column == state.column {
                canvas.reverse(*x, y, *width);
            }
        }
    }
    if list.shown.is_empty() {
        canvas.put(2, 4, "No skill to show.  esc goes back to the list", Role::Plain);
    }
    canvas.rule(height - 6);
    reason(canvas, state, height - 5);
    canvas.foot(state, &list.window());
}

/// The word of a cell. The last column is Skillful itself.
fn cell(skill: &MatrixSkill, column: usize) -> (&str, Role) {
    let word = match skill.agents.get(column) {
        Some(cell) => cell.word.as_str(),
        None if skill.skill.state == "available" => "loads",
        None => skill.skill.state.as_str(),
    };
    let role = match word {
        "loads" => Role::Plain,
        "invalid" => Role::Danger,
        "misses" | "pending" | "untrusted" | "unavailable" => Role::Attention,
        _ => Role::Quiet,
    };
    (word, role)
}

fn reason(canvas: &mut Canvas<'_>, state: &State, top: u16) {
    let (Some(snapshot), Some(row), Some(item)) =
        (&state.snapshot, state.selected(), state.list.selected_item())
    else {
        return;
    };
    let text = match (snapshot.matrix.agents.get(state.column), row.agents.get(state.column)) {
        (Some(agent), Some(cell)) if cell.loads() => {
            let name = cell.name.as_ref().filter(|name| **name != row.skill.name);
            let name = name.map_or_else(String::new, |name| format!(" as {name}"));
            format!("{}, {}: loads it{name}", item.name, agent.title)
        }
        (Some(agent), Some(cell)) => {
            let why = cell.why.as_deref().unwrap_or("no reason is known");
            let fix = cell.fix.as_ref().map_or_else(String::new, |fix| format!(". fix: {fix}"));
            let verb = match cell.word.as_str() {
                "misses" => "misses it",
                "-" => "does not load it",
                word => word,
            };
            format!("{}, {}: {verb}. {why}{fix}", item.name, agent.title)
        }
        _ => {
            let why = row.skill.reasons.join("; ");
            let why = if why.is_empty() { String::new() } else { format!(". {why}") };
            let fix = row.skill.fix.as_ref().map_or_else(String::new, |fix| format!(". fix: {fix}"));
            format!("{}, Assistant: {}{why}{fix}", item.name, row.skill.state)
        }
    };
    let lines = wrap(&sentence(&text), canvas.width());
    for (y, line) in (top..).zip(lines.iter().take(3)) {
        canvas.put(0, y, line, Role::Plain);
    }
}
