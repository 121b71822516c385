//! Which repositories a user trusts, and which skills the user writes.
//!
//! A skill of a repository is used when the user approved its files, by digest: installing, reviewing and trusting
//! make the same record ([`crate::approvals`]). This store remembers which folders were trusted, so that a skill that
//! changed can be distinguished from one that was never shown, and so that trust can be taken back. The text of a skill
//! that the user writes may change without a new answer, as long as the audit blocks nothing in it; its code, its name
//! and what else it can do may not.

use serde::{Deserialize, Serialize};
use skillful_format::Digest;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The folders that a user trusts, and the skills that the user writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustStore {
    /// By folder, links resolved.
    #[serde(default)]
    pub folders: BTreeMap<PathBuf, Trusted>,
    /// Skills that the user writes, by their real path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<PathBuf, OwnSkill>,
}

/// What was trusted in one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
    /// Files that were trusted there before these.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub earlier: BTreeSet<Digest>,
    /// By the skill's path relative to the folder.
    #[serde(default)]
    pub skills: BTreeMap<String, TrustedFiles>,
}

/// The files of a skill when it was trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFiles {
    /// Their digest.
    pub tree: Digest,
    /// What the skill could do.
    pub can: BTreeSet<String>,
}

/// A skill that the user writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSkill {
    /// How the user said so.
    pub by: OwnBy,
    /// Its name, its code by digest and what it could do then ([`crate::capability::of_own`]).
    pub can: BTreeSet<String>,
}

/// How a user says that a skill is theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnBy {
    /// Created it with `skillful new`.
    Created,
    /// Trusted it with `--own`.
    Trusted,
}

/// What is known of a skill whose files the user has not approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known<'a> {
    /// Its repository is not trusted.
    Nothing,
    /// Its repository is trusted, and the skill was not there then, or had blocking findings.
    Folder,
    /// It was trusted with other files.
    Before(&'a TrustedFiles),
}

impl TrustStore {
    /// Looks up a skill at `path` of the repository `folder`. The path is relative to the repository, or absolute
    /// where a link led out of it. Trust of a folder covers the repositories inside it; trust of a folder inside a
    /// repository covers only what is below.
    pub fn known(&self, folder: &Path, path: &str) -> Known<'_> {
        let mut found = Known::Nothing;
        let skill = folder.join(path);
        for (trusted_folder, trusted) in &self.folders {
            let below = skill.strip_prefix(trusted_folder).unwrap_or(&skill);
            let files = trusted.skills.get(below.to_string_lossy().as_ref());
            match files.filter(|_| skill.starts_with(trusted_folder) || folder.starts_with(trusted_folder)) {
                Some(files) => return Known::Before(files),
                None if folder.starts_with(trusted_folder) => found = Known::Folder,
                None => {}
            }
        }
        found
    }

    /// Remembers that these skills of a folder are trusted, beside what was trusted there before.
    pub fn trust(&mut self, folder: PathBuf, skills: BTreeMap<String, TrustedFiles>) {
        let trusted = self.folders.entry(folder).or_default();
        for (key, files) in skills {
            let now = files.tree;
            let before = trusted.skills.insert(key, files);
            trusted.earlier.extend(before.map(|before| before.tree).filter(|before| *before != now));
        }
    }

    /// Removes trust of a folder, or of the skills at and below a path in a trusted folder, and returns it. Skills that
    /// the user created stay the user's own.
    pub fn untrust(&mut self, path: &Path) -> Option<Trusted> {
        if let Some(trusted) = self.folders.remove(path) {
            self.disown(path);
            return Some(trusted);
        }
        let above = path.ancestors().find(|above| self.folders.contains_key(*above))?.to_path_buf();
        let folder = self.folders.get_mut(&above)?;
        let is_below = |key: &String| above.join(key).starts_with(path);
        let keys: Vec<String> = folder.skills.keys().filter(|key| is_below(key)).cloned().collect();
        if keys.is_empty() {
            return None;
        }
        let skills = keys.into_iter().filter_map(|key| folder.skills.remove_entry(&key)).collect();
        // It is not known which of the skills they were of, and what is taken back may be too much and never too little.
        let earlier = std::mem::take(&mut folder.earlier);
        if folder.skills.is_empty() {
            self.folders.remove(&above);
        }
        self.disown(path);
        Some(Trusted { earlier, skills })
    }

    fn disown(&mut self, path: &Path) {
        self.own.retain(|skill, own| own.by == OwnBy::Created || !skill.starts_with(path));
    }

    /// The folders that files are trusted in.
    pub fn folders_with(&self, tree: &Digest) -> Vec<&Path> {
        let has = |trusted: &Trusted| {
            trusted.earlier.contains(tree) || trusted.skills.values().any(|files| files.tree == *tree)
        };
        self.folders.iter().filter(|(_, trusted)| has(trusted)).map(|(folder, _)| folder.as_path()).collect()
    }
}
