//! The fields of a skill that a session uses.

use crate::policy::ToolLists;
use serde::{Deserialize, Serialize};
use skillful_catalog::Entry;

/// A skill as a run sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// Its address.
    pub name: String,
    /// Its tool lists.
    #[serde(default)]
    pub lists: ToolLists,
    /// The skill that follows a final answer.
    #[serde(default)]
    pub next: Option<String>,
    /// Skills that may follow, by label.
    #[serde(default)]
    pub conditional: Vec<(String, String)>,
    /// Whether it runs as a sub-agent.
    #[serde(default)]
    pub fork: bool,
    /// The digest of its text as it was loaded.
    #[serde(default)]
    pub content: u64,
}

impl Skill {
    /// From an entry of a catalog.
    pub fn of(entry: &Entry) -> Self {
        let manifest = &entry.loaded.manifest;
        Self {
            name: entry.address(),
            lists: ToolLists {
                allowed: manifest.allowed_tools.clone(),
                disallowed: manifest.disallowed_tools.clone(),
                ..ToolLists::default()
            },
            next: manifest.next_skill.clone(),
            conditional: manifest.conditional_next_skills.clone(),
            fork: manifest.context_fork,
            content: entry.loaded.content,
        }
    }

    /// Whether it names a skill to go on to.
    pub(crate) fn offers(&self, target: &str) -> bool {
        self.next.as_deref() == Some(target) || self.conditional.iter().any(|(_, skill)| skill == target)
    }
}
