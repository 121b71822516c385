//! Walking a folder: `.gitignore` is kept to, `.git` is not entered, no link is followed, the order is
//! fixed, and there is an end to it.

use ignore::{DirEntry, WalkBuilder};
use skillful_llm::Cancel;
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Entries that are looked at.
const ENTRIES: usize = 200_000;
/// How long a walk may take.
const TIME: Duration = Duration::from_secs(20);
/// Folders below folders.
const DEPTH: usize = 64;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Everything was seen.
    Whole,
    /// Whoever walked had enough.
    Enough,
    /// There was too much, or it took too long.
    Bound,
    /// Nobody wants it any more.
    Cancelled,
}

/// What a walk meets.
pub(super) struct Met<'a> {
    /// Where it is.
    pub(super) path: &'a Path,
    /// The same, below where the walk began.
    pub(super) below: &'a Path,
    pub(super) depth: usize,
    pub(super) is_folder: bool,
    pub(super) is_file: bool,
    pub(super) is_link: bool,
}

/// Walks below a real path, each folder before what is in it, until `see` has enough.
pub(super) fn walk(root: &Path, depth: usize, cancel: &Cancel, mut see: impl FnMut(&Met<'_>) -> bool) -> End {
    let start = Instant::now();
    let walker = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        // What the person ignores everywhere lies in their home, which is not looked at here.
        .git_global(false)
        .require_git(false)
        .max_depth(Some(depth.min(DEPTH)))
        .filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git")
        .sort_by_file_name(Ord::cmp)
        .build();
    for (count, entry) in walker.enumerate() {
        if cancel.is_cancelled() {
            return End::Cancelled;
        }
        if count >= ENTRIES || start.elapsed() > TIME {
            return End::Bound;
        }
        // A folder that cannot be read is passed over, as `ls -R` does.
        let Ok(entry) = entry else { continue };
        if entry.depth() == 0 && !is(&entry, std::fs::FileType::is_file) {
            continue;
        }
        let below = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let met = Met {
            path: entry.path(),
            below: if below.as_os_str().is_empty() { Path::new(".") } else { below },
            depth: entry.depth(),
            is_folder: is(&entry, std::fs::FileType::is_dir),
            is_file: is(&entry, std::fs::FileType::is_file),
            is_link: is(&entry, std::fs::FileType::is_symlink),
        };
        if !see(&met) {
            return End::Enough;
        }
    }
    End::Whole
}

fn is(entry: &DirEntry, what: impl Fn(&std::fs::FileType) -> bool) -> bool {
    entry.file_type().is_some_and(|kind| what(&kind))
}

/// What a model is told about the end of a walk.
pub(super) fn told(end: End, more: &str) -> Option<String> {
    match end {
        End::Whole => None,
        End::Enough => Some(format!("({more})")),
        End::Bound => {
            Some(format!("(stopped after {ENTRIES} entries or {} s; name a narrower path)", TIME.as_secs()))
        }
        End::Cancelled => Some("(cancelled before everything was seen)".to_owned()),
    }
}

/// A path that a walk can begin at.
pub(super) fn root(path: &Path, name: &str, file_too: bool) -> Result<PathBuf, String> {
    let meta = path.symlink_metadata().map_err(|error| format!("`{name}` cannot be looked into: {error}"))?;
    match () {
        () if crate::tools::ground::is_kernel(path) => {
            Err(format!("`{name}` is a part of the kernel, which is never looked into"))
        }
        () if meta.is_dir() || file_too && meta.is_file() => Ok(path.to_owned()),
        () if meta.is_file() => Err(format!("`{name}` is a file; read_file shows it")),
        () => Err(format!("`{name}` is neither a file nor a folder")),
    }
}
