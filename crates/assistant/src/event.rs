//! Events of a turn for an observer such as a terminal or a log. Nothing is decided by them.

use crate::tool::Preview;
use serde::Serialize;
use skillful_format::Diagnostic;
use skillful_llm::{Delta, Usage};
use std::time::Duration;

/// An event of a turn.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A piece of the model's answer.
    Delta(Delta),
    /// A skill became active.
    Activated {
        /// Its address.
        skill: String,
        /// Why: a reason of the selection, `use_skill`, or a transition.
        why: String,
    },
    /// A selected skill could not be activated.
    NotActivated {
        /// Its address.
        skill: String,
        /// Why.
        why: String,
    },
    /// A tool starts.
    ToolStarted {
        /// The call.
        id: String,
        /// The tool.
        tool: String,
        /// What it does, in a few words.
        summary: String,
        /// What changes, unless the approval request showed it already.
        preview: Option<Preview>,
    },
    /// A tool finished.
    ToolFinished {
        /// The call.
        id: String,
        /// The tool.
        tool: String,
        /// The result as the model reads it.
        text: String,
        /// Whether it failed.
        failed: bool,
        /// How long it took.
        took: Duration,
    },
    /// A call was denied.
    Denied {
        /// The tool.
        tool: String,
        /// What it does, in a few words.
        summary: String,
        /// Who denied it and why.
        why: String,
    },
    /// Another skill became the leading one.
    Transitioned {
        /// The skill before.
        from: Option<String>,
        /// The skill now.
        to: String,
        /// Transitions of this turn so far.
        depth: u32,
    },
    /// A transition was refused, with the reason.
    TransitionRefused(String),
    /// The turn goes on after an answer, with the reason: a hook of a skill, or the result of a sub-agent.
    Continued(String),
    /// A sub-agent reported progress.
    Fork {
        /// Its skill.
        skill: String,
        /// Its progress.
        phase: ForkPhase,
    },
    /// The session was compacted.
    Compacted {
        /// Estimated tokens before.
        before: usize,
        /// Estimated tokens afterwards.
        after: usize,
        /// Skills whose instructions stay.
        kept: Vec<String>,
        /// Skills whose instructions were removed.
        lost: Vec<String>,
    },
    /// The state of the turn, after each answer of the model.
    Status(Status),
    /// A problem that does not end the turn.
    Diagnostic(Diagnostic),
    /// A message for the user.
    Note(String),
}

/// The progress of a sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkPhase {
    /// It started.
    Started {
        /// Whether the turn continues meanwhile.
        background: bool,
    },
    /// It uses a tool; what the tool does.
    Uses(String),
    /// It finished.
    Finished {
        /// Whether it ended without an answer.
        failed: bool,
    },
}

/// The state of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Active skills, the leading one last.
    pub active: Vec<String>,
    /// The allowed tools, when an active skill restricts them.
    pub tools: Option<Vec<String>>,
    /// The model.
    pub model: String,
    /// Tokens that the turn used so far.
    pub turn: Usage,
    /// Tokens of the session as it is sent.
    pub context: usize,
    /// Context window of the model, in tokens.
    pub window: usize,
    /// Cost of the turn, when prices are known.
    pub cost: Option<f64>,
}

/// Receives events. Called from several threads.
pub trait Observer: Sync {
    /// Receives one event.
    fn observe(&self, event: &Event);
}

/// Ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn observe(&self, _event: &Event) {}
}
