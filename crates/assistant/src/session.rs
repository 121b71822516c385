//! A session: its messages and what is active in it.

use crate::{history::Item, journal::JournalEntry, tool::Reach};
use skillful_llm::Usage;
use skillful_mcp::client::Tool as ServerTool;
use skillful_runtime::{
    compose::WrittenMenu,
    hooks::Live,
    session::{Abilities, Session},
};
use std::collections::{BTreeMap, BTreeSet};

/// One session: its messages and everything that is active in it.
#[derive(Default)]
pub struct ChatSession {
    /// The messages.
    pub(crate) items: Vec<Item>,
    /// The active skills.
    pub(crate) state: Session,
    /// Hooks of active skills.
    pub(crate) hooks: Live,
    /// Tools of the servers of active skills.
    pub(crate) served: Vec<ServerTool>,
    /// Variables that active skills export to commands.
    pub(crate) environment: BTreeMap<String, String>,
    /// Whether active skills still have to take effect in this process.
    pub(crate) resumed: bool,
    /// What the user approved for the rest of the session.
    pub(crate) approved: BTreeSet<(String, Reach)>,
    /// Tokens of the last request: the server's count and our estimate.
    pub(crate) counted: Option<(usize, usize)>,
    /// Tokens of all turns.
    pub(crate) usage: Usage,
    /// The menu in the system prompt.
    pub(crate) menu: WrittenMenu,
}

impl ChatSession {
    /// A new session.
    pub fn new() -> Self {
        let abilities = Abilities { sub_agents: true, nested: false, strict_targets: false };
        Self { state: Session::new(abilities), ..Self::default() }
    }

    /// A session from its journal.
    pub fn resume(entries: impl IntoIterator<Item = JournalEntry>, state: Session) -> Self {
        let mut items = Vec::new();
        for entry in entries {
            match entry {
                JournalEntry::Item(item) => items.push(item),
                JournalEntry::Compacted { items: now } => items = now,
                JournalEntry::Note { .. } => {}
            }
        }
        Self { items, state, resumed: true, ..Self::default() }
    }

    /// Sets whether a model can go on only to the skills that the active one names.
    pub fn set_strict_targets(&mut self, strict: bool) {
        self.state.set_strict_targets(strict);
    }

    /// The messages.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The active skills.
    pub fn state(&self) -> &Session {
        &self.state
    }

    /// Tokens of all turns.
    pub fn usage(&self) -> Usage {
        self.usage
    }
}
