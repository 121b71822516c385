//! A skill while it passes through an agent's rules, and the record of a skill that a rule refused.

use super::{Listed, UnseenCode, real_path::RealPaths, walk::Surroundings};
use skillful_profiles::{AgentProfile, ListedPath, Scope};
use std::path::{Path, PathBuf};

/// A file that the agent's scan found; the other rules follow.
#[derive(Clone, Debug)]
pub(super) struct FoundSkill {
    /// The path as found.
    pub(super) file: PathBuf,
    /// The path with the links of its folder resolved: the identity of the skill, whatever path
    /// leads to it.
    pub(super) key: PathBuf,
    /// The path with all links resolved.
    pub(super) real: PathBuf,
    pub(super) scope: Scope,
    /// Index of the root.
    pub(super) root: usize,
    /// The plugin that contains it.
    pub(super) owner: Option<String>,
    pub(super) naming: Naming,
    /// Whether the file is directly in the root.
    pub(super) at_root: bool,
    /// What the scan learned about its folder; nothing for a file that no scan found.
    pub(super) surroundings: Option<Surroundings>,
}

/// Where the name of a skill comes from when the frontmatter does not set one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// The folder.
    Folder,
    /// The file name without its extension.
    StemUnlessNamed,
    /// The folder, unless the frontmatter sets a name; even in agents that name skills by their folder.
    FolderUnlessNamed,
    /// The path below a folder of commands, even if the frontmatter sets a name.
    Command(String),
}

impl FoundSkill {
    pub(super) fn new(file: PathBuf, scope: Scope, root: usize, paths: &mut RealPaths) -> Self {
        Self {
            key: paths.key_of(&file),
            real: paths.file(&file).unwrap_or_else(|| file.clone()),
            file,
            scope,
            root,
            owner: None,
            naming: Naming::Folder,
            at_root: false,
            surroundings: None,
        }
    }

    /// The same for a file that a scan found.
    pub(super) fn scanned(
        file: PathBuf,
        scope: Scope,
        root: usize,
        surroundings: Surroundings,
        paths: &mut RealPaths,
    ) -> Self {
        let real = if surroundings.is_plain { paths.plain_file(&file) } else { None };
        let found = match real {
            Some(real) => Self {
                key: real.clone(),
                real,
                file,
                scope,
                root,
                owner: None,
                naming: Naming::Folder,
                at_root: false,
                surroundings: None,
            },
            None => Self::new(file, scope, root, paths),
        };
        Self { surroundings: Some(surroundings), ..found }
    }

    /// Whether a file below the folder of the skill can exist.
    pub(super) fn may_have(&self, path: &str) -> bool {
        let folders = self.surroundings.as_ref().and_then(|known| known.folders.as_ref());
        match (folders, path.split_once('/')) {
            (Some(folders), Some((folder, _))) => {
                folders.iter().any(|name| name.eq_ignore_ascii_case(folder))
            }
            _ => true,
        }
    }

    /// The path that the agent shows.
    pub(super) fn shown(&self, agent: &AgentProfile) -> &Path {
        match agent.list.path {
            ListedPath::Found | ListedPath::RealRoot => &self.file,
            ListedPath::Real => &self.real,
            ListedPath::RealFolder => &self.key,
        }
    }
}

/// A skill that was read.
#[derive(Clone, Debug)]
pub(super) struct Skill {
    pub(super) found: FoundSkill,
    pub(super) name: String,
    /// Another name that the agent shows beside the first.
    pub(super) label: Option<String>,
    pub(super) description: Option<String>,
    pub(super) when_to_use: Option<String>,
    pub(super) listed: Listed,
    pub(super) warnings: Vec<String>,
}

/// A file that a rule refused.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    pub(super) file: PathBuf,
    pub(super) key: PathBuf,
    pub(super) name: Option<String>,
    pub(super) cause: Cause,
}

/// The reason why a rule refused a file.
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

    pub(super) fn lose(self, found: &FoundSkill, name: Option<String>) -> Loss {
        Loss { file: found.file.clone(), key: found.key.clone(), name, cause: self }
    }
}
