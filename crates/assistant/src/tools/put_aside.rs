//! Guarded places that a command makes: while it runs those at the top of the project, and afterwards all of
//! them, are renamed, so that neither agents nor git find them and nothing is lost.

use skillful_runtime::project_scan::{GuardedNames, ProjectScan, git_guarded, scan};
use std::{
    cell::RefCell,
    collections::BTreeSet,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// The ending of the new name.
const ASIDE: &str = ".held";
/// Most numbers that are tried after it.
const NAMES: usize = 1000;

/// A place that was put aside: its name, and the new one, or why it stayed.
pub(super) type Aside = (PathBuf, Result<PathBuf, String>);

/// Watches for guarded places that were not there when the command began.
#[derive(Debug)]
pub(super) struct Watch {
    roots: Vec<PathBuf>,
    names: GuardedNames,
    before: ProjectScan,
    /// Places at the top that do not exist yet.
    missing: BTreeSet<PathBuf>,
    began: SystemTime,
    aside: RefCell<Vec<Aside>>,
}

impl Watch {
    /// Watches these folders, which looked like `before`; `top` are the places that are looked at again and again.
    pub(super) fn new(
        roots: Vec<PathBuf>,
        names: GuardedNames,
        before: ProjectScan,
        top: impl Iterator<Item = PathBuf>,
    ) -> Self {
        let missing = top.filter(|path| path.symlink_metadata().is_err()).collect();
        Self { roots, names, before, missing, began: SystemTime::now(), aside: RefCell::default() }
    }

    /// Places at the top that did not exist.
    pub(super) fn missing(&self) -> impl Iterator<Item = &PathBuf> {
        self.missing.iter()
    }

    /// Looks at the places that matter most, while the command runs.
    pub(super) fn glance(&self) {
        for path in self.missing.iter().filter(|path| path.symlink_metadata().is_ok()) {
            self.put_aside(path);
        }
        for folder in &self.before.git {
            for path in git_guarded(folder).difference(&self.before.guarded) {
                self.put_aside(path);
            }
        }
    }

    /// Looks everywhere, after the command. Returns every place that was put aside, once.
    pub(super) fn finish(&self) -> Vec<Aside> {
        self.glance();
        for path in scan(&self.roots, &self.names).added(&self.before, self.began) {
            self.put_aside(&path);
        }
        for (link, target) in &self.before.links {
            if link.read_link().ok().as_ref() != Some(target) {
                self.put_aside(link);
                let _put_aside_was_reported = std::os::unix::fs::symlink(target, link);
            }
        }
        let mut all = self.aside.borrow().clone();
        all.sort();
        all.dedup();
        all
    }

    fn put_aside(&self, path: &Path) {
        // A name that this watch gave is not a new place: the next glance would rename it again.
        let is_own = self.aside.borrow().iter().any(|(_, to)| to.as_deref() == Ok(path));
        if is_own {
            return;
        }
        let done = match rename(path) {
            Ok(Some(to)) => Ok(to),
            Ok(None) => return,
            Err(error) => Err(error.to_string()),
        };
        self.aside.borrow_mut().push((path.to_owned(), done));
    }
}

/// Gives a path a name that means nothing; `None` when it is gone.
fn rename(path: &Path) -> io::Result<Option<PathBuf>> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    for number in 0..NAMES {
        let mut name = OsString::from(path.file_name().unwrap_or_default());
        name.push(ASIDE);
        if number > 0 {
            name.push(format!("-{number}"));
        }
        let to = path.with_file_name(name);
        if to.symlink_metadata().is_err() {
            return match fs::rename(path, &to) {
                Ok(()) => Ok(Some(to)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            };
        }
    }
    Err(io::Error::other("there are too many files of this name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_aside_keeps_the_name_that_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        for name in ["objects", "refs"] {
            fs::create_dir_all(root.join(".git").join(name)).unwrap();
        }
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let names = GuardedNames::default();
        let before = scan(std::slice::from_ref(&root), &names);
        let watch = Watch::new(vec![root.clone()], names, before, std::iter::empty());
        fs::write(root.join(".git/commondir"), "elsewhere").unwrap();
        for _ in 0..3 {
            watch.glance();
        }
        let aside = watch.finish();
        assert_eq!(aside.len(), 1, "{aside:?}");
        assert_eq!(aside[0].1.as_ref().unwrap(), &root.join(".git/commondir.held"));
        assert!(root.join(".git/commondir.held").exists() && !root.join(".git/commondir").exists());
    }
}
