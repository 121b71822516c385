//! Which repositories a user trusts, and with what.
//!
//! Trust is given to a folder and remembers what its skills could do then. A skill that later asks
//! for more, or a new one that asks for anything, needs a new decision of the user; plain text does not.

use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The folders a user trusts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustStore {
    /// By folder, links resolved.
    #[serde(default)]
    pub folders: BTreeMap<PathBuf, Trusted>,
}

/// What was trusted in one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
    /// Capabilities by the skill's path relative to the folder; a skill with none is not listed.
    #[serde(default)]
    pub skills: BTreeMap<String, BTreeSet<String>>,
    /// Skills that the answer did not cover, by the same path: they stay untrusted, whatever they ask for.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left_out: BTreeSet<String>,
}

/// Whether one skill is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustDecision {
    /// Trusted, with everything it asks for.
    Yes,
    /// The folder is not trusted.
    No,
    /// The folder is trusted, but not these capabilities.
    Grown(Vec<String>),
}

impl TrustStore {
    /// Asks about a skill at `path` of the repository `folder` that has `capabilities`. The path is
    /// relative to the repository, or absolute where a link led out of it.
    pub fn ask(&self, folder: &Path, path: &str, capabilities: &BTreeSet<String>) -> TrustDecision {
        // Trust of a folder covers the repositories inside it.
        let mut best: Option<Vec<String>> = None;
        for (trusted_folder, trusted) in
            self.folders.iter().filter(|(trusted, _)| folder.starts_with(trusted))
        {
            let key = match folder.strip_prefix(trusted_folder) {
                Ok(below) if !below.as_os_str().is_empty() => below.join(path).to_string_lossy().into_owned(),
                _ => path.to_owned(),
            };
            if trusted.left_out.contains(&key) {
                return TrustDecision::No;
            }
            let known = trusted.skills.get(&key);
            let more: Vec<String> = capabilities
                .iter()
                .filter(|one| known.is_none_or(|known| !known.contains(*one)))
                .cloned()
                .collect();
            if more.is_empty() {
                return TrustDecision::Yes;
            }
            best = Some(more);
        }
        best.map_or(TrustDecision::No, TrustDecision::Grown)
    }

    /// Trusts a folder with the skills it has now.
    pub fn trust(&mut self, folder: PathBuf, skills: BTreeMap<String, BTreeSet<String>>) {
        let skills = skills.into_iter().filter(|(_, capabilities)| !capabilities.is_empty()).collect();
        self.folders.insert(folder, Trusted { skills, left_out: BTreeSet::new() });
    }

    /// Keeps skills of a trusted folder untrusted, such as those with blocking findings.
    pub fn leave_out(&mut self, folder: &Path, skills: impl IntoIterator<Item = String>) {
        if let Some(trusted) = self.folders.get_mut(folder) {
            trusted.left_out.extend(skills);
        }
    }

    /// Removes trust; returns whether there was any.
    pub fn untrust(&mut self, folder: &Path) -> bool {
        self.folders.remove(folder).is_some()
    }
}
