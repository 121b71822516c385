//! The process environment as a value, so that every decision below is a function of its
//! arguments. Only the program fills it from the real process.

use crate::packages::Packages;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
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
}

impl Environment {
    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).filter(|value| !value.is_empty()).cloned()
    }

    /// Whether a program of that name is on the search path.
    pub fn has_program(&self, name: &str) -> bool {
        if name.is_empty() || name.contains(['/', '\\']) {
            return false;
        }
        let path = self.variables.get("PATH").map(String::as_str).unwrap_or_default();
        std::env::split_paths(path)
            .filter(|folder| folder.is_absolute())
            .any(|folder| is_program(&folder.join(name)))
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
