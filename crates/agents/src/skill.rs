//! A skill on its way through the rules of an agent, and what becomes of it when one refuses it.

use super::{Listed, UnseenCode};
use skillful_profiles::{AgentProfile, ListedPath, Scope};
use std::path::{Path, PathBuf};

/// A file that passed the agent's walk, on its way through the other rules.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The file, as found.
    pub(super) file: PathBuf,
    /// The same with the links of its folder resolved: one skill, however many ways lead to it.
    pub(super) key: PathBuf,
    /// The file itself with all links resolved.
    pub(super) real: PathBuf,
    pub(super) scope: Scope,
    /// Number of the root.
    pub(super) root: usize,
    /// A plugin that owns it.
    pub(super) owner: Option<String>,
    pub(super) naming: Naming,
    /// Whether it lies in the root itself.
    pub(super) at_root: bool,
}

/// Where the name of a file comes from when its header does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Its folder.
    Folder,
    /// The file's own stem.
    StemUnlessNamed,
    /// The file's own stem, whatever the header says.
    Stem,
}

impl Found {
    pub(super) fn new(file: PathBuf, scope: Scope, root: usize) -> Self {
        let real = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
        Self {
            key: key_of(&file),
            real,
            file,
            scope,
            root,
            owner: None,
            naming: Naming::Folder,
            at_root: false,
        }
    }

    /// The path that the agent shows.
    pub(super) fn shown(&self, agent: &AgentProfile) -> &Path {
        match agent.list.path {
            ListedPath::Found => &self.file,
            ListedPath::Real => &self.real,
        }
    }
}

/// A skill that was read.
#[derive(Clone, Debug)]
pub(super) struct Skill {
    pub(super) found: Found,
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) listed: Listed,
    pub(super) warnings: Vec<String>,
}

/// A file that was lost on the way, and to which rule.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    pub(super) file: PathBuf,
    pub(super) key: PathBuf,
    pub(super) name: Option<String>,
    pub(super) cause: Cause,
}

/// Why something is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    pub(super) code: UnseenCode,
    pub(super) reason: String,
    pub(super) fix: Option<String>,
}

impl Cause {
    pub(super) fn new(code: UnseenCode, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), fix: None }
    }

    pub(super) fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }

    pub(super) fn lose(self, found: &Found, name: Option<String>) -> Loss {
        Loss { file: found.file.clone(), key: found.key.clone(), name, cause: self }
    }
}

/// A file with the links of its folder resolved.
pub(super) fn key_of(file: &Path) -> PathBuf {
    let folder = file.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    match (folder, file.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => file.to_path_buf(),
    }
}
