//! Which repositories a user trusts, and which skills the user writes.
//!
//! A skill of a repository is used when the user approved its files, by digest: installing, reviewing and trusting
//! make the same record ([`crate::approvals`]). This store remembers which folders were trusted, so that a skill that
//! changed can be distinguished from one that was never shown. A skill that the user writes may change without a new
//! answer, as long as it can do no more than before.

use crate::capability;
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
    /// Skills that the user writes, by their real path, with what they could do when the user said so.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<PathBuf, BTreeSet<String>>,
}

/// What was trusted in one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trusted {
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
    /// where a link led out of it. Trust of a folder covers the repositories inside it.
    pub fn known(&self, folder: &Path, path: &str) -> Known<'_> {
        let mut found = Known::Nothing;
        for (trusted_folder, trusted) in
            self.folders.iter().filter(|(trusted, _)| folder.starts_with(trusted))
        {
            let key = match folder.strip_prefix(trusted_folder) {
                Ok(below) if !below.as_os_str().is_empty() => below.join(path).to_string_lossy().into_owned(),
                _ => path.to_owned(),
            };
            match trusted.skills.get(&key) {
                Some(files) => return Known::Before(files),
                None => found = Known::Folder,
            }
        }
        found
    }

    /// Whether the user writes this skill and it can do no more than the user said.
    pub fn is_own(&self, real: &Path, capabilities: &BTreeSet<String>) -> bool {
        self.own.get(real).is_some_and(|can| !capability::grew(can, capabilities))
    }

    /// Remembers that a folder is trusted with these skills, in place of what was known about it.
    pub fn trust(&mut self, folder: PathBuf, skills: BTreeMap<String, TrustedFiles>) {
        self.folders.insert(folder, Trusted { skills });
    }

    /// Removes trust, also of the user's own skills below; returns the skills that were trusted, when the folder was.
    pub fn untrust(&mut self, folder: &Path) -> Option<Trusted> {
        self.own.retain(|skill, _| !skill.starts_with(folder));
        self.folders.remove(folder)
    }
}
