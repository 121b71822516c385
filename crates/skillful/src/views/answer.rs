//! The answer of the assistant.

use super::DiagnosticView;
use schemars::JsonSchema;
use serde::Serialize;
use skillful_llm::Usage;
use std::collections::BTreeSet;

/// One turn of the assistant.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AnswerView {
    /// The version of this object.
    pub schema: u32,
    /// The last answer of the model.
    pub answer: String,
    /// How the turn ended.
    pub end: TurnEndView,
    /// The skills that were active.
    pub skills: Vec<String>,
    /// The tools that were used.
    pub tools: BTreeSet<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// The model.
    pub model: String,
    /// Tokens of the turn, sub-agents included.
    pub usage: UsageView,
    /// The cost of the turn, when prices are known.
    pub cost: Option<f64>,
    /// The session; absent when it is not recorded.
    pub session: Option<String>,
    /// Problems of the catalog and of the turn.
    pub diagnostics: Vec<DiagnosticView>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TurnEndView {
    /// `answered`, `refused`, `cut`, `bound` or `stopped`.
    pub kind: String,
    /// Why, unless it ended with an answer.
    pub why: Option<String>,
}

/// Token counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UsageView {
    /// Tokens read, including those from a cache.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from a cache.
    pub cached: u64,
    /// Tokens written to a cache.
    pub stored: u64,
}

impl From<Usage> for UsageView {
    fn from(usage: Usage) -> Self {
        let Usage { input, output, cached, stored } = usage;
        Self { input, output, cached, stored }
    }
}
