//! The reach of reading or writing a path. Pure: it depends on real paths only.
//!
//! Names are compared without case and without characters that some file systems ignore, so that no other
//! spelling of a guarded path is let through.

use crate::{tool::Reach, tool_environment::ToolEnvironment, tools::real_path};
pub(super) use skillful_runtime::key_files::{holds_variables, is_key};
use skillful_runtime::{git_places, key_files::folded, mounted_place, project_scan::GuardedNames};
use std::path::{Path, PathBuf};

/// Places from which the user's own tools run code as soon as they look at a project: git, editors, shells.
const TOOLS: [&str; 63] = [
    ".vscode",
    ".idea",
    ".fleet",
    ".devcontainer",
    ".devcontainer.json",
    ".envrc",
    ".husky",
    ".githooks",
    ".pre-commit-config.yaml",
    "lefthook.yml",
    ".lefthook.yml",
    ".lefthook.yaml",
    "lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
    ".lefthook.toml",
    ".lefthook.json",
    "lefthook-local.yml",
    "lefthook-local.yaml",
    "lefthook-local.toml",
    ".lefthook-local.yml",
    ".lefthook-local.yaml",
    ".config/lefthook.yml",
    ".overcommit.yml",
    "prek.toml",
    ".tool-versions",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".vimrc",
    ".dir-locals.el",
    ".gdbinit",
    ".lldbinit",
    ".lvimrc",
    ".local.vimrc",
    ".helix",
    ".mise.toml",
    "mise.toml",
    ".mise.local.toml",
    "mise.local.toml",
    ".mise/config.toml",
    ".config/mise",
    ".autoenv",
    ".gitconfig",
    ".hg/hgrc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".zlogin",
    ".profile",
    ".sl/config",
    ".jj/repo/config.toml",
    ".amazonq",
    ".dir-locals-2.el",
    ".Rprofile",
    ".pdbrc",
    ".pryrc",
    ".irbrc",
    ".ghci",
    ".ocamlinit",
];
/// Folders that decide what Skillful may do.
const OWN: [&str; 3] = [".skillful", ".config/skillful", ".local/share/skillful"];
/// Entries that make a folder a repository of git, whatever its name.
const REPOSITORY: [&str; 3] = ["HEAD", "objects", "refs"];
/// Entries of such a folder from which git runs programs, or which make it a repository.
const RUNS: [&str; 8] =
    ["head", "objects", "refs", "config", "config.worktree", "hooks", "commondir", "info"];
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
    /// Relative paths that are guarded in any folder.
    pub(super) names: GuardedNames,
    /// The home.
    pub(super) home: PathBuf,
}

/// The guarded names: those of agents, and those of the user's own tools.
pub(super) fn guarded_names(of_agents: &[PathBuf]) -> GuardedNames {
    let mut names = GuardedNames::default();
    names.add(Path::new(".git"), "git runs programs from there");
    for path in of_agents {
        names.add(path, "it instructs agents");
    }
    for path in OWN {
        names.add(Path::new(path), "it decides what Skillful may do");
    }
    for path in TOOLS {
        names.add(Path::new(path), "tools of the user run code from there");
    }
    names
}

/// The guarded names, and the places that the configuration of git around these folders names.
pub(super) fn names_around(of_agents: &[PathBuf], folders: &[PathBuf], home: &Path) -> GuardedNames {
    let mut names = guarded_names(of_agents);
    for folder in folders {
        for place in git_places::named(folder, home) {
            names.add(&place, "the configuration of git names it, and git runs programs from there");
        }
    }
    names
}

impl PathRules {
    /// The rules of a tool environment, with real paths.
    pub(super) fn of(env: &ToolEnvironment<'_>) -> Self {
        let real = |path: &PathBuf| real_path::resolve(path).unwrap_or_else(|_| path.clone());
        let all = |paths: &[PathBuf]| paths.iter().map(real).collect::<Vec<_>>();
        let home = real(&env.home);
        let project = [&env.project, &env.folder]
            .into_iter()
            .map(real)
            .find(|path| !mounted_place::contains(path, &home));
        // Both as written and as resolved, so that a path matches either way.
        let guarded =
            outermost(env.guarded.iter().cloned().chain(real_path::resolve_all(&env.guarded)).collect());
        let folders: Vec<PathBuf> = project.iter().cloned().chain([real(&env.folder)]).collect();
        let names = names_around(&env.guarded_names, &folders, &home);
        Self {
            project,
            readable: all(&env.grants.readable),
            writable: all(&env.grants.writable),
            guarded,
            names,
            home,
        }
    }

    /// The reach of reading a real path.
    pub(super) fn reading(&self, path: &Path) -> PathAccess {
        if is_key(path) {
            return PathAccess { reach: Reach::Guarded, why: Some("it may hold keys") };
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
            return PathAccess { reach: Reach::Machine, why: Some("it may hold keys") };
        }
        let inside = self.project.iter().chain(&self.writable).any(|folder| path.starts_with(folder));
        if inside {
            return access(Reach::Project);
        }
        // Settings of the user's tools are there, in more places than a list could name.
        PathAccess { reach: Reach::Machine, why: Some("outside the project") }
    }

    /// Why a change of this path would change what agents, git or other tools do.
    pub(super) fn guard_reason(&self, path: &Path) -> Option<&'static str> {
        let parts = folded(path);
        if self.guarded.iter().any(|folder| starts(&parts, &folded(folder))) {
            return Some("it is in a folder of skills, which instruct agents");
        }
        self.names.reason(path).or_else(|| in_repository(path).then_some("git runs programs from there"))
    }
}

/// Whether a path is one of the entries that make its folder, or one above it, a repository of git.
fn in_repository(path: &Path) -> bool {
    let is_part = |folder: &Path| {
        let below = path.strip_prefix(folder).ok().and_then(|below| folded(below).into_iter().next());
        let other = |name: &&&str| below.as_deref().is_some_and(|below| !name.eq_ignore_ascii_case(below));
        let there = |name: &&&str| folder.join(name).symlink_metadata().is_ok();
        below.as_ref().is_some_and(|below| RUNS.contains(&below.as_str()))
            && REPOSITORY.iter().filter(other).filter(there).count() >= 2
    };
    path.ancestors().skip(1).any(is_part)
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

/// Whether a path belongs to the kernel.
pub(super) fn is_kernel(path: &Path) -> bool {
    KERNEL.iter().any(|kernel| path.starts_with(kernel))
}

fn starts(parts: &[String], with: &[String]) -> bool {
    !with.is_empty() && parts.starts_with(with)
}

#[cfg(test)]
mod tests;
