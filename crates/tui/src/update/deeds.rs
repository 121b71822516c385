//! Actions that change something, each with the command that does the same.

use super::{Effect, leave};
use crate::{
    job::Deed,
    keys::Action,
    list::Query,
    state::{AGENTS_TAB, Overlay, Screen, State},
};
use skillful::{
    library::{FixRequest, Scope},
    shell_word::shell_word,
};

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
        Action::Fix => fix(state),
        Action::Remove => {
            let Some(row) = state.selected() else { return Vec::new() };
            let (name, scope) = (row.skill.name.clone(), scope_of(&row.skill.scope));
            state.say(format!("looking for its files: skillful remove {}", shown(&shell_word(&name))));
            carry_out(state, |width| Deed::PlanRemove { name, scope, width })
        }
        Action::SearchSources => {
            let words = Query::parse(&state.list.query).words.join(" ");
            let command = format!("skillful search {} --sources", shell_word(&words));
            state.say(format!("asking your sources: {}", shown(&command)));
            carry_out(state, |width| Deed::SearchSources { words, width })
        }
        Action::Agents => {
            state.say("looking at the agents: skillful");
            carry_out(state, |width| Deed::ShowAgents { width })
        }
        Action::Starter => {
            state.say("looking at the starter skills: skillful starter install");
            carry_out(state, |width| Deed::PlanStarter { width })
        }
        Action::FixColumn => {
            let agents = state.snapshot.as_ref().map(|snapshot| &snapshot.matrix.agents);
            let Some(agent) = agents.and_then(|agents| agents.get(state.column)) else { return Vec::new() };
            let id = agent.id.clone();
            state.say(format!("looking for what it misses: skillful view --agent {id} --fix"));
            plan_fix(state, FixRequest::Missed(id))
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

/// Fixes the selected skill, or what the selected agent of the matrix makes of it.
fn fix(state: &mut State) -> Vec<Effect> {
    let Some(row) = state.selected() else { return Vec::new() };
    let file = row.skill.path.to_path_buf();
    let is_about_agents = match state.screen {
        Screen::Matrix => row.agents.get(state.column).is_some(),
        Screen::Detail => state.detail.tab == AGENTS_TAB && !state.agents_to_fix().is_empty(),
        _ => false,
    };
    if !is_about_agents {
        match row.skill.state.as_str() {
            "invalid" => {
                state.say("looking for a repair: skillful check --fix");
                return plan_fix(state, FixRequest::File(file));
            }
            "untrusted" => return act(state, Action::Trust),
            "pending" => return super::act(state, Action::Review),
            "disabled" => return toggle(state),
            _ => {
                if let Some(fix) = &row.skill.fix {
                    let text = shown(&format!("this needs you: {fix}"));
                    state.say(text);
                    return Vec::new();
                }
            }
        }
    }
    let agents = state.agents_to_fix();
    state.say("looking for a fix: skillful view --fix");
    plan_fix(state, FixRequest::Agents { file, agents })
}

fn plan_fix(state: &mut State, request: FixRequest) -> Vec<Effect> {
    carry_out(state, |width| Deed::PlanFix { request, width })
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

/// The user typed the name of a new skill.
pub(super) fn create_typed(state: &mut State) -> Vec<Effect> {
    let Some(Overlay::NewSkill { typed }) = state.overlay.take() else { return Vec::new() };
    let name = typed.trim().to_owned();
    if name.is_empty() {
        return Vec::new();
    }
    state.say(format!("creating it: skillful new {}", shown(&shell_word(&name))));
    carry_out(state, |_| Deed::Create { name })
}
