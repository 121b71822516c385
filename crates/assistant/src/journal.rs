//! What of a run must survive: written as it happens, append only, and read back whole.

use crate::conversation::Item;
use serde::{Deserialize, Serialize};
use skillful_llm::Usage;
use skillful_runtime::session::Session;

/// One thing to keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "entry")]
pub enum Entry {
    /// A message of the conversation.
    Item(Item),
    /// The conversation was shortened: whatever came before is replaced by this.
    Compacted {
        /// What stands now.
        items: Vec<Item>,
    },
    /// Something that the model does not read: a denial, a transition, a note.
    Note {
        /// In words.
        text: String,
    },
}

impl Entry {
    /// A word for its kind, so that a store can tell them apart without reading them.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Item(item) => item.kind.word(),
            Self::Compacted { .. } => "compacted",
            Self::Note { .. } => "note",
        }
    }
}

/// Keeps what happens. What is kept is kept: a crash right after loses nothing of it.
pub trait Journal: Sync {
    /// Keeps entries together with the state they lead to, all or nothing.
    fn keep(&self, entries: &[Entry], state: &Session) -> Result<(), String>;

    /// A skill was used.
    fn used(&self, skill: &str) -> Result<(), String>;

    /// Tokens were used.
    fn spent(&self, model: &str, usage: Usage, cost: Option<f64>) -> Result<(), String>;
}

/// Keeps nothing: for a sub-agent, and for a question that nobody will go on with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forgetful;

impl Journal for Forgetful {
    fn keep(&self, _entries: &[Entry], _state: &Session) -> Result<(), String> {
        Ok(())
    }

    fn used(&self, _skill: &str) -> Result<(), String> {
        Ok(())
    }

    fn spent(&self, _model: &str, _usage: Usage, _cost: Option<f64>) -> Result<(), String> {
        Ok(())
    }
}
