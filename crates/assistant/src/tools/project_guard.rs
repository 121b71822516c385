//! What a program of the user may not change in a project although it may write there: what instructs git, agents, editors
//! or shells. For a whole agent that runs in the sandbox, as `run_command` guards it for a single command.

use super::{
    confine::{PLACES, mounts_between},
    path_access::names_around,
    put_aside::Watch,
};
use crate::project;
use skillful::Workspace;
use skillful_runtime::project_scan::{ProjectScan, scan};
use std::path::{Path, PathBuf};

/// A place that was put aside: its name, and the new one, or why it stayed.
pub type PutAside = (PathBuf, Result<PathBuf, String>);

/// The guarded places of folders that a program may write.
#[derive(Debug)]
pub struct ProjectGuard {
    /// Places that stay as they are.
    pub read_only: Vec<PathBuf>,
    /// Folders above them, which must not be moved away.
    pub writable: Vec<PathBuf>,
    /// Files with the values of variables of skills.
    pub hidden: Vec<PathBuf>,
    /// Whether everything was seen.
    pub complete: bool,
    watch: Watch,
}

/// Why a project cannot be guarded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotGuarded {
    /// The folder itself is such a place.
    #[error("`{}` is itself a place that instructs agents, git or other tools", .0.display())]
    Itself(PathBuf),
    /// More than a sandbox takes.
    #[error("it has more than {0} places that instruct agents, git or other tools")]
    TooMany(usize),
}

impl ProjectGuard {
    /// Looks for the places in real folders that a program may write; `folder` is where it starts.
    pub fn of(workspace: &Workspace, folders: &[PathBuf], folder: &Path) -> Result<Self, NotGuarded> {
        let home = &workspace.environment().home;
        let home = home.canonicalize().unwrap_or_else(|_| home.clone());
        let bases: Vec<PathBuf> = folders.iter().cloned().chain([folder.to_owned()]).collect();
        let names = names_around(&project::guarded_names(workspace.agents()), &bases, &home);
        if let Some(itself) = folders.iter().find(|folder| names.reason(folder).is_some()) {
            return Err(NotGuarded::Itself(itself.clone()));
        }
        let found = scan(folders, &names);
        let within = |path: &PathBuf| folders.iter().any(|wide| path != wide && path.starts_with(wide));
        // A link cannot be kept itself: what it leads to is kept, and the link is checked afterwards.
        let is_real = |path: &PathBuf| path.canonicalize().is_ok_and(|real| real == *path);
        let kept = found.guarded.iter().filter(|path| within(path) && is_real(path));
        let read_only: Vec<PathBuf> = kept.filter(|path| !found.variables.contains(*path)).cloned().collect();
        if read_only.len() + found.variables.len() > PLACES {
            return Err(NotGuarded::TooMany(PLACES));
        }
        let ProjectScan { variables, complete, .. } = found.clone();
        let top = bases.iter().flat_map(|base| names.paths().iter().map(|name| base.join(name)));
        let top: Vec<PathBuf> = top.collect();
        let watch = Watch::new(folders.to_vec(), names, found, top.into_iter());
        Ok(Self {
            writable: mounts_between(&read_only, folders),
            read_only,
            hidden: variables.into_iter().collect(),
            complete,
            watch,
        })
    }

    /// Looks at the places that matter most, while the program runs.
    pub fn glance(&self) {
        self.watch.glance();
    }

    /// Looks everywhere, after the program. Returns every place that it made and that was renamed.
    pub fn finish(&self) -> Vec<PutAside> {
        self.watch.finish()
    }
}
