//! The reach of reading or writing a path. Pure: it depends on real paths only.
//!
//! Names are compared without case and without characters that some file systems ignore, so that no other
//! spelling of a guarded path is let through.

use crate::{tool::Reach, tool_environment::ToolEnvironment, tools::real_path};
use std::path::{Path, PathBuf};

/// Files with instructions for agents.
const INSTRUCTIONS: [&str; 5] = ["agents.md", "agents.override.md", "claude.md", "gemini.md", ".cursorrules"];
/// Files from which git runs programs.
const GIT: [&str; 3] = [".git/hooks", ".git/config", ".git/modules"];
/// Folders that decide what Skillful may do.
const OWN: [&str; 3] = [".skillful", ".config/skillful", ".local/share/skillful"];
/// Folders that hold keys.
const KEY_FOLDERS: [&str; 13] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".azure",
    ".kube",
    ".docker/config.json",
    ".password-store",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".local/share/keyrings",
    "library/keychains",
    "skillful/secrets",
];
/// Files that hold keys, by name.
const KEY_FILES: [&str; 17] = [
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".vault-token",
    ".terraformrc",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "secrets.toml",
    "secrets.json",
];
/// Files that hold keys, by ending.
const KEY_ENDINGS: [&str; 9] = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".age"];
/// Files that hold keys, by beginning.
const KEY_BEGINNINGS: [&str; 5] = [".env.", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"];
/// Endings of harmless files that look like key files.
const SHOWN: [&str; 6] = [".example", ".sample", ".template", ".dist", ".defaults", ".pub"];
/// Folders of the kernel.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The reach of one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PathAccess {
    /// The reach.
    pub(super) reach: Reach,
    /// Why the reach is wider than expected; a clause.
    pub(super) why: Option<&'static str>,
}

const fn access(reach: Reach) -> PathAccess {
    PathAccess { reach, why: None }
}

/// What a tool environment allows, by real paths.
#[derive(Clone, Debug, Default)]
pub(super) struct PathRules {
    /// The project; `None` when it contains the home, since then it would be all files of the user.
    pub(super) project: Option<PathBuf>,
    pub(super) readable: Vec<PathBuf>,
    pub(super) writable: Vec<PathBuf>,
    /// Folders of skills.
    pub(super) guarded: Vec<PathBuf>,
    /// Relative paths that hold skills in any folder.
    pub(super) names: Vec<PathBuf>,
}

impl PathRules {
    /// The rules of a tool environment, with real paths.
    pub(super) fn of(env: &ToolEnvironment<'_>) -> Self {
        let real = |path: &PathBuf| real_path::resolve(path).unwrap_or_else(|_| path.clone());
        let all = |paths: &[PathBuf]| paths.iter().map(real).collect::<Vec<_>>();
        let home = real(&env.home);
        let project = [&env.project, &env.folder].into_iter().map(real).find(|path| !home.starts_with(path));
        // Both as written and as resolved, so that a path matches either way.
        let guarded =
            outermost(env.guarded.iter().cloned().chain(real_path::resolve_all(&env.guarded)).collect());
        Self {
            project,
            readable: all(&env.grants.readable),
            writable: all(&env.grants.writable),
            guarded,
            names: env.guarded_names.clone(),
        }
    }

    /// The reach of reading a real path.
    pub(super) fn reading(&self, path: &Path) -> PathAccess {
        if is_key(path) {
            return PathAccess { reach: Reach::Beyond, why: Some("it may hold keys") };
        }
        let within = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        let inside = self.project.as_ref().is_some_and(|project| path.starts_with(project))
            || within(&self.readable)
            || within(&self.writable)
            || within(&self.guarded);
        access(if inside { Reach::Nothing } else { Reach::Beyond })
    }

    /// The reach of writing a real path.
    pub(super) fn writing(&self, path: &Path) -> PathAccess {
        if let Some(why) = self.guard_reason(path) {
            return PathAccess { reach: Reach::Guarded, why: Some(why) };
        }
        if is_key(path) {
            return PathAccess { reach: Reach::Beyond, why: Some("it may hold keys") };
        }
        let inside = self.project.iter().chain(&self.writable).any(|folder| path.starts_with(folder));
        access(if inside { Reach::Project } else { Reach::Beyond })
    }

    /// Why a change of this path would change what agents or git do.
    pub(super) fn guard_reason(&self, path: &Path) -> Option<&'static str> {
        let parts = parts(path);
        let below = |folder: &PathBuf| starts(&parts, &self::parts(folder));
        if self.guarded.iter().any(below) || self.names.iter().any(|names| holds(&parts, &self::parts(names)))
        {
            return Some("it is in a folder of skills, which instruct agents");
        }
        if parts.last().is_some_and(|name| INSTRUCTIONS.contains(&name.as_str())) {
            return Some("it instructs agents");
        }
        let any = |all: &[&str]| all.iter().any(|names| holds(&parts, &self::parts(Path::new(names))));
        match () {
            () if any(&GIT) => Some("git runs programs from there"),
            () if any(&OWN) => Some("it decides what Skillful may do"),
            () => None,
        }
    }
}

/// Removes folders that are inside another one: thousands of skills become one folder.
fn outermost(mut folders: Vec<PathBuf>) -> Vec<PathBuf> {
    folders.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if !kept.last().is_some_and(|last| folder.starts_with(last)) {
            kept.push(folder);
        }
    }
    kept
}

/// Whether a file may hold keys, by its name and by the folders above it.
pub(super) fn is_key(path: &Path) -> bool {
    let parts = parts(path);
    if KEY_FOLDERS.iter().any(|names| holds(&parts, &self::parts(Path::new(names)))) {
        return true;
    }
    let Some(name) = parts.last() else { return false };
    if SHOWN.iter().any(|ending| name.ends_with(ending)) {
        return false;
    }
    KEY_FILES.contains(&name.as_str())
        || KEY_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || KEY_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// Whether a path belongs to the kernel.
pub(super) fn is_kernel(path: &Path) -> bool {
    KERNEL.iter().any(|kernel| path.starts_with(kernel))
}

/// Files and folders of a project that decide what agents, git or Skillful do.
pub(super) fn watched(project: &Path) -> impl Iterator<Item = PathBuf> {
    let files = ["AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".skillful"];
    files.into_iter().chain(GIT).map(move |name| project.join(name))
}

/// The names of a path, folded as the most lenient file system does.
fn parts(path: &Path) -> Vec<String> {
    let normal = |component| match component {
        std::path::Component::Normal(name) => Some(fold(&name.to_string_lossy())),
        _ => None,
    };
    path.components().filter_map(normal).collect()
}

fn fold(name: &str) -> String {
    let unseen = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(|c| !unseen(c)).collect();
    // Both directions, since some letters map in one direction only.
    seen.to_uppercase().to_lowercase()
}

fn starts(parts: &[String], with: &[String]) -> bool {
    !with.is_empty() && parts.starts_with(with)
}

/// Whether these names appear consecutively in a path.
fn holds(parts: &[String], names: &[String]) -> bool {
    !names.is_empty() && parts.windows(names.len()).any(|window| window == names)
}

#[cfg(test)]
mod tests;
