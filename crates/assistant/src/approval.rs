//! When the user is asked before a tool runs, and what the answers mean.

use crate::tool::{Preview, Reach};
pub use skillful::config::ApprovalMode;

/// Whether the user must approve a call with this reach.
pub fn needs_approval(mode: ApprovalMode, reach: Reach) -> bool {
    match mode {
        ApprovalMode::Ask => reach > Reach::Nothing,
        ApprovalMode::AutoSafe => reach > Reach::Project,
        ApprovalMode::Autonomous => reach > Reach::Beyond,
    }
}

/// A request for the user's approval of one tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The tool.
    pub tool: String,
    /// What the call would do, in a few words.
    pub summary: String,
    /// How far the call reaches.
    pub reach: Reach,
    /// Why approval is needed.
    pub why: String,
    /// What to show the user.
    pub preview: Option<Preview>,
    /// The leading skill.
    pub skill: Option<String>,
}

/// The user's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalAnswer {
    /// Allow this call.
    Once,
    /// Allow this tool with this reach for the rest of the session.
    Always,
    /// Deny the call, optionally with a message for the model.
    No(Option<String>),
    /// Deny the call and end the turn.
    Stop,
}

/// Asks the user and blocks until there is an answer.
pub trait Approver: Sync {
    /// Asks one question. The caller never asks two at the same time.
    fn ask(&self, question: &ApprovalRequest) -> ApprovalAnswer;
}

/// Denies every call: for runs without a terminal.
#[derive(Clone, Copy, Debug, Default)]
pub struct DenyAll;

impl Approver for DenyAll {
    fn ask(&self, _question: &ApprovalRequest) -> ApprovalAnswer {
        ApprovalAnswer::No(Some("approval is required and there is no terminal to ask at".to_owned()))
    }
}
