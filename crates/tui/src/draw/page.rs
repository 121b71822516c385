//! Screens that are one page: a skill, a review, a plan.

use super::{Canvas, hit};
use crate::{
    state::{Screen, State},
    text::{columns, cut},
    theme::Role,
};
use ratatui::text::Line;

pub(super) fn detail(canvas: &mut Canvas<'_>, state: &State) {
    let Some(item) = state.list.selected_item() else {
        canvas.put(0, 0, "No skill is selected.", Role::Plain);
        canvas.foot(state, "");
        return;
    };
    let badge = &item.badge;
    canvas.put(0, 0, &cut(&item.name, canvas.width() / 2), Role::Heading);
    let x = u16::try_from(columns(&cut(&item.name, canvas.width() / 2)) + 3).unwrap_or(0);
    let reasons = state.selected().map(|row| row.skill.reasons.join("; ")).unwrap_or_default();
    let reasons = skillful::visible::sentence(&reasons);
    let state_text =
        if reasons.is_empty() { badge.word.clone() } else { format!("{}: {reasons}", badge.word) };
    let room = canvas.width().saturating_sub(usize::from(x) + 11);
    canvas.put(x, 0, &cut(&state_text, room), badge.role);
    canvas.right(0, "esc back", Role::Quiet);
    let Some(preview) = state.current_preview() else {
        canvas.put(0, 2, "Reading…", Role::Quiet);
        canvas.foot(state, "");
        return;
    };
    canvas.tabs(0, 1, &hit::preview_tabs(preview, state.detail.tab, state.page_width()), state.detail.tab);
    canvas.rule(2);
    let lines = preview.tabs.get(state.detail.tab).map_or(&[][..], |(_, lines)| lines);
    let window = body(canvas, state, lines, state.detail.top);
    canvas.foot(state, &window);
}

pub(super) fn review(canvas: &mut Canvas<'_>, state: &State) {
    let reviews = &state.reviews;
    let total = reviews.items.as_ref().map_or(0, Vec::len);
    let number = if total == 0 { String::new() } else { format!(" {} of {total}", reviews.at + 1) };
    let head = format!("Review{number}");
    canvas.put(0, 0, &head, Role::Heading);
    let x = columns(&head) + 3;
    if let Some(why) = &reviews.failed {
        canvas.put(0, 2, &cut(why, canvas.width()), Role::Attention);
        canvas.foot(state, "");
        return;
    }
    let Some(card) = &reviews.card else {
        let text = match &reviews.items {
            Some(items) if items.is_empty() => "Nothing to review.",
            _ => "Reading…",
        };
        canvas.put(0, 2, text, Role::Plain);
        canvas.foot(state, "");
        return;
    };
    let gained = card.card.card.gained.len();
    let more = if card.card.card.is_change && gained > 0 {
        format!("can do more: {gained} new")
    } else {
        String::new()
    };
    let more = if card.card.is_blocked { "BLOCKED".to_owned() } else { more };
    let room = canvas.width().saturating_sub(x + columns(&more) + 2);
    canvas.put(u16::try_from(x).unwrap_or(0), 0, &cut(&card.title, room), Role::Plain);
    canvas.right(0, &more, if card.card.is_blocked { Role::Danger } else { Role::Attention });
    canvas.tabs(0, 1, &hit::card_tabs(card, reviews.scroll.tab), reviews.scroll.tab);
    canvas.rule(2);
    let lines = card.tabs.get(reviews.scroll.tab).map_or(&[][..], |(_, lines)| lines);
    let window = body(canvas, state, lines, reviews.scroll.top);
    canvas.foot(state, &window);
}

pub(super) fn plan(canvas: &mut Canvas<'_>, state: &State) {
    let Some(plan) = &state.plan else { return };
    canvas.put(0, 0, &cut(&plan.title, canvas.width()), Role::Heading);
    let role = if plan.deed.is_some() { Role::Action } else { Role::Quiet };
    let key = state.keys.shown_in(state.screen.place(), crate::keys::Action::Yes);
    let yes = if plan.deed.is_some() { format!("{key} {}", plan.yes) } else { plan.yes.clone() };
    let leave = if state.screen == Screen::Answer { "esc back" } else { "esc no" };
    let yes = if yes.is_empty() { leave.to_owned() } else { format!("{yes}   {leave}") };
    canvas.put(0, 1, &cut(&yes, canvas.width()), role);
    canvas.rule(2);
    let window = body(canvas, state, &plan.lines, state.plan_top);
    canvas.foot(state, &window);
}

/// The visible lines of a page; returns where they are in it.
fn body(canvas: &mut Canvas<'_>, state: &State, lines: &[Line<'static>], top: usize) -> String {
    let height = state.page_height();
    for (y, line) in (3..).zip(lines.iter().skip(top).take(height)) {
        canvas.line(0, y, line, canvas.area.width);
    }
    if lines.len() <= height {
        return String::new();
    }
    format!("{}-{}/{}", top + 1, (top + height).min(lines.len()), lines.len())
}
