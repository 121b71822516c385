//! Skills that the assistant wrote: proposed, then approved and among the user's own, then perhaps archived.
//! A skill is moved whole, never over another one, and never destroyed.

use skillful_catalog::disk;
use skillful_format::{Limits, Tree, scaffold};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Folder of the archive for proposals that were rejected.
const REJECTED: &str = "rejected";
/// Skills of one name that the archive holds.
const OF_ONE_NAME: usize = 1_000;

/// The folders of skills that the assistant wrote, by state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuthoredSkills {
    /// Proposed: waiting for review.
    pub proposed: PathBuf,
    /// Approved: the user's own skills.
    pub own: PathBuf,
    /// Archived: out of use.
    pub archive: PathBuf,
}

/// Why a skill was not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthoredSkillError {
    /// The name is not allowed for a skill.
    #[error("`{name}` cannot be the name of a skill: {why}")]
    Name {
        /// What was given.
        name: String,
        /// The rule that it breaks.
        why: &'static str,
    },
    /// There is no such skill in the folder.
    #[error("there is no skill `{name}` in `{}`", .place.display())]
    Missing {
        /// The name.
        name: String,
        /// Where it was looked for.
        place: PathBuf,
    },
    /// A file or folder of that name exists.
    #[error("`{}` is there already; rename or remove that one first", .0.display())]
    Taken(PathBuf),
    /// The skill is not what the user reviewed.
    #[error("the proposed skill `{0}` changed while it was read; look at it again")]
    Changed(String),
    /// Part of the skill cannot be moved.
    #[error("the skill `{name}` was left where it is, since part of it would be lost: {why}")]
    Lossy {
        /// The name.
        name: String,
        /// The part.
        why: String,
    },
    /// A call of the operating system failed.
    #[error("the skill `{name}` could not be moved: {source}")]
    Disk {
        /// The name.
        name: String,
        /// The system's error.
        source: io::Error,
    },
}

impl AuthoredSkills {
    /// The files of a proposed skill, for review.
    pub fn read(&self, name: &str) -> Result<Tree, AuthoredSkillError> {
        read(&folder_of(&self.proposed, name)?, name)
    }

    /// Moves a proposed skill, as the user reviewed it, to the user's own skills. Returns its folder.
    pub fn approve(&self, name: &str, seen: &Tree) -> Result<PathBuf, AuthoredSkillError> {
        let folder = folder_of(&self.proposed, name)?;
        let target = self.own.join(name);
        if target.symlink_metadata().is_ok() {
            return Err(AuthoredSkillError::Taken(target));
        }
        let failed = |source| AuthoredSkillError::Disk { name: name.to_owned(), source };
        // Out of the assistant's reach first: what is compared is what is moved.
        let held = self.proposed.join(format!(".accepted-{name}-{}", std::process::id()));
        fs::rename(&folder, &held).map_err(failed)?;
        let done = read(&held, name).and_then(|now| {
            if now.digest() != seen.digest() {
                return Err(AuthoredSkillError::Changed(name.to_owned()));
            }
            match disk::write_folder(&now, &target).map_err(failed)? {
                None => Ok(()),
                // Another process put a skill there just now: that one stays.
                Some(before) => {
                    let refuse = disk_swap_back(&before, &target).map_err(failed);
                    refuse.and(Err(AuthoredSkillError::Taken(target.clone())))
                }
            }
        });
        if let Err(error) = done {
            fs::rename(&held, &folder).map_err(failed)?;
            return Err(error);
        }
        fs::remove_dir_all(&held).map_err(failed)?;
        Ok(target)
    }

    /// Moves a proposed skill to the archive. Returns its folder.
    pub fn reject(&self, name: &str) -> Result<PathBuf, AuthoredSkillError> {
        let target = free(&self.archive.join(REJECTED), name)?;
        carry(&folder_of(&self.proposed, name)?, &target, name)?;
        Ok(target)
    }

    /// Moves one of the user's own skills to the archive. An archived one of that name is renamed first.
    pub fn archive(&self, name: &str) -> Result<PathBuf, AuthoredSkillError> {
        let folder = folder_of(&self.own, name)?;
        let target = self.archive.join(name);
        if target.symlink_metadata().is_ok() {
            carry(&target, &free(&self.archive, name)?, name)?;
        }
        carry(&folder, &target, name)?;
        Ok(target)
    }

    /// Moves a skill from the archive back to the user's own.
    pub fn restore(&self, name: &str) -> Result<PathBuf, AuthoredSkillError> {
        let target = self.own.join(name);
        carry(&folder_of(&self.archive, name)?, &target, name)?;
        Ok(target)
    }

    /// Whether a skill is among the user's own.
    pub fn is_own(&self, name: &str) -> bool {
        folder_of(&self.own, name).is_ok()
    }

    /// Whether a skill is in the archive.
    pub fn is_archived(&self, name: &str) -> bool {
        folder_of(&self.archive, name).is_ok()
    }
}

/// The folder of a skill in `place`. The name is checked, so that it cannot lead elsewhere.
fn folder_of(place: &Path, name: &str) -> Result<PathBuf, AuthoredSkillError> {
    scaffold::check_name(name).map_err(|refused| AuthoredSkillError::Name {
        name: name.chars().take(80).collect(),
        why: refused.why,
    })?;
    let folder = place.join(name);
    if fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir()) {
        return Ok(folder);
    }
    Err(AuthoredSkillError::Missing { name: name.to_owned(), place: place.to_path_buf() })
}

/// All files of a folder, or an error when one cannot be read.
fn read(folder: &Path, name: &str) -> Result<Tree, AuthoredSkillError> {
    let (tree, lost) = disk::read_folder(folder, &Limits::default())
        .map_err(|source| AuthoredSkillError::Disk { name: name.to_owned(), source })?;
    match lost.into_iter().next() {
        None => Ok(tree),
        Some(lost) => Err(AuthoredSkillError::Lossy { name: name.to_owned(), why: lost.message }),
    }
}

/// The first name that is free: `name`, `name.2`, …
fn free(place: &Path, name: &str) -> Result<PathBuf, AuthoredSkillError> {
    let numbered = (2..=OF_ONE_NAME).map(|number| format!("{name}.{number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .map(|name| place.join(name))
        .find(|path| path.symlink_metadata().is_err())
        .ok_or_else(|| AuthoredSkillError::Taken(place.join(name)))
}

/// Moves a folder to a free path: in one step, or by a whole copy between file systems.
fn carry(from: &Path, to: &Path, name: &str) -> Result<(), AuthoredSkillError> {
    let failed = |source| AuthoredSkillError::Disk { name: name.to_owned(), source };
    if to.symlink_metadata().is_ok() {
        return Err(AuthoredSkillError::Taken(to.to_path_buf()));
    }
    fs::create_dir_all(to.parent().unwrap_or(Path::new("/"))).map_err(failed)?;
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            disk::write_folder(&read(from, name)?, to).map_err(failed)?;
            fs::remove_dir_all(from).map_err(failed)
        }
        done => done.map_err(failed),
    }
}

/// Gives a folder that was put aside its name back.
fn disk_swap_back(before: &Path, target: &Path) -> io::Result<()> {
    fs::remove_dir_all(target)?;
    fs::rename(before, target)
}

#[cfg(test)]
mod tests;
