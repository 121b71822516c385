//! One bounded walk over the folders that a command can see: guarded places, folders of git, and files with keys.
//!
//! Breadth first, so that when a limit is reached the places near the top are known.

use crate::key_files::{self, fold, folded};
use skillful_catalog::variables::{SHARED_FILE, SKILL_FILE, SKILLS_FOLDER};
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap, VecDeque},
    fs::{DirEntry, FileType, Metadata},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

/// Entries of one walk.
const ENTRIES: usize = 150_000;
/// Time of one walk.
const TIME: Duration = Duration::from_secs(2);
/// The folder of git in a working tree.
const GIT: &str = ".git";
/// Entries of a folder of git that an ordinary `git commit`, `fetch`, `merge` or `rebase` writes. Everything else
/// decides what git runs, or nothing writes it.
const GIT_WRITES: [&str; 26] = [
    "objects",
    "refs",
    "logs",
    "lfs",
    "rr-cache",
    "index",
    "head",
    "orig_head",
    "fetch_head",
    "merge_head",
    "merge_msg",
    "merge_mode",
    "merge_rr",
    "merge_autostash",
    "cherry_pick_head",
    "revert_head",
    "rebase_head",
    "auto_merge",
    "commit_editmsg",
    "squash_msg",
    "tag_editmsg",
    "notes_editmsg",
    "packed-refs",
    "shallow",
    "gc.log",
    "gc.pid",
];
/// Folders in which git keeps the steps of an unfinished operation.
const GIT_STEPS: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];
/// Files with such steps.
const TODO: [&str; 3] = ["git-rebase-todo", "git-rebase-todo.backup", "todo"];
/// Bytes of such a file that are read.
const TODO_LIMIT: u64 = 1 << 20;

/// Names that are guarded in every folder, each with the reason.
#[derive(Clone, Debug, Default)]
pub struct GuardedNames {
    /// By the last name of the path.
    by_last: HashMap<String, Vec<(Vec<String>, &'static str)>>,
    /// As they are written.
    paths: Vec<PathBuf>,
}

impl GuardedNames {
    /// Adds a relative path.
    pub fn add(&mut self, path: &Path, why: &'static str) {
        let parts = folded(path);
        let Some(last) = parts.last().cloned() else { return };
        let known = self.by_last.entry(last).or_default();
        if !known.iter().any(|(names, _)| *names == parts) {
            known.push((parts, why));
            self.paths.push(path.to_owned());
        }
    }

    /// Every path that was added.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Why a path is guarded: it is such a place or is inside one. Agents keep working trees of projects in their
    /// own folders, which are projects like any other.
    pub fn reason(&self, path: &Path) -> Option<&'static str> {
        let parts = folded(path);
        let is_tree =
            |end: usize| parts[end - 1] != GIT && parts.get(end).is_some_and(|next| next == "worktrees");
        (1..=parts.len()).filter(|end| !is_tree(*end)).find_map(|end| self.ends(&parts[..end]))
    }

    fn ends(&self, parts: &[String]) -> Option<&'static str> {
        let known = self.by_last.get(parts.last()?)?;
        known.iter().find(|(names, _)| parts.ends_with(names)).map(|(_, why)| *why)
    }
}

/// What a walk found.
#[derive(Clone, Debug, Default)]
pub struct ProjectScan {
    /// Guarded files and folders, and entries of folders of git that commands must not change.
    pub guarded: BTreeSet<PathBuf>,
    /// Guarded places that are links, and where they lead.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Folders of git.
    pub git: BTreeSet<PathBuf>,
    /// Files and folders with keys.
    pub keys: BTreeSet<PathBuf>,
    /// Files with the values of variables.
    pub variables: BTreeSet<PathBuf>,
    /// Whether everything was seen.
    pub complete: bool,
}

impl ProjectScan {
    /// Guarded places that were not there before. After an incomplete walk a place counts as new when it changed
    /// since the command began.
    pub fn added(&self, before: &Self, began: SystemTime) -> Vec<PathBuf> {
        let is_new = |path: &Path| {
            before.complete || path.symlink_metadata().is_ok_and(|meta| changed(&meta) >= began)
        };
        let git = self.git.difference(&before.git).map(|folder| match folder.file_name() {
            Some(name) if fold(&name.to_string_lossy()) == GIT => folder.clone(),
            // A repository without a working tree is one by its HEAD.
            _ => folder.join("HEAD"),
        });
        let new_git: Vec<PathBuf> = git.filter(|path| is_new(path)).collect();
        let guarded = self.guarded.difference(&before.guarded).filter(|path| is_new(path));
        let mut all: Vec<PathBuf> =
            guarded.filter(|path| !new_git.iter().any(|folder| path.starts_with(folder))).cloned().collect();
        all.extend(new_git);
        all
    }
}

fn changed(meta: &Metadata) -> SystemTime {
    let since = Duration::from_secs(u64::try_from(meta.ctime()).unwrap_or(0));
    // The clock of files may be a little behind.
    SystemTime::UNIX_EPOCH + since + Duration::from_secs(2)
}

