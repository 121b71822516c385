//! Paths as a command writes them, resolved by their words alone.

use super::words::Dialect;
use std::{
    path::{Component, Path, PathBuf},
    rc::Rc,
};

/// A word longer than this is no path.
const PATH_LIMIT: usize = 4096;
/// Folders called `scripts` on one path that are looked at.
const MOST_SCRIPTS: usize = 16;

/// Where a command runs.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    /// `None` when it cannot be known, after `cd -` or `cd $X`.
    cwd: Option<Rc<Path>>,
    home: &'a Path,
}

impl<'a> Place<'a> {
    pub(super) fn new(cwd: &Path, home: &'a Path) -> Self {
        Self { cwd: Some(cwd.into()), home }
    }

    /// Follows a `cd`.
    pub(super) fn change(&mut self, target: Option<&str>, dialect: Dialect) {
        self.cwd = match target {
            None | Some("~" | "$HOME" | "${HOME}") => Some(self.home.into()),
            Some(word) if word.starts_with('-') => None,
            // A path that only grows would make every later word expensive.
            Some(word) => {
                let path = self.path(word, dialect);
                path.filter(|path| path.as_os_str().len() <= PATH_LIMIT).map(Into::into)
            }
        };
    }

    /// The absolute path that a word means. What a shell would have to work out is not known.
    pub(super) fn path(&self, word: &str, dialect: Dialect) -> Option<PathBuf> {
        if word.is_empty() || word.len() > PATH_LIMIT {
            return None;
        }
        let word = match dialect {
            Dialect::Posix => word.to_owned(),
            Dialect::PowerShell => word.replace('\\', "/"),
        };
        let home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|prefix| word.strip_prefix(prefix));
        let (base, rest) = match home {
            Some(rest) => (Some(self.home), rest),
            None => (self.cwd.as_deref(), word.as_str()),
        };
        if rest.contains(['$', '`', '\0']) {
            return None;
        }
        if Path::new(rest).is_absolute() && home.is_none() {
            return Some(flat(Path::new(rest)));
        }
        Some(flat(&base?.join(rest.trim_start_matches('/'))))
    }
}

/// The path without `.` and `..`.
fn flat(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// The folders above a path that have it below their `scripts`, the nearest first.
pub(super) fn above_scripts(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors()
        .skip(1)
        .filter(|folder| folder.file_name().is_some_and(|name| name == "scripts"))
        .take(MOST_SCRIPTS)
        .filter_map(Path::parent)
}
