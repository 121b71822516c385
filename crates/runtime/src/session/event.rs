//! What happens to a run, and what comes of it.

use super::{DEPTH_LIMIT, FORK_LIMIT, history::TransitionCause, skill::Skill};
use crate::policy::ToolLists;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What happens to a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum Event {
    /// A message of the user arrived.
    TurnStarted,
    /// A skill that the gate let through was loaded.
    Activate {
        /// The skill.
        skill: Skill,
        /// The id of the tool call; a retry has the same.
        call: String,
    },
    /// `skill_transition` was called.
    Transition {
        /// The skill to go on to.
        target: String,
        /// Why, in the model's words.
        #[serde(default)]
        reason: Option<String>,
    },
    /// The model is about to be asked again: a transition that was asked for takes effect.
    Step,
    /// The model answered.
    FinalAnswer {
        /// Its text.
        text: String,
        /// Whether it also called tools, so that it is not final after all.
        #[serde(default)]
        tool_calls: bool,
    },
    /// Content of an untrusted source was read.
    MarkUntrusted {
        /// Which.
        source: String,
    },
}

/// What comes of an event. The caller acts on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum Outcome {
    /// Nothing is to be done.
    Nothing,
    /// The skill leads; its lists are in force.
    Activated {
        /// Its address.
        skill: String,
    },
    /// Start a sub-agent.
    Fork {
        /// With this skill.
        skill: String,
        /// For this call.
        call: String,
        /// Under these lists.
        lists: ToolLists,
    },
    /// Give the model the instructions to follow here; the skill leads and its lists are in force.
    Directive {
        /// Its address.
        skill: String,
        /// Why no sub-agent was started.
        why: Undirected,
    },
    /// The sub-agent of this call was started before: wait for it, do not start another.
    AlreadyForked {
        /// The call.
        call: String,
    },
    /// A transition is accepted and takes effect with the next step or answer.
    Pending {
        /// The skill to come.
        target: String,
    },
    /// Another skill leads now. Ask the model again.
    Moved {
        /// The skill before.
        from: Option<String>,
        /// The skill now.
        to: String,
        /// What caused it.
        kind: TransitionCause,
        /// Transitions of this turn, with this one.
        depth: u32,
    },
    /// Everything stays as it was; an answer is the final one.
    Stayed(Stay),
    /// The answer is final and nothing follows.
    Done,
}

/// Why a run stays with its skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum Stay {
    /// No target was given.
    NoTarget,
    /// The turn went on often enough.
    Depth {
        /// Where it wanted to go.
        target: String,
    },
    /// The gate refuses the skill.
    Refused {
        /// Where it wanted to go.
        target: String,
        /// The message for the caller.
        message: String,
    },
    /// In strict mode only what a skill names can follow it.
    NotOffered {
        /// Where it wanted to go.
        target: String,
        /// What is named.
        offered: Vec<String>,
    },
    /// The turn ended before it took effect.
    TurnEnded {
        /// Where it wanted to go.
        target: String,
    },
}

impl fmt::Display for Stay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTarget => f.write_str("`target_skill` must name the skill to go on to"),
            Self::Depth { target } => {
                write!(
                    f,
                    "not going on to `{target}`: this turn already made {DEPTH_LIMIT} transitions; answer now"
                )
            }
            Self::Refused { message, .. } => f.write_str(message),
            Self::NotOffered { target, offered } if offered.is_empty() => {
                write!(f, "not going on to `{target}`: the active skill names nothing that follows it")
            }
            Self::NotOffered { target, offered } => {
                write!(
                    f,
                    "not going on to `{target}`: after the active skill come only {}",
                    offered.join(", ")
                )
            }
            Self::TurnEnded { target } => write!(f, "the turn ended before `{target}` could start"),
        }
    }
}

/// Why a directive is given in place of a sub-agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undirected {
    /// This run is a sub-agent itself.
    Nested,
    /// The run has read untrusted content.
    Untrusted,
    /// There are none here.
    NoSubAgents,
    /// The call has no id, so that a retry could not be recognised.
    NoCall,
    /// The run started enough of them.
    TooMany,
}

impl fmt::Display for Undirected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nested => f.write_str("this is a sub-agent already; follow the instructions here"),
            Self::Untrusted => {
                f.write_str("this run has read untrusted content; follow the instructions here")
            }
            Self::NoSubAgents => f.write_str("there are no sub-agents here; follow the instructions here"),
            Self::NoCall => f.write_str("the call has no id; follow the instructions here"),
            Self::TooMany => write!(f, "{FORK_LIMIT} sub-agents were started; follow the instructions here"),
        }
    }
}
