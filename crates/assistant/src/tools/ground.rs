//! How far reading or writing a path reaches. One pure table: it looks at real paths and at nothing else.
//!
//! Names are compared without their case and without characters that some file systems do not see, so
//! that no spelling of a guarded place counts as another place.

use crate::{scene::Scene, tool::Reach, tools::place};
use std::path::{Path, PathBuf};

/// Files that tell agents what to do.
const INSTRUCTIONS: [&str; 5] = ["agents.md", "agents.override.md", "claude.md", "gemini.md", ".cursorrules"];
/// What git does by itself.
const GIT: [&str; 3] = [".git/hooks", ".git/config", ".git/modules"];
/// What decides what this program may do.
const OWN: [&str; 3] = [".skillful", ".config/skillful", ".local/share/skillful"];
/// Folders that hold keys, wherever they lie.
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
/// And by their ending.
const KEY_ENDINGS: [&str; 9] = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".age"];
/// And by their beginning.
const KEY_BEGINNINGS: [&str; 5] = [".env.", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"];
/// What looks like such a file and is made to be shown.
const SHOWN: [&str; 6] = [".example", ".sample", ".template", ".dist", ".defaults", ".pub"];
/// The kernel, not files.
const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// What was found about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Judged {
    /// How far it reaches.
    pub(super) reach: Reach,
    /// Why that is more than one would think; a clause.
    pub(super) why: Option<&'static str>,
}

const fn judged(reach: Reach) -> Judged {
    Judged { reach, why: None }
}

/// What a scene allows, by real paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    /// The project; nothing when it holds the home, since then it would be everything of the person.
    pub(super) project: Option<PathBuf>,
    pub(super) readable: Vec<PathBuf>,
    pub(super) writable: Vec<PathBuf>,
    /// Folders of skills.
    pub(super) guarded: Vec<PathBuf>,
    /// And what they are called elsewhere.
    pub(super) names: Vec<PathBuf>,
}

impl Ground {
    /// The ground of a scene, with every path of it made real.
    pub(super) fn of(scene: &Scene<'_>) -> Self {
        let real = |path: &PathBuf| place::resolve(path).unwrap_or_else(|_| path.clone());
        let all = |paths: &[PathBuf]| paths.iter().map(real).collect::<Vec<_>>();
        let home = real(&scene.home);
        let project =
            [&scene.project, &scene.folder].into_iter().map(real).find(|path| !home.starts_with(path));
        // Both as they are written and where they lead: whichever way a path comes, it is met.
        let guarded =
            outermost(scene.guarded.iter().cloned().chain(place::resolve_all(&scene.guarded)).collect());
        Self {
            project,
            readable: all(&scene.grants.readable),
            writable: all(&scene.grants.writable),
            guarded,
            names: scene.guarded_names.clone(),
        }
    }

    /// How far reading a real path reaches.
    pub(super) fn reading(&self, path: &Path) -> Judged {
        if is_key(path) {
            return Judged { reach: Reach::Beyond, why: Some("it may hold keys") };
        }
        let within = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        let inside = self.project.as_ref().is_some_and(|project| path.starts_with(project))
            || within(&self.readable)
            || within(&self.writable)
            || within(&self.guarded);
        judged(if inside { Reach::Nothing } else { Reach::Beyond })
    }

    /// How far writing a real path reaches.
    pub(super) fn writing(&self, path: &Path) -> Judged {
        if let Some(why) = self.guards(path) {
            return Judged { reach: Reach::Guarded, why: Some(why) };
        }
        if is_key(path) {
            return Judged { reach: Reach::Beyond, why: Some("it may hold keys") };
        }
        let inside = self.project.iter().chain(&self.writable).any(|folder| path.starts_with(folder));
        judged(if inside { Reach::Project } else { Reach::Beyond })
    }

    /// Why a change there is one of what agents or git do.
    pub(super) fn guards(&self, path: &Path) -> Option<&'static str> {
        let parts = parts(path);
        let below = |folder: &PathBuf| starts(&parts, &self::parts(folder));
        if self.guarded.iter().any(below) || self.names.iter().any(|names| holds(&parts, &self::parts(names)))
        {
            return Some("skills lie there, and they tell agents what to do");
        }
        if parts.last().is_some_and(|name| INSTRUCTIONS.contains(&name.as_str())) {
            return Some("it tells agents what to do");
        }
        let any = |all: &[&str]| all.iter().any(|names| holds(&parts, &self::parts(Path::new(names))));
        match () {
            () if any(&GIT) => Some("git runs what stands there"),
            () if any(&OWN) => Some("it decides what Skillful may do"),
            () => None,
        }
    }
}

/// Folders without those that lie in another of them: a library of thousands of skills is one folder.
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

/// Whether a path is the kernel's: what looks like a file there is none.
pub(super) fn is_kernel(path: &Path) -> bool {
    KERNEL.iter().any(|kernel| path.starts_with(kernel))
}

/// Files and folders right in a project whose change is one of what agents, git or this program do.
pub(super) fn watched(project: &Path) -> impl Iterator<Item = PathBuf> {
    let files = ["AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", ".skillful"];
    files.into_iter().chain(GIT).map(move |name| project.join(name))
}

/// The names of a path, as the most forgiving file system compares them.
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
    // Both ways, since some letters have a case in one direction only.
    seen.to_uppercase().to_lowercase()
}

fn starts(parts: &[String], with: &[String]) -> bool {
    !with.is_empty() && parts.starts_with(with)
}

/// Whether names follow one another somewhere in a path.
fn holds(parts: &[String], names: &[String]) -> bool {
    !names.is_empty() && parts.windows(names.len()).any(|window| window == names)
}

#[cfg(test)]
mod tests;
