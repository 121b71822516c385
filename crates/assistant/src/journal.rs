//! The record of a session: append only, written as things happen, read back completely.

use crate::history::Item;
use serde::{Deserialize, Serialize};
use skillful_llm::Usage;
use skillful_runtime::session::Session;

/// One entry of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "entry")]
pub enum JournalEntry {
    /// A message of the session.
    Item(Item),
    /// The session was compacted: these items replace all before.
    Compacted {
        /// The items from now on.
        items: Vec<Item>,
    },
    /// Something that the model does not read, such as a denial.
    Note {
        /// The text.
        text: String,
    },
}

impl JournalEntry {
    /// The kind as one word, so that the database can filter entries without parsing them.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Item(item) => item.kind.word(),
            Self::Compacted { .. } => "compacted",
            Self::Note { .. } => "note",
        }
    }
}

/// Records a session. What was recorded survives a crash right after.
pub trait Journal: Sync {
    /// Appends entries together with the state they lead to, in one transaction.
    fn append(&self, entries: &[JournalEntry], state: &Session) -> Result<(), String>;

    /// Records that a skill was used.
    fn record_use(&self, skill: &str) -> Result<(), String>;

    /// Records tokens and cost.
    fn record_usage(&self, model: &str, usage: Usage, cost: Option<f64>) -> Result<(), String>;

    /// The record of a sub-agent, which is a session of its own with this one as its parent. `None` when nothing is
    /// recorded.
    fn sub_agent(&self, _skill: &str) -> Result<Option<Box<dyn Journal + '_>>, String> {
        Ok(None)
    }
}

/// Records nothing: for `--no-session`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoJournal;

impl Journal for NoJournal {
    fn append(&self, _entries: &[JournalEntry], _state: &Session) -> Result<(), String> {
        Ok(())
    }

    fn record_use(&self, _skill: &str) -> Result<(), String> {
        Ok(())
    }

    fn record_usage(&self, _model: &str, _usage: Usage, _cost: Option<f64>) -> Result<(), String> {
        Ok(())
    }
}
