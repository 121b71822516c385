//! Why a skill is not used, for its user: the state, the reasons and the command that changes it. A model gets
//! the same answer for a hidden skill and for a missing one ([`Refusal::message`]); a user gets the state.

use crate::{
    shell_word::shell_word,
    workspace::{PendingDownload, Workspace},
};
use serde::Serialize;
use skillful_catalog::{
    Entry, Scope, SkillState,
    access::{Refusal, Way},
    entry::{DisabledBy, SeenBy},
    gate::Reason,
    profile::RootKind,
    settings::RuleOwner,
    state::{PendingReason, UntrustedReason},
};
use skillful_format::path_text;

/// Why a skill that a user named is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unusable {
    /// The skill, or the word that means none.
    pub skill: String,
    /// Its state; none when no such skill exists.
    pub state: Option<SkillState>,
    /// Every reason, one sentence each.
    pub reasons: Vec<String>,
    /// The command that changes it.
    pub fix: Option<String>,
}

impl Unusable {
    /// What did not happen, in a sentence, to a user who wanted to call the skill in a way.
    pub fn message(&self, way: Way) -> String {
        let done = if way == Way::Execute { "run" } else { "used" };
        match &self.state {
            None => format!("no skill named `{}`", self.skill),
            Some(SkillState::Available) => format!("{} cannot be called this way", self.skill),
            Some(state) => format!("{} is {} and was not {done}", self.skill, state.word()),
        }
    }

    /// The option that lets one call use the skill without a lasting answer, where there is one.
    pub fn option_for_one_call(&self) -> Option<&'static str> {
        let is_repository =
            matches!(self.state, Some(SkillState::Untrusted { why: UntrustedReason::Repository }));
        is_repository.then_some("--trust-project")
    }
}

impl Workspace {
    /// A refusal of the gate in the words of the user.
    pub fn unusable(&self, refusal: &Refusal) -> Unusable {
        let catalog = self.catalog();
        let Some((at, verdict)) = &refusal.skill else {
            let is_named = |pending: &&PendingDownload| pending.name == refusal.word;
            if let Some(pending) = self.pending_downloads().iter().find(is_named) {
                let state = pending.state();
                return Unusable {
                    skill: refusal.word.clone(),
                    reasons: state.reasons(),
                    state: Some(state),
                    fix: Some(format!("skillful review {}", refusal.word)),
                };
            }
            let near = refusal.near.first();
            return Unusable {
                skill: refusal.word.clone(),
                state: None,
                reasons: vec![crate::numbers::searched(
                    catalog.entries.len(),
                    catalog.roots.iter().filter(|root| root.present).count(),
                )],
                fix: Some(
                    near.map_or_else(|| "skillful list".to_owned(), |near| format!("did you mean `{near}`?")),
                ),
            };
        };
        let entry = &catalog.entries[*at];
        let state = self.state(*at);
        let mut reasons = state.reasons();
        if reasons.is_empty() {
            reasons = verdict.reasons.iter().map(for_user).collect();
        }
        let fix = fix(&state, entry).or_else(|| gate_fix(&verdict.reasons, entry));
        Unusable { skill: entry.address(), state: Some(state), reasons, fix }
    }
}

/// The command that changes a state, where there is one.
pub fn fix(state: &SkillState, entry: &Entry) -> Option<String> {
    let name = entry.address();
    let path = path_text(&entry.origin.file);
    if let Some(SeenBy::Missed { fix, .. }) = &entry.seen_by {
        return fix.clone();
    }
    Some(match state {
        SkillState::Available
        | SkillState::Disabled { disabled: DisabledBy::Rule { owner: RuleOwner::Managed } } => return None,
        SkillState::Unavailable { .. } => format!("skillful doctor {name}"),
        SkillState::Disabled { disabled: DisabledBy::Rule { owner: RuleOwner::Project } } => {
            format!("skillful enable --project {name}")
        }
        SkillState::Disabled { disabled: DisabledBy::Rule { .. } } => format!("skillful enable {name}"),
        SkillState::Disabled { disabled: DisabledBy::Place(_) } => {
            format!("skillful enable {}", shell_word(&path_text(entry.folder())))
        }
        SkillState::Disabled { .. } => "skillful config".to_owned(),
        // Trust of the repository does not find what only a path, an option or one agent's own rules lead to.
        SkillState::Untrusted { .. } if entry.origin.kind != RootKind::Commands && !is_found(entry) => {
            format!("skillful trust {}", shell_word(&path_text(entry.folder())))
        }
        SkillState::Untrusted { .. } => "skillful trust".to_owned(),
        SkillState::Pending { why: PendingReason::NoRecord { .. } } => "skillful doctor".to_owned(),
        SkillState::Pending { .. } => format!("skillful review {name}"),
        SkillState::Shadowed { .. } => format!("name its file: {path}"),
        SkillState::Invalid { .. } => format!("skillful check {path}"),
    })
}

/// Whether a skill is found in its repository without further help.
fn is_found(entry: &Entry) -> bool {
    entry.origin.scope == Scope::Project || entry.origin.scope == Scope::Plugin && entry.seen_by.is_none()
}

/// A reason in the words of the user, who called the skill the way a model does.
fn for_user(reason: &Reason) -> String {
    match reason {
        Reason::NotForModels => {
            "only the user can call it, and this prints what a model would read".to_owned()
        }
        other => other.to_string(),
    }
}

/// What to do about a skill that is available, but not to the caller.
fn gate_fix(reasons: &[Reason], entry: &Entry) -> Option<String> {
    let name = entry.address();
    reasons.iter().find_map(|reason| match reason {
        Reason::NotForModels => Some(format!("call it yourself: skillful run {name}")),
        Reason::NotForUsers => {
            Some("only a model can choose it, from its menu: skillful ask \"…\"".to_owned())
        }
        Reason::NoDescription => Some("add a description to its frontmatter".to_owned()),
        _ => None,
    })
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message(Way::Load))
    }
}
