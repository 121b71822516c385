//! Recorded sessions.

use super::{DiagnosticView, PathText};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// Recorded sessions, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionList {
    /// The version of this object.
    pub schema: u32,
    /// The sessions.
    pub sessions: Vec<SessionSummary>,
    /// Problems of the configuration and of the database.
    pub diagnostics: Vec<DiagnosticView>,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionSummary {
    /// Its name.
    pub id: String,
    /// The beginning of its first message.
    pub title: String,
    /// The folder it was held in.
    pub folder: PathText,
    /// The session whose sub-agent it is.
    pub parent: Option<String>,
    /// Whether it goes on.
    pub state: SessionStateView,
    /// When it began, in seconds since 1970.
    pub created: u64,
    /// When it was last used, in seconds since 1970.
    pub updated: u64,
    /// How many turns it has.
    pub turns: u64,
    /// Tokens that models read.
    pub input: u64,
    /// Tokens that models wrote.
    pub output: u64,
    /// Tokens read from a cache.
    pub cached: u64,
    /// Tokens written to a cache.
    pub stored: u64,
    /// The cost in millionths of the currency of the prices.
    pub cost_micros: u64,
}

/// Whether a session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionStateView {
    /// It can be continued.
    Open,
    /// It ended.
    Ended,
}

/// One session with its turns, usage and journal.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionDetail {
    /// The version of this object.
    pub schema: u32,
    /// The session.
    pub session: SessionSummary,
    /// Its turns, in order.
    pub turns: Vec<TurnView>,
    /// The sessions of its sub-agents, the newest first.
    pub sub_agents: Vec<SessionSummary>,
    /// Tokens and cost, by model.
    pub usage: Vec<ModelUsage>,
    /// The entries of its journal, in order.
    pub journal: Vec<JournalView>,
    /// Whether the journal has more entries than are printed.
    pub journal_truncated: bool,
    /// Problems of the configuration and of the database.
    pub diagnostics: Vec<DiagnosticView>,
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TurnView {
    /// When it began, in seconds since 1970.
    pub at: u64,
    /// The user's message.
    pub message: String,
    /// The skills that stayed active.
    pub skills: Vec<String>,
}

/// Tokens and cost of one model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelUsage {
    /// The model.
    pub model: String,
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from a cache.
    pub cached: u64,
    /// Tokens written to a cache.
    pub stored: u64,
    /// The cost in millionths of the currency of the prices.
    pub cost_micros: u64,
}

/// An entry of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct JournalView {
    /// Its number.
    pub seq: u64,
    /// Its kind.
    pub kind: String,
    /// When it was recorded, in seconds since 1970.
    pub at: u64,
    /// The entry as it was recorded.
    pub entry: Value,
}

/// Sessions that were deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionsRemoved {
    /// The version of this object.
    pub schema: u32,
    /// Their names.
    pub removed: Vec<String>,
}
