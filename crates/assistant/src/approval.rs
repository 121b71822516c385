//! Who is asked before a tool is used, and what the answers mean.

use crate::tool::{Preview, Reach};
pub use skillful::config::ApprovalMode;

/// Whether the user is asked before a call that reaches so far.
pub fn asks(mode: ApprovalMode, reach: Reach) -> bool {
    match mode {
        ApprovalMode::Ask => reach > Reach::Nothing,
        ApprovalMode::AutoSafe => reach > Reach::Project,
        ApprovalMode::Autonomous => reach > Reach::Beyond,
    }
}

/// What a person is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The tool.
    pub tool: String,
    /// What it would do, in a few words.
    pub summary: String,
    /// How far that reaches.
    pub reach: Reach,
    /// Why a person is asked.
    pub why: String,
    /// What to show.
    pub preview: Option<Preview>,
    /// The skill that leads.
    pub skill: Option<String>,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This once.
    Once,
    /// This tool, as far as it reaches now, until the conversation is left.
    Always,
    /// No; with words for the model when there are any.
    No(Option<String>),
    /// No, and the turn ends here.
    Stop,
}

/// Asks a person. Blocks until they answered.
pub trait Approve: Sync {
    /// One question at a time; the caller sees to it.
    fn ask(&self, question: &Question) -> Answer;
}

/// Nobody is there to be asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Approve for Nobody {
    fn ask(&self, _question: &Question) -> Answer {
        Answer::No(Some("a person would have to agree and nobody is there to be asked".to_owned()))
    }
}
