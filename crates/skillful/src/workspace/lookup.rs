//! From what a user types to a skill or an agent.

use super::Workspace;
use skillful_catalog::{AgentProfile, names::Lookup};
use std::path::Path;

/// No skill of that name or path exists here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no skill named `{word}`")]
pub struct NotFound {
    /// What was asked for.
    pub word: String,
    /// Names of skills that come near, the nearest first.
    pub near: Vec<String>,
    /// How many skills were searched.
    pub skills: usize,
    /// In how many folders.
    pub folders: usize,
}

/// No agent of that name is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no agent named `{word}`")]
pub struct UnknownAgent {
    /// What was asked for.
    pub word: String,
    /// Agents with a similar name, the nearest first.
    pub near: Vec<String>,
}

impl Workspace {
    /// The agent that a name or an alias means.
    pub fn agent(&self, name: &str) -> Result<&AgentProfile, UnknownAgent> {
        self.agents().get(name).ok_or_else(|| {
            let ids = self.agents().iter().map(|agent| agent.id.as_str());
            UnknownAgent { word: name.to_owned(), near: skillful_catalog::names::nearest(name, ids) }
        })
    }

    /// The skill that a name, a qualified name or a path means, whatever its state.
    pub fn find(&self, word: &str) -> Result<usize, NotFound> {
        let catalog = self.catalog();
        match catalog.find(word, &self.environment.cwd) {
            Lookup::Found(at) => Ok(at),
            Lookup::Unknown { near } => Err(NotFound {
                word: word.to_owned(),
                near,
                skills: catalog.entries.len(),
                folders: catalog.roots.iter().filter(|root| root.path.is_dir()).count(),
            }),
        }
    }

    /// The folder of a skill that a path means and that lies below no known root.
    pub fn loose_skill(&self, word: &str) -> Option<std::path::PathBuf> {
        let path = self.environment.cwd.join(word);
        let folder = if path.is_file() { path.parent().map(Path::to_path_buf) } else { Some(path) };
        let folder = folder.and_then(|folder| folder.canonicalize().ok())?;
        ["SKILL.md", "skill.md"].iter().any(|name| folder.join(name).is_file()).then_some(folder)
    }
}
