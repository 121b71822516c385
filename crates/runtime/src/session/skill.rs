//! The fields of a skill that a session uses.

use crate::policy::ToolLists;
use serde::{Deserialize, Serialize};
use skillful_format::Manifest;

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
}

impl Skill {
    /// From its address and its frontmatter.
    pub fn of(address: &str, manifest: &Manifest) -> Self {
        Self {
            name: address.to_owned(),
            lists: ToolLists {
                allowed: manifest.allowed_tools.clone(),
                disallowed: manifest.disallowed_tools.clone(),
                ..ToolLists::default()
            },
            next: manifest.next_skill.clone(),
            conditional: manifest.conditional_next_skills.clone(),
            fork: manifest.context_fork,
        }
    }

    /// Whether it names a skill to go on to.
    pub(crate) fn offers(&self, target: &str) -> bool {
        self.next.as_deref() == Some(target) || self.conditional.iter().any(|(_, skill)| skill == target)
    }
}
