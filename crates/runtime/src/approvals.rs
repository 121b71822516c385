//! Whether the files of an installed skill are files that its user approved. It is asked each time a skill is
//! activated: files that changed since are not what the user agreed to.

use skillful_catalog::{disk, variables};
use skillful_format::{Digest, Limits};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

/// The folders that locks name, and the trees that the user approved. The default knows no lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    /// Folders of installed skills, the folder above each with links resolved.
    installed: BTreeSet<PathBuf>,
    /// Digests of approved trees.
    approved: BTreeSet<Digest>,
    /// Folders whose record of installed skills cannot be read, and why: nothing below them is activated.
    unreadable: BTreeMap<PathBuf, String>,
}

/// Why an installed skill may not be activated.
#[derive(Debug, thiserror::Error)]
pub enum NotApproved {
    /// Its files are not files that the user approved.
    #[error("you have not approved its files as they are now ({now})")]
    Files {
        /// What the folder holds now.
        now: Digest,
    },
    /// Its files cannot be read.
    #[error("its files cannot be compared with those you approved: {0}")]
    Unreadable(#[from] io::Error),
    /// The record of what is installed or approved cannot be read.
    #[error("it is not known whether you approved it: {0}")]
    NoRecord(String),
}

impl Approvals {
    /// From what locks name as installed, and what the user approved.
    pub fn new(
        folders: impl IntoIterator<Item = PathBuf>,
        approved: impl IntoIterator<Item = Digest>,
    ) -> Self {
        let mut parents = BTreeMap::new();
        let installed = folders.into_iter().map(|folder| resolved(&folder, &mut parents)).collect();
        Self { installed, approved: approved.into_iter().collect(), unreadable: BTreeMap::new() }
    }

    /// Closes everything below a folder, since what is installed there cannot be read.
    pub fn close(&mut self, folder: &Path, why: String) {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        self.unreadable.insert(folder, why);
    }

    /// Whether a lock names this folder.
    pub fn is_installed(&self, folder: &Path) -> bool {
        if self.installed.is_empty() {
            return false;
        }
        // A link at an installed place must not lead past the question, nor one to it.
        self.installed.contains(&resolved(folder, &mut BTreeMap::new()))
            || folder.canonicalize().is_ok_and(|real| self.installed.contains(&real))
    }

    /// Whether a skill may be activated: no lock names its folder, or the user approved the files that it has now.
    pub fn check(&self, folder: &Path) -> Result<(), NotApproved> {
        if !self.unreadable.is_empty() {
            let real = folder.canonicalize()?;
            if let Some((_, why)) = self.unreadable.iter().find(|(closed, _)| real.starts_with(closed)) {
                return Err(NotApproved::NoRecord(why.clone()));
            }
        }
        if !self.is_installed(folder) {
            return Ok(());
        }
        let now = digest(folder)?;
        if self.approved.contains(&now) { Ok(()) } else { Err(NotApproved::Files { now }) }
    }
}

/// A folder with the links above it resolved. Of many in one folder, what is above is resolved once.
fn resolved(folder: &Path, parents: &mut BTreeMap<PathBuf, PathBuf>) -> PathBuf {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
        return folder.to_path_buf();
    };
    if parent.as_os_str().is_empty() {
        return folder.to_path_buf();
    }
    let real = || parent.canonicalize().unwrap_or_else(|_| parent.to_path_buf());
    parents.entry(parent.to_path_buf()).or_insert_with(real).join(name)
}

/// The digest of a folder. What cannot be a part of a skill (links, devices, files beyond the limits)
/// would be missing in it, so its presence is an error.
fn digest(folder: &Path) -> io::Result<Digest> {
    let (tree, left_out) = disk::read_folder(folder, &Limits::default())?;
    if let Some(first) = left_out.first() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, first.message.clone()));
    }
    // The user may set values beside a skill at any time.
    Ok(variables::without_values(tree, &Limits::default()).0.digest())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_folder_is_used_only_with_files_that_were_approved() {
        let top = tempfile::tempdir().unwrap();
        let (skill, own) = (top.path().join("skills/a"), top.path().join("skills/b"));
        for folder in [&skill, &own] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("SKILL.md"), "text").unwrap();
        }
        let approved = digest(&skill).unwrap();
        let approvals = Approvals::new([skill.clone()], [approved]);
        assert!(approvals.check(&skill).is_ok() && approvals.is_installed(&skill));
        std::fs::write(skill.join("SKILL.md"), "other").unwrap();
        std::fs::write(own.join("SKILL.md"), "other").unwrap();
        assert!(matches!(approvals.check(&skill), Err(NotApproved::Files { .. })));
        assert!(approvals.check(&own).is_ok(), "no lock names it");
    }

    #[test]
    fn a_link_in_the_place_of_an_installed_folder_does_not_pass() {
        let top = tempfile::tempdir().unwrap();
        let (skill, elsewhere) = (top.path().join("skills/a"), top.path().join("elsewhere"));
        std::fs::create_dir_all(top.path().join("skills")).unwrap();
        std::fs::create_dir_all(&elsewhere).unwrap();
        std::fs::write(elsewhere.join("SKILL.md"), "text").unwrap();
        std::os::unix::fs::symlink(&elsewhere, &skill).unwrap();
        assert!(Approvals::new([skill.clone()], []).check(&skill).is_err());
    }

    #[test]
    fn a_record_that_cannot_be_read_closes_what_is_below_it() {
        let top = tempfile::tempdir().unwrap();
        let (inside, outside) = (top.path().join("p/a"), top.path().join("q/a"));
        for folder in [&inside, &outside] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let mut approvals = Approvals::default();
        approvals.close(&top.path().join("p"), "broken".to_owned());
        assert!(matches!(approvals.check(&inside), Err(NotApproved::NoRecord(_))));
        assert!(approvals.check(&outside).is_ok());
    }
}
