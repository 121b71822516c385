//! The site of an install: the folder of a lock, and the folders of agents below it.

use super::InstallError;
use cap_std::{ambient_authority, fs::Dir};
use skillful_catalog::{
    AgentProfile, Scope,
    profile::{RootKind, RootRule},
};
use skillful_format::{Limits, TreePath};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

/// For whom a skill is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// For a project; the lock is at its top. No link of the project leads outside it.
    Project,
    /// For one user; the lock lies in their home, whose links are their own.
    User,
}

/// The folder of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The folder that places are relative to.
    pub base: PathBuf,
    /// Where the lock itself lies; the same for a project.
    pub lock: PathBuf,
    /// For whom.
    pub reach: Reach,
}

impl Site {
    /// A project.
    pub fn project(base: PathBuf) -> Self {
        Self { lock: base.clone(), base, reach: Reach::Project }
    }

    /// A user; their lock is kept with the program's own data.
    pub fn user(home: PathBuf, data: PathBuf) -> Self {
        Self { base: home, lock: data, reach: Reach::User }
    }

    /// A place on the disk.
    pub fn path(&self, place: &TreePath) -> PathBuf {
        self.base.join(place.as_str())
    }

    /// A handle of a folder below the base; `.` is the base itself.
    pub(super) fn folder(&self, folder: &str) -> io::Result<Dir> {
        match self.reach {
            Reach::Project => self.top()?.open_dir(folder),
            Reach::User => Dir::open_ambient_dir(self.base.join(folder), ambient_authority()),
        }
    }

    pub(super) fn top(&self) -> io::Result<Dir> {
        Dir::open_ambient_dir(&self.base, ambient_authority())
    }
}

/// Where an agent reads skills, from the folder of the lock: its folders of that scope, the first one first.
pub fn read_folders(
    agent: &AgentProfile,
    site: &Site,
    home: &Path,
    variables: &BTreeMap<String, String>,
) -> Result<Vec<TreePath>, InstallError> {
    let (scope, reach) = match site.reach {
        Reach::Project => (Scope::Project, "project"),
        Reach::User => (Scope::User, "user"),
    };
    let variable = |name: &str| variables.get(name).filter(|value| !value.is_empty()).cloned();
    let is_read = |root: &&RootRule| root.scope == scope && root.kind == RootKind::Skills && !root.opt_in;
    let roots = agent.roots.iter().filter(is_read);
    let folders: Vec<PathBuf> = roots.filter_map(|root| folder_of(root, site, home, &variable)).collect();
    let first = folders.first().ok_or_else(|| InstallError::NoFolder { agent: agent.id.clone(), reach })?;
    let found: Vec<TreePath> = folders.iter().filter_map(|folder| below(folder, site)).collect();
    if found.is_empty() {
        let (agent, folder, base) = (agent.id.clone(), first.clone(), site.base.clone());
        return Err(InstallError::Elsewhere { agent, folder, base });
    }
    Ok(found)
}

/// Every folder in which any agent reads skills at this site, from the folder of the lock.
pub fn skills_folders<'h>(
    agents: impl IntoIterator<Item = &'h AgentProfile>,
    site: &Site,
    home: &Path,
    variables: &BTreeMap<String, String>,
) -> BTreeSet<TreePath> {
    let scope = match site.reach {
        Reach::Project => Scope::Project,
        Reach::User => Scope::User,
    };
    let variable = |name: &str| variables.get(name).filter(|value| !value.is_empty()).cloned();
    let roots = agents.into_iter().flat_map(|agent| &agent.roots);
    roots
        .filter(|root| root.scope == scope && root.kind == RootKind::Skills)
        .filter_map(|root| below(&folder_of(root, site, home, &variable)?, site))
        .collect()
}

/// The folder of a rule; none for a folder of the user that a variable makes depend on the working folder.
fn folder_of(
    root: &RootRule,
    site: &Site,
    home: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<PathBuf> {
    match site.reach {
        Reach::Project => root.path.resolve(&site.base, home, variable),
        Reach::User => root.path.resolve_anywhere(home, variable),
    }
}

/// A folder, from the folder of the lock.
fn below(folder: &Path, site: &Site) -> Option<TreePath> {
    let below = folder.strip_prefix(&site.base).ok()?.to_str()?;
    TreePath::new(below.trim_end_matches('/'), &Limits::default()).ok()
}

/// A path and what is above it; `.` when it stands alone.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or((".", path))
}
