//! From what a user types to a skill or an agent.

use super::Workspace;
use skillful_catalog::{AgentProfile, names::Lookup, roots::repository_of};
use std::path::{Path, PathBuf};

/// No skill of that name or path is in the catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", if *is_pending { format!("{word} is pending review and not installed yet") } else { format!("no skill named `{word}`") })]
pub struct NotFound {
    /// What was asked for.
    pub word: String,
    /// Names of skills that come near, the nearest first.
    pub near: Vec<String>,
    /// Whether a lock names a skill of that name, which waits for a review.
    pub is_pending: bool,
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

    /// Agents that have a folder of their own on this machine or in this repository, by id.
    pub fn agents_found(&self) -> Vec<&AgentProfile> {
        let environment = self.environment();
        let project = repository_of(&environment.cwd).unwrap_or(&environment.cwd);
        let is_found = |agent: &&AgentProfile| {
            agent.product
                && agent.roots.iter().any(|root| {
                    let variable = |name: &str| environment.variable(name);
                    let Some(path) = root.path.resolve(project, &environment.home, &variable) else {
                        return false;
                    };
                    let base = if path.starts_with(project) { project } else { &environment.home };
                    let Ok(below) = path.strip_prefix(base) else { return false };
                    let mut parts = below.components();
                    let Some(first) = parts.next().map(std::path::Component::as_os_str) else { return false };
                    // Only a folder named like the agent is its own: many agents read the folders of others.
                    let own = |part: &std::ffi::OsStr| {
                        let name = part.to_string_lossy();
                        let name = name.trim_start_matches('.');
                        name != "github"
                            && (agent.id.starts_with(name) || name.starts_with(agent.id.as_str()))
                    };
                    match first.to_str() {
                        Some(".config" | ".local") => parts.next().is_some_and(|next| {
                            own(next.as_os_str()) && base.join(first).join(next).is_dir()
                        }),
                        Some(name) if name.starts_with('.') => own(first) && base.join(first).is_dir(),
                        _ => false,
                    }
                })
        };
        self.agents().iter().filter(is_found).collect()
    }

    /// The skill that a name, a qualified name or a path means, whatever its state.
    pub fn find(&self, word: &str) -> Result<usize, NotFound> {
        let catalog = self.catalog();
        match catalog.find(word, &self.environment.cwd) {
            Lookup::Found(at) => Ok(at),
            Lookup::Unknown { near } => Err(NotFound {
                word: word.to_owned(),
                near,
                is_pending: self.pending_downloads().iter().any(|pending| pending.name == word),
                skills: catalog.entries.len(),
                folders: catalog.roots.iter().filter(|root| root.path.is_dir()).count(),
            }),
        }
    }

    /// The folder of a skill that a path means and that lies below no known root.
    pub fn loose_skill(&self, word: &str) -> Option<PathBuf> {
        let path = self.environment.cwd.join(word);
        let folder = if path.is_file() { path.parent().map(Path::to_path_buf) } else { Some(path) };
        let folder = folder.and_then(|folder| folder.canonicalize().ok())?;
        ["SKILL.md", "skill.md"].iter().any(|name| folder.join(name).is_file()).then_some(folder)
    }
}
