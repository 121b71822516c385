//! What a turn needs from this machine.

use crate::context::Context;
use skillful_catalog::{AgentProfiles, Catalog, Scope};
use std::{
    collections::BTreeSet,
    io::Read,
    path::{Path, PathBuf},
};

/// What a project tells every agent.
const INSTRUCTIONS: &str = "AGENTS.md";
/// Bytes of it that are read.
const INSTRUCTIONS_LIMIT: usize = 32 << 10;

/// Folders of skills: as they are, and where they would be.
pub(crate) fn guarded(catalog: &Catalog) -> Vec<PathBuf> {
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
pub(crate) fn guarded_names(agents: &AgentProfiles) -> Vec<PathBuf> {
    let roots = agents.iter().flat_map(|agent| &agent.roots);
    let named = roots.filter(|root| root.scope == Scope::Project && root.path.is_relative());
    let names: BTreeSet<PathBuf> = named
        .map(|root| PathBuf::from(root.path.as_str()))
        .filter(|path| path.components().count() > 1)
        .collect();
    names.into_iter().collect()
}

/// What the project tells every agent, when the person trusts it: whoever can write this file tells the
/// model what to do.
pub(crate) fn instructions(context: &Context, project: &Path) -> (String, Option<String>) {
    let file = project.join(INSTRUCTIONS);
    let Ok(handle) = std::fs::File::open(&file) else { return Default::default() };
    let trusted = context.config.settings.trust == skillful_catalog::settings::TrustMode::All
        || context.trust.folders.keys().any(|folder| project.starts_with(folder));
    if !trusted {
        let note = format!("{} is not read, since this repository is not trusted", context.short(&file));
        return (String::new(), Some(note));
    }
    let mut bytes = Vec::new();
    if handle.take(INSTRUCTIONS_LIMIT as u64 + 1).read_to_end(&mut bytes).is_err() {
        return Default::default();
    }
    let note = (bytes.len() > INSTRUCTIONS_LIMIT)
        .then(|| format!("only the first {INSTRUCTIONS_LIMIT} bytes of {} are read", context.short(&file)));
    bytes.truncate(INSTRUCTIONS_LIMIT);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (format!("Instructions of this project ({INSTRUCTIONS}):\n\n{text}"), note)
}

/// The day of a moment in seconds since 1970, as `2026-11-15`, in UTC.
pub(crate) fn date(seconds: u64) -> String {
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
