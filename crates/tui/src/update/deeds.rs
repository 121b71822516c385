//! Actions that change something, each with the command that does the same.

use super::{Effect, leave};
use crate::{
    job::Deed,
    keys::Action,
    state::{Overlay, Screen, State},
};
use skillful::{library::Scope, shell_word::shell_word};

pub(super) fn act(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Toggle => toggle(state),
        Action::Trust => {
            let folder = state.selected().filter(|row| row.skill.state == "untrusted" && !row.is_here());
            let folder = folder.and_then(|row| row.skill.path.parent().map(std::path::Path::to_path_buf));
            state.say("looking at the skills of this repository: skillful trust");
            carry_out(state, |width| Deed::PlanTrust { folder, width })
        }
        Action::Update => {
            let Some(row) = state.selected() else { return Vec::new() };
            let (name, scope) = (row.skill.name.clone(), scope_of(&row.skill.scope));
            state.say(format!("asking its source: skillful update {}", shown(&name)));
            carry_out(state, |width| Deed::PlanUpdate { name, scope, width })
        }
        Action::CheckUpdates => {
            state.say("asking the sources: skillful update --check");
            carry_out(state, |_| Deed::CheckUpdates)
        }
        Action::Fix => {
            fix(state);
            Vec::new()
        }
        Action::Editor => match state.selected() {
            Some(row) => vec![Effect::Edit(row.skill.path.to_path_buf())],
            None => Vec::new(),
        },
        Action::CopyMention => {
            let Some(row) = state.selected() else { return Vec::new() };
            let mention = format!("${}", row.skill.name);
            copy(state, mention)
        }
        Action::CopyPath => {
            let Some(row) = state.selected() else { return Vec::new() };
            let path = row.skill.path.text().into_owned();
            copy(state, path)
        }
        Action::Undo => match state.undo.pop() {
            Some(deed) => carry_out(state, |_| deed),
            None => Vec::new(),
        },
        Action::Approve => approve(state),
        Action::Reject => {
            let Some(pages) = &state.reviews.card else { return waits_for_card(state) };
            let card = Box::new(pages.card.clone());
            carry_out(state, |_| Deed::Reject { card })
        }
        Action::Yes => {
            let Some(deed) = state.plan.as_ref().and_then(|plan| plan.deed.clone()) else {
                state.warn("there is nothing to do; esc leaves");
                return Vec::new();
            };
            let mut effects = leave(state);
            effects.extend(carry_out(state, |_| deed));
            effects
        }
        _ => Vec::new(),
    }
}

fn carry_out(state: &mut State, deed: impl FnOnce(u16) -> Deed) -> Vec<Effect> {
    state.busy += 1;
    vec![Effect::Do(deed(state.size.0))]
}

fn shown(text: &str) -> String {
    skillful::visible::sentence(text)
}

/// Copies a text that its author wrote. A line end or an escape character would act where the user pastes it.
fn copy(state: &mut State, text: String) -> Vec<Effect> {
    if text.contains(|c: char| c.is_control() || skillful::visible::is_hidden(c)) {
        state.warn(format!("not copied, since it has hidden characters: {}", shown(&text)));
        return Vec::new();
    }
    state.say(format!("copied {}", shown(&text)));
    vec![Effect::Copy(text)]
}

fn scope_of(word: &str) -> Scope {
    if word == "project" { Scope::Project } else { Scope::User }
}

fn toggle(state: &mut State) -> Vec<Effect> {
    let Some(row) = state.selected() else { return Vec::new() };
    let enabled = row.skill.state == "disabled";
    let (row_name, path) = (row.skill.name.clone(), row.skill.path.to_path_buf());
    let verb = if enabled { "enable" } else { "disable" };
    state.say(format!("skillful {verb} {}", shown(&shell_word(&row_name))));
    carry_out(state, |_| Deed::Switch { row_name, path, enabled })
}

/// The command or the step that fixes the selected skill, or the selected cell of the matrix.
fn fix(state: &mut State) {
    let Some(row) = state.selected() else { return };
    let cell = row.agents.get(state.column).filter(|_| state.screen == Screen::Matrix);
    let text = match cell {
        Some(cell) => match (&cell.fix, &cell.why) {
            (Some(fix), _) => format!("fix: {fix}"),
            (None, Some(why)) => format!("no fix is known: {why}"),
            (None, None) => "no fix is needed".to_owned(),
        },
        None => row.skill.fix.as_ref().map_or_else(String::new, |fix| format!("fix: {fix}")),
    };
    state.say(shown(&text));
}

fn waits_for_card(state: &mut State) -> Vec<Effect> {
    state.warn("the card is being read");
    Vec::new()
}

fn approve(state: &mut State) -> Vec<Effect> {
    let Some(pages) = &state.reviews.card else { return waits_for_card(state) };
    if pages.card.is_blocked {
        state.overlay = Some(Overlay::TypeName { typed: String::new() });
        return Vec::new();
    }
    let card = Box::new(pages.card.clone());
    carry_out(state, |_| Deed::Approve { card, despite_findings: false })
}

/// The user typed a name to approve a skill with blocking findings.
pub(super) fn approve_typed(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::TypeName { typed }) = state.overlay.take() else { return Vec::new() };
    let Some(pages) = &state.reviews.card else { return Vec::new() };
    if typed != pages.card.item.name {
        let name = shown(&pages.card.item.name);
        state.warn(format!("not approved: the name is \"{name}\""));
        return Vec::new();
    }
    let card = Box::new(pages.card.clone());
    carry_out(state, |_| Deed::Approve { card, despite_findings: true })
}