/// Walks over folders. A guarded folder is entered for its files with keys only.
pub fn scan(roots: &[PathBuf], names: &GuardedNames) -> ProjectScan {
    let mut found = ProjectScan { complete: true, ..ProjectScan::default() };
    let start = Instant::now();
    let index: RefCell<HashMap<PathBuf, Option<Vec<u8>>>> = RefCell::default();
    let mut left: VecDeque<(PathBuf, Vec<String>, bool)> =
        roots.iter().map(|root| (root.clone(), folded(root), false)).collect();
    let mut count = 0;
    while let Some((folder, parts, inside)) = left.pop_front() {
        let entries = entries(&folder);
        if !inside && is_git(&entries) {
            git_folder(&folder, &entries, &mut found);
            continue;
        }
        let skill = entries.iter().any(|entry| entry.name == "skill.md");
        for ScannedEntry { path, name, kind } in entries {
            count += 1;
            if count > ENTRIES || start.elapsed() > TIME {
                found.complete = false;
                return found;
            }
            if name == GIT && kind.is_dir() {
                if !inside {
                    git_folder(&path, &self::entries(&path), &mut found);
                }
                continue;
            }
            // Most entries are files with other names, for which no path is made.
            let below = || parts.iter().chain([&name]).cloned().collect::<Vec<String>>();
            if !inside && names.by_last.contains_key(&name) && names.ends(&below()).is_some() {
                guard(&path, kind, &mut found);
                if kind.is_file() && key_files::is_hidden_file(&path, &name, &|| None) {
                    found.keys.insert(path.clone());
                }
                if kind.is_dir() {
                    left.push_back((path, below(), true));
                }
                continue;
            }
            let index = || {
                let mut known = index.borrow_mut();
                known.entry(folder.clone()).or_insert_with(|| key_files::index_of(&folder)).clone()
            };
            let holds_values = skill && name == SKILL_FILE
                || name == SHARED_FILE && parts.last().is_some_and(|last| last == SKILLS_FOLDER);
            if kind.is_file() && holds_values {
                found.variables.insert(path);
            } else if kind.is_file() && key_files::is_hidden_file(&path, &name, &index) {
                found.keys.insert(path);
            } else if kind.is_dir() {
                let below = below();
                left.push_back((path, below, inside));
            }
        }
    }
    found
}

/// Entries of a folder of git that commands must not change.
pub fn git_guarded(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = ProjectScan::default();
    git_folder(folder, &entries(folder), &mut found);
    found.guarded
}

struct ScannedEntry {
    path: PathBuf,
    /// Folded.
    name: String,
    kind: FileType,
}

fn entries(folder: &Path) -> Vec<ScannedEntry> {
    // A folder that cannot be read cannot be read by a command either.
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let entry = |entry: DirEntry| {
        let name = fold(&entry.file_name().to_string_lossy());
        Some(ScannedEntry { path: entry.path(), name, kind: entry.file_type().ok()? })
    };
    entries.flatten().filter_map(entry).take(ENTRIES).collect()
}

/// Whether git would take a folder for a repository, whatever its name.
fn is_git(entries: &[ScannedEntry]) -> bool {
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    has("head") && has("objects") && has("refs")
}

fn guard(path: &Path, kind: FileType, found: &mut ProjectScan) {
    if kind.is_symlink() {
        found.links.extend(path.read_link().map(|target| (path.to_owned(), target)));
        // What the link leads to is what agents and git read.
        found.guarded.extend(path.canonicalize());
    }
    found.guarded.insert(path.to_owned());
}

fn git_folder(folder: &Path, entries: &[ScannedEntry], found: &mut ProjectScan) {
    found.git.insert(folder.to_owned());
    for entry in entries {
        let is_step = GIT_STEPS.contains(&entry.name.as_str());
        if is_step && runs_nothing(&entry.path) || !is_step && git_writes(&entry.name) {
            continue;
        }
        guard(&entry.path, entry.kind, found);
    }
}

fn git_writes(name: &str) -> bool {
    let beginnings = ["bisect_", "sharedindex.", "index.", "next-index-", "fsmonitor--daemon"];
    // A lock means nothing to git but that another process works.
    Path::new(name).extension().is_some_and(|ending| ending == "lock")
        || GIT_WRITES.contains(&name)
        || beginnings.iter().any(|beginning| name.starts_with(beginning))
}

/// Whether the steps of an unfinished operation run no program. For a merge strategy that git does not bring along it runs
/// `git-merge-NAME`, and the name may lead to a file of the project.
fn runs_nothing(folder: &Path) -> bool {
    let is_exec = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        matches!(word, "exec" | "x")
    };
    let is_plain = |name: &str, runs: &dyn Fn(&str) -> bool| {
        let file = folder.join(name);
        match file.symlink_metadata() {
            Err(_) => true,
            Ok(meta) => {
                meta.is_file()
                    && meta.len() <= TODO_LIMIT
                    && std::fs::read(&file)
                        .is_ok_and(|text| !String::from_utf8_lossy(&text).lines().any(runs))
            }
        }
    };
    let is_other =
        |name: &str| !matches!(name, "" | "octopus" | "ort" | "ours" | "recursive" | "resolve" | "subtree");
    let is_option = |line: &str| {
        let line = line.to_lowercase().replace("strategy-option", "");
        let value = line.split_once('=').map_or("", |(_, value)| value.trim().trim_matches('"'));
        line.contains("strategy") && is_other(value)
    };
    TODO.iter().all(|name| is_plain(name, &is_exec))
        && is_plain("strategy", &|line| is_other(line.trim()))
        && is_plain("opts", &is_option)
}

#[cfg(test)]
mod tests;
