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

/// The day of a moment in seconds since 1970, as `2026-11-15`, in UTC.
pub fn date(seconds: u64) -> String {
    let mut days = seconds / 86_400;
    let mut year = 1970;
    let leap = |year: u64| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if days < length || year > 9999 {
            break;
        }
        days -= length;
        year += 1;
    }
    let mut month = 1;
    for length in [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_735_603_200, "2024-12-31"),
            (1_794_700_800, "2026-11-15"),
        ] {
            assert_eq!(date(seconds), day);
        }
    }

    #[test]
    fn folders_of_every_agent_are_guarded_by_name() {
        let names = guarded_names(&AgentProfiles::embedded());
        for name in [".agents/skills", ".claude/skills", ".skillful/skills"] {
            assert!(names.contains(&PathBuf::from(name)), "{name}");
        }
    }
}
