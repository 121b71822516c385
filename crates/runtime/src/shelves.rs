//! Where skills that models wrote lie: proposed, then accepted among a person's own, then perhaps in
//! the archive. A skill is moved whole, never over another one, and never destroyed.

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

/// The three places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shelves {
    /// What waits for a person.
    pub proposed: PathBuf,
    /// The person's own skills.
    pub own: PathBuf,
    /// What is out of use.
    pub archive: PathBuf,
}

/// Why a skill was not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShelfError {
    /// No skill can be called so.
    #[error("`{name}` cannot be the name of a skill: {why}")]
    Name {
        /// What was given.
        name: String,
        /// The rule that it breaks.
        why: &'static str,
    },
    /// It is not where it should be.
    #[error("there is no skill `{name}` in `{}`", .place.display())]
    Missing {
        /// The name.
        name: String,
        /// Where it was looked for.
        place: PathBuf,
    },
    /// Something of that name is there.
    #[error("`{}` is there already; rename or remove that one first", .0.display())]
    Taken(PathBuf),
    /// It is not what a person looked at.
    #[error("the proposed skill `{0}` changed while it was read; look at it again")]
    Changed(String),
    /// It holds what could not be moved.
    #[error("the skill `{name}` was left where it is, since part of it would be lost: {why}")]
    Lossy {
        /// The name.
        name: String,
        /// What.
        why: String,
    },
    /// The disk said no.
    #[error("the skill `{name}` could not be moved: {source}")]
    Disk {
        /// The name.
        name: String,
        /// What it said.
        source: io::Error,
    },
}

impl Shelves {
    /// The files of a proposal, for a person to look at.
    pub fn read(&self, name: &str) -> Result<Tree, ShelfError> {
        read(&there(&self.proposed, name)?, name)
    }

    /// Moves a proposal, as a person saw it, to their own skills; its folder.
    pub fn accept(&self, name: &str, seen: &Tree) -> Result<PathBuf, ShelfError> {
        let folder = there(&self.proposed, name)?;
        let target = self.own.join(name);
        if target.symlink_metadata().is_ok() {
            return Err(ShelfError::Taken(target));
        }
        let failed = |source| ShelfError::Disk { name: name.to_owned(), source };
        // Out of a model's reach first; what it was then is what counts.
        let held = self.proposed.join(format!(".accepted-{name}-{}", std::process::id()));
        fs::rename(&folder, &held).map_err(failed)?;
        let done = read(&held, name).and_then(|now| {
            if now.digest() != seen.digest() {
                return Err(ShelfError::Changed(name.to_owned()));
            }
            match disk::write_folder(&now, &target).map_err(failed)? {
                None => Ok(()),
                // Somebody put a skill there just now: theirs stays.
                Some(before) => {
                    let refuse = disk_swap_back(&before, &target).map_err(failed);
                    refuse.and(Err(ShelfError::Taken(target.clone())))
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

    /// Moves a proposal to the archive; where it lies now.
    pub fn reject(&self, name: &str) -> Result<PathBuf, ShelfError> {
        let target = free(&self.archive.join(REJECTED), name)?;
        carry(&there(&self.proposed, name)?, &target, name)?;
        Ok(target)
    }

    /// Moves one of a person's own skills to the archive. An older one of that name makes room.
    pub fn archive(&self, name: &str) -> Result<PathBuf, ShelfError> {
        let folder = there(&self.own, name)?;
        let target = self.archive.join(name);
        if target.symlink_metadata().is_ok() {
            carry(&target, &free(&self.archive, name)?, name)?;
        }
        carry(&folder, &target, name)?;
        Ok(target)
    }

    /// Moves a skill from the archive back among a person's own.
    pub fn restore(&self, name: &str) -> Result<PathBuf, ShelfError> {
        let target = self.own.join(name);
        carry(&there(&self.archive, name)?, &target, name)?;
        Ok(target)
    }

    /// Whether a skill lies among a person's own.
    pub fn is_own(&self, name: &str) -> bool {
        there(&self.own, name).is_ok()
    }

    /// Whether a skill lies in the archive.
    pub fn is_archived(&self, name: &str) -> bool {
        there(&self.archive, name).is_ok()
    }
}

/// The folder of a skill. A name from outside leads nowhere else.
fn there(place: &Path, name: &str) -> Result<PathBuf, ShelfError> {
    scaffold::check_name(name)
        .map_err(|refused| ShelfError::Name { name: name.chars().take(80).collect(), why: refused.why })?;
    let folder = place.join(name);
    if fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir()) {
        return Ok(folder);
    }
    Err(ShelfError::Missing { name: name.to_owned(), place: place.to_path_buf() })
}

/// The files of a folder; all of them, or it is refused.
fn read(folder: &Path, name: &str) -> Result<Tree, ShelfError> {
    let (tree, lost) = disk::read_folder(folder, &Limits::default())
        .map_err(|source| ShelfError::Disk { name: name.to_owned(), source })?;
    match lost.into_iter().next() {
        None => Ok(tree),
        Some(lost) => Err(ShelfError::Lossy { name: name.to_owned(), why: lost.message }),
    }
}

/// The first name that is free: `name`, `name.2`, …
fn free(place: &Path, name: &str) -> Result<PathBuf, ShelfError> {
    let numbered = (2..=OF_ONE_NAME).map(|number| format!("{name}.{number}"));
    std::iter::once(name.to_owned())
        .chain(numbered)
        .map(|name| place.join(name))
        .find(|path| path.symlink_metadata().is_err())
        .ok_or_else(|| ShelfError::Taken(place.join(name)))
}

/// Moves a folder, over nothing: in one step, or by a whole copy between file systems.
fn carry(from: &Path, to: &Path, name: &str) -> Result<(), ShelfError> {
    let failed = |source| ShelfError::Disk { name: name.to_owned(), source };
    if to.symlink_metadata().is_ok() {
        return Err(ShelfError::Taken(to.to_path_buf()));
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
