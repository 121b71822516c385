//! Transitions from one skill to the next.

use super::{
    DEPTH_LIMIT, Gate, Session,
    event::{Outcome, Stay},
    history::{Record, TransitionCause},
    skill::Skill,
};
use serde::{Deserialize, Serialize};

/// A transition that was asked for and not yet made. It is counted already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pending {
    pub(super) skill: Skill,
    reason: Option<String>,
}

impl Session {
    /// The model asks for a transition. A later request replaces an earlier one and is not counted again.
    pub(super) fn ask_transition(&mut self, target: &str, reason: Option<&str>, gate: &Gate<'_>) -> Outcome {
        let target = target.trim();
        if target.is_empty() {
            return self.stay(Stay::NoTarget);
        }
        if self.pending.is_none() && self.depth >= DEPTH_LIMIT {
            return self.stay(Stay::Depth { target: target.to_owned() });
        }
        let skill = match gate(target) {
            Ok(skill) => skill,
            Err(message) => return self.stay(Stay::Refused { target: target.to_owned(), message }),
        };
        if let Some(leading) = self.leading()
            && self.abilities.strict_targets
            && !leading.offers(target)
            && !leading.offers(&skill.name)
        {
            let named = leading.conditional.iter().map(|(_, skill)| skill).chain(&leading.next);
            let mut offered: Vec<String> = Vec::new();
            for skill in named {
                if !offered.contains(skill) {
                    offered.push(skill.clone());
                }
            }
            return self.stay(Stay::NotOffered { target: target.to_owned(), offered });
        }
        if self.pending.is_none() {
            self.depth += 1;
        }
        let target = skill.name.clone();
        self.pending = Some(Pending { skill, reason: reason.map(str::to_owned) });
        Outcome::Pending { target }
    }

    /// Makes the transition that was asked for, if one was.
    pub(super) fn take_pending(&mut self) -> Option<Outcome> {
        let Pending { skill, reason } = self.pending.take()?;
        Some(self.go(skill, TransitionCause::Explicit, reason))
    }

    /// The model answered: an explicit transition comes first, then `next_skill`.
    pub(super) fn answer(&mut self, text: &str, tool_calls: bool, gate: &Gate<'_>) -> Outcome {
        if tool_calls {
            return Outcome::Nothing;
        }
        self.history.answer(self.leading().map(|skill| skill.name.clone()), text);
        if let Some(moved) = self.take_pending() {
            return moved;
        }
        let Some(target) = self.leading().and_then(|skill| skill.next.clone()) else { return Outcome::Done };
        if self.depth >= DEPTH_LIMIT {
            return self.stay(Stay::Depth { target });
        }
        match gate(&target) {
            Ok(skill) => {
                self.depth += 1;
                self.go(skill, TransitionCause::Next, None)
            }
            Err(message) => self.stay(Stay::Refused { target, message }),
        }
    }

    fn go(&mut self, skill: Skill, kind: TransitionCause, reason: Option<String>) -> Outcome {
        let from = self.leading().map(|skill| skill.name.clone());
        let to = skill.name.clone();
        self.history.push(Record::Moved { from: from.clone(), to: to.clone(), kind, reason });
        self.active.clear();
        self.lead(skill);
        Outcome::Moved { from, to, kind, depth: self.depth }
    }

    pub(super) fn stay(&mut self, why: Stay) -> Outcome {
        self.history.push(Record::Stayed(why.clone()));
        Outcome::Stayed(why)
    }
}
