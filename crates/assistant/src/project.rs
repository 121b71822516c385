//! What a project tells the assistant, and which of its folders the assistant may not change without a yes.

use skillful::Workspace;
use skillful_catalog::{AgentProfiles, Catalog, Scope, settings::TrustMode};
use std::{collections::BTreeSet, io::Read, path::PathBuf};

/// What a project tells every agent.
const INSTRUCTIONS: &str = "AGENTS.md";
/// Bytes of it that are read.
const INSTRUCTIONS_LIMIT: usize = 32 << 10;

/// Folders of skills: as they are, and where they would be.
pub fn guarded(catalog: &Catalog) -> Vec<PathBuf> {
    let mut folders = BTreeSet::new();
    for path in catalog.roots.iter().flat_map(|root| std::iter::once(&root.path).chain(&root.searched)) {
        folders.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
    }
    for entry in &catalog.entries {
        folders.insert(entry.origin.real.clone());
    }
    folders.into_iter().collect()
}

/// Names of folders that hold skills in any project, of every agent.
pub fn guarded_names(agents: &AgentProfiles) -> Vec<PathBuf> {
    let roots = agents.iter().flat_map(|agent| &agent.roots);
    let named = roots.filter(|root| root.scope == Scope::Project && root.path.is_relative());
    let names: BTreeSet<PathBuf> = named
        .map(|root| PathBuf::from(root.path.as_str()))
        .filter(|path| path.components().count() > 1)
        .collect();
    names.into_iter().collect()
}

/// What the project tells every agent, and what of it is not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instructions {
    /// For the system prompt; empty when there are none.
    pub text: String,
    /// A file that is not read, or not whole, with the reason.
    pub note: Option<(PathBuf, String)>,
}

/// Reads the project's instructions when the user trusts the project: its file tells the model what to do.
pub fn instructions(workspace: &Workspace) -> Instructions {
    let project = &workspace.catalog().project;
    let file = project.join(INSTRUCTIONS);
    let Ok(handle) = std::fs::File::open(&file) else { return Instructions::default() };
    let trusted = workspace.config().settings.trust == TrustMode::All
        || workspace.trust().folders.keys().any(|folder| project.starts_with(folder));
    if !trusted {
        let why = "not read: this repository is not trusted".to_owned();
        return Instructions { text: String::new(), note: Some((file, why)) };
    }
    let mut bytes = Vec::new();
    if let Err(error) = handle.take(INSTRUCTIONS_LIMIT as u64 + 1).read_to_end(&mut bytes) {
        return Instructions { text: String::new(), note: Some((file, format!("not read: {error}"))) };
    }
    let note = (bytes.len() > INSTRUCTIONS_LIMIT)
        .then(|| (file, format!("only the first {INSTRUCTIONS_LIMIT} bytes are read")));
    bytes.truncate(INSTRUCTIONS_LIMIT);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Instructions { text: format!("Instructions of this project ({INSTRUCTIONS}):\n\n{text}"), note }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_every_agent_are_guarded_by_name() {
        let names = guarded_names(&AgentProfiles::embedded());
        for name in [".agents/skills", ".claude/skills", ".skillful/skills"] {
            assert!(names.contains(&PathBuf::from(name)), "{name}");
        }
    }
}
