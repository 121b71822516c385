//! The process environment as a value, so that every decision below is a function of its
//! arguments. Only the program fills it from the real process.

use crate::packages::Packages;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The surroundings of one call.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The working folder, absolute.
    pub cwd: PathBuf,
    /// The user's home folder.
    pub home: PathBuf,
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// What this agent can do, for `requires_capability`.
    pub capabilities: BTreeSet<String>,
    /// Experimental features that are enabled.
    pub features: BTreeSet<String>,
    /// Installed packages. Without a look at the machine none is.
    pub packages: Packages,
    /// Name of the operating system as `OpenClaw` writes it: `linux`, `darwin`, `win32`.
    pub system: String,
    /// Programs that were looked for, while [`Environment::remember_programs`] is in effect.
    pub programs: KnownPrograms,
}

/// Which programs are on the search path, as far as they were looked for. A copy knows nothing.
#[derive(Debug, Default)]
pub struct KnownPrograms(Mutex<Option<BTreeMap<String, bool>>>);

impl KnownPrograms {
    fn known(&self) -> MutexGuard<'_, Option<BTreeMap<String, bool>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for KnownPrograms {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Ends with [`Environment::remember_programs`].
#[derive(Debug)]
pub struct Remembering<'a>(&'a KnownPrograms);

impl Drop for Remembering<'_> {
    fn drop(&mut self) {
        *self.0.known() = None;
    }
}

impl Environment {
    /// A variable that is set, also to nothing, which some programs distinguish from one that is not set.
    pub fn set_variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    /// Looks for each program once until the result is dropped or [`Environment::forget_programs`] is called: a turn
    /// asks the gate about every skill, and many skills need the same programs.
    pub fn remember_programs(&self) -> Remembering<'_> {
        *self.programs.known() = Some(BTreeMap::new());
        Remembering(&self.programs)
    }

    /// Looks for programs again, because a command may have installed some.
    pub fn forget_programs(&self) {
        self.programs.known().iter_mut().for_each(BTreeMap::clear);
    }

    /// Whether a program of that name is on the search path.
    pub fn has_program(&self, name: &str) -> bool {
        if name.is_empty() || name.contains(['/', '\\']) {
            return false;
        }
        if let Some(is_there) = self.programs.known().as_ref().and_then(|known| known.get(name)) {
            return *is_there;
        }
        let path = self.variables.get("PATH").map(String::as_str).unwrap_or_default();
        let is_there = std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .any(|folder| is_program(&folder.join(name)));
        if let Some(known) = &mut *self.programs.known() {
            known.insert(name.to_owned(), is_there);
        }
        is_there
    }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    ["", "exe", "cmd", "bat"].iter().any(|ending| path.with_extension(ending).is_file())
}

/// The user that the gate decides about. The gate needs nothing else about a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Principal {
    /// The user, for disable rules of their own.
    pub user: Option<String>,
    /// Whether `admin_only` skills are for them.
    pub admin: bool,
}
