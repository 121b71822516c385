//! Whether the user trusts the project, and the folders that the assistant may not change without approval.

use crate::{agent_definitions, instructions};
use skillful::Workspace;
use skillful_catalog::{AgentProfiles, Catalog, Scope, profile::PathTemplate, settings::TrustMode};
use skillful_registry::{atomic_write::AtomicWriter, record_file::RecordError, trusted_folders};
use std::{
    collections::{BTreeSet, HashSet},
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// What stands in a note about a file that is not read.
pub(crate) const UNTRUSTED: &str = "was not read: this repository is not trusted (skillful trust)";

/// Folders of skills, including those that do not exist yet.
pub fn guarded(catalog: &Catalog) -> Vec<PathBuf> {
    let searched = catalog.roots.iter().flat_map(|root| std::iter::once(&root.path).chain(&root.searched));
    let searched: Vec<PathBuf> = searched.map(|path| real_path(path)).collect();
    let skills = catalog.entries.iter().map(|entry| &entry.origin.real);
    let mut known: HashSet<&OsStr> = HashSet::with_capacity(searched.len() + catalog.entries.len());
    searched.iter().chain(skills).filter(|path| known.insert(path.as_os_str())).cloned().collect()
}

/// The path without links. Most folders that are searched do not exist, which one look shows.
fn real_path(path: &Path) -> PathBuf {
    let real = path.symlink_metadata().ok().and_then(|_| path.canonicalize().ok());
    real.unwrap_or_else(|| path.to_owned())
}

/// Relative paths that instruct an agent in a project: its skills, rules, settings and lists of servers.
pub fn guarded_names(agents: &AgentProfiles) -> Vec<PathBuf> {
    let mut names = BTreeSet::new();
    for agent in agents.iter() {
        let roots = agent.roots.iter().filter(|root| root.scope == Scope::Project).map(|root| &root.path);
        let settings = agent.config.files.iter().map(|file| &file.path);
        let paths = roots.chain(settings).filter(|path| path.is_relative());
        // A plain folder such as `skills` may be anything; the catalog names it where it holds skills.
        let placed = |path: &&str| path.contains('/') || path.contains('.');
        names.extend(paths.map(PathTemplate::as_str).filter(placed).map(PathBuf::from));
        names.extend(agent.guarded.iter().map(PathBuf::from));
    }
    names.into_iter().collect()
}

/// Whether the user trusts the project.
pub fn is_trusted(workspace: &Workspace) -> bool {
    let project = &workspace.catalog().project;
    workspace.config().settings.trust == TrustMode::All
        || workspace.trust().folders.keys().any(|folder| project.starts_with(folder))
}

/// What the assistant follows here once the user trusts the project: instruction files, and folders of agent definitions.
pub fn followed(workspace: &Workspace) -> Vec<PathBuf> {
    let project = &workspace.catalog().project;
    let mut found = instructions::files_down(project, &workspace.environment().cwd);
    found.extend(agent_definitions::folders_down(project, &workspace.environment().cwd));
    found
}

/// Records that the user trusts the project, for what [`followed`] names. Its skills are asked about by themselves.
pub fn trust(workspace: &Workspace) -> Result<(), RecordError> {
    let project = workspace.catalog().project.clone();
    let project = project.canonicalize().unwrap_or(project);
    let folder = workspace.paths().trust.parent().unwrap_or(Path::new("/"));
    let change = |store: &mut skillful_catalog::TrustStore| store.trust(project, [].into());
    trusted_folders::change(folder, &AtomicWriter::default(), change)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_every_agent_are_guarded_by_name() {
        let names = guarded_names(&AgentProfiles::embedded());
        for name in [
            ".agents/skills",
            ".claude/skills",
            ".skillful/skills",
            ".claude",
            ".mcp.json",
            "AGENTS.md",
            "CLAUDE.md",
            "GEMINI.md",
            ".cursorrules",
            ".windsurfrules",
            ".clinerules",
            "opencode.json",
            ".github/copilot-instructions.md",
        ] {
            assert!(names.contains(&PathBuf::from(name)), "{name}");
        }
    }
}
