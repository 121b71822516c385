//! What happens in a run, for whoever watches: a terminal, a log, a page. Nothing is decided by it.

use crate::tool::Preview;
use serde::Serialize;
use skillful_format::Diagnostic;
use skillful_llm::{Delta, Usage};
use std::time::Duration;

/// Something that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A piece of the model's answer.
    Delta(Delta),
    /// A skill is active now.
    Activated {
        /// Its address.
        skill: String,
        /// How it came: a reason of the selection, `use_skill`, a transition.
        why: String,
    },
    /// A chosen skill did not come.
    NotActivated {
        /// Its address.
        skill: String,
        /// Why.
        why: String,
    },
    /// A tool is about to be used.
    Began {
        /// The call.
        id: String,
        /// The tool.
        tool: String,
        /// In a few words.
        summary: String,
        /// What changes, when it was not shown in a question already.
        preview: Option<Preview>,
    },
    /// A tool was used.
    Ended {
        /// The call.
        id: String,
        /// The tool.
        tool: String,
        /// What the model reads.
        text: String,
        /// Whether it failed.
        failed: bool,
        /// How long it took.
        took: Duration,
    },
    /// A call was not let through.
    Denied {
        /// The tool.
        tool: String,
        /// In a few words.
        summary: String,
        /// By whom and why.
        why: String,
    },
    /// Another skill leads.
    Moved {
        /// The skill before.
        from: Option<String>,
        /// The skill now.
        to: String,
        /// Transitions of this turn.
        depth: u32,
    },
    /// A transition did not happen.
    Stayed(String),
    /// A sub-agent works.
    Fork {
        /// Its skill.
        skill: String,
        /// How it goes.
        phase: ForkPhase,
    },
    /// The conversation was shortened.
    Compacted {
        /// Estimated tokens before.
        before: usize,
        /// And after.
        after: usize,
        /// Skills whose instructions stay.
        kept: Vec<String>,
        /// Skills for which there was no room.
        lost: Vec<String>,
    },
    /// Where the turn stands, after each answer of the model.
    Status(Status),
    /// Something that went wrong without ending the turn.
    Told(Diagnostic),
    /// Words for the person.
    Note(String),
}

/// How a sub-agent goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkPhase {
    /// It began; in the background or not.
    Began {
        /// Whether the run goes on meanwhile.
        background: bool,
    },
    /// It uses a tool.
    Uses(String),
    /// It ended.
    Ended {
        /// Whether it came to an answer.
        failed: bool,
    },
}

/// Where a turn stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Active skills, the leading one last.
    pub active: Vec<String>,
    /// The tools that are allowed, when a list is in force.
    pub tools: Option<Vec<String>>,
    /// The model.
    pub model: String,
    /// What the turn used so far.
    pub turn: Usage,
    /// Tokens of the conversation as it is sent.
    pub context: usize,
    /// Tokens that the model can read.
    pub window: usize,
    /// What the turn cost, when prices are known.
    pub cost: Option<f64>,
}

/// Sees what happens. Called from several threads.
pub trait Watch: Sync {
    /// Something happened.
    fn see(&self, event: &Event);
}

/// Looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn see(&self, _event: &Event) {}
}
