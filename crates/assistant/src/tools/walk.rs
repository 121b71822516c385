//! Walks a folder: respects `.gitignore`, skips `.git`, follows no links, in a fixed order and with limits.

use ignore::{DirEntry, WalkBuilder};
use skillful_llm::Cancel;
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Most entries of a walk.
const ENTRIES: usize = 200_000;
/// Time limit of a walk.
const TIME: Duration = Duration::from_secs(20);
/// Most levels of folders.
const DEPTH: usize = 64;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// Everything was visited.
    Whole,
    /// The visitor had enough.
    Enough,
    /// A limit was reached.
    Bound,
    /// The user cancelled.
    Cancelled,
}

/// An entry of a walk.
pub(super) struct WalkEntry<'a> {
    /// The path.
    pub(super) path: &'a Path,
    /// The path relative to the start of the walk.
    pub(super) below: &'a Path,
    pub(super) depth: usize,
    pub(super) is_folder: bool,
    pub(super) is_file: bool,
    pub(super) is_link: bool,
}

/// Walks below a real path, each folder before what is in it, until `visit` has enough.
pub(super) fn walk(
    root: &Path,
    depth: usize,
    cancel: &Cancel,
    mut visit: impl FnMut(&WalkEntry<'_>) -> bool,
) -> WalkEnd {
    let start = Instant::now();
    let walker = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        // The user's global ignore file is in the home, which tools do not read.
        .git_global(false)
        .require_git(false)
        .max_depth(Some(depth.min(DEPTH)))
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    for (count, entry) in walker.enumerate() {
        if cancel.is_cancelled() {
            return WalkEnd::Cancelled;
        }
        if count >= ENTRIES || start.elapsed() > TIME {
            return WalkEnd::Bound;
        }
        // A folder that cannot be read is skipped, as `ls -R` does.
        let Ok(entry) = entry else { continue };
        if entry.depth() == 0 && !is(&entry, std::fs::FileType::is_file) {
            continue;
        }
        let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let met = WalkEntry {
            path: entry.path(),
            below: if below.as_os_str().is_empty() { Path::new(".") } else { below },
            depth: entry.depth(),
            is_folder: is(&entry, std::fs::FileType::is_dir),
            is_file: is(&entry, std::fs::FileType::is_file),
            is_link: is(&entry, std::fs::FileType::is_symlink),
        };
        if !visit(&met) {
            return WalkEnd::Enough;
        }
    }
    WalkEnd::Whole
}

fn is(entry: &DirEntry, what: impl Fn(&std::fs::FileType) -> bool) -> bool {
    entry.file_type().is_some_and(|kind| what(&kind))
}

/// A note for the model about the end of a walk.
pub(super) fn end_note(end: WalkEnd, more: &str) -> Option<String> {
    match end {
        WalkEnd::Whole => None,
        WalkEnd::Enough => Some(format!("({more})")),
        WalkEnd::Bound => {
            Some(format!("(stopped after {ENTRIES} entries or {} s; name a narrower path)", TIME.as_secs()))
        }
        WalkEnd::Cancelled => Some("(cancelled before everything was visited)".to_owned()),
    }
}

/// Checks that a walk can start at a path.
pub(super) fn root(path: &Path, name: &str, file_too: bool) -> Result<PathBuf, String> {
    let meta = path.symlink_metadata().map_err(|error| format!("`{name}` cannot be read: {error}"))?;
    match () {
        () if crate::tools::path_access::is_kernel(path) => {
            Err(format!("`{name}` belongs to the kernel and is never read"))
        }
        () if meta.is_dir() || file_too && meta.is_file() => Ok(path.to_owned()),
        () if meta.is_file() => Err(format!("`{name}` is a file; read_file shows it")),
        () => Err(format!("`{name}` is neither a file nor a folder")),
    }
}
