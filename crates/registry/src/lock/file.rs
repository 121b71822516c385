//! The lock as a file.

use super::{Lock, LockError};
use crate::atomic_write::{AtomicWriter, Syncing};
use cap_std::{ambient_authority, fs::Dir};
use skillful_catalog::bounded::{self, Boundary, ReadError};
use std::path::{Path, PathBuf};

/// Its name, in the folder of the project or of the user.
pub const LOCK_FILE: &str = "skillful.lock";
/// The next lock, until what it names is in place. Only the process that holds the folder's guard writes it, so
/// that one left by a stopped run does no harm.
const NEXT: &str = ".skillful.lock.new";
const MODE: u32 = 0o644;
/// A larger file is refused before it is read.
pub const LOCK_LIMIT: u64 = 16 << 20;

impl Lock {
    /// Reads the lock of a folder; none is an empty one.
    pub fn load(folder: &Path) -> Result<Self, LockError> {
        let path = folder.join(LOCK_FILE);
        let failed = |error| LockError::Disk { path: path.clone(), action: "read", error };
        let text = match bounded::read_text(&path, LOCK_LIMIT, Some(&Boundary::of(folder))) {
            Ok(text) => text,
            Err(ReadError::Missing) => return Ok(Self::default()),
            Err(error) => return Err(failed(error.into())),
        };
        text.parse().map_err(|fault| LockError::Text { path: path.clone(), fault })
    }

    /// Writes the lock of a folder, unless the file already has the same text; returns whether it wrote.
    pub fn save(&self, folder: &Path, writer: &AtomicWriter) -> Result<bool, LockError> {
        let path = folder.join(LOCK_FILE);
        let text = self.to_string();
        if bounded::read_text(&path, LOCK_LIMIT, None).is_ok_and(|now| now == text) {
            return Ok(false);
        }
        let write = || {
            let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
            writer.write_file(&dir, LOCK_FILE, text.as_bytes())
        };
        write().map_err(|error| LockError::Disk { path: path.clone(), action: "written", error })?;
        Ok(true)
    }

    /// Writes the lock beside that of a folder, unless that has the same text already. It gets its name later, so
    /// that it reaches the disk together with everything that it names.
    pub(crate) fn stage(
        &self,
        folder: &Path,
        writer: &AtomicWriter,
        syncing: Syncing,
    ) -> Result<NextLock, LockError> {
        let path = folder.join(LOCK_FILE);
        let text = self.to_string();
        let is_new = !bounded::read_text(&path, LOCK_LIMIT, None).is_ok_and(|now| now == text);
        let write = || {
            let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
            if is_new {
                writer.remove(&dir, NEXT)?;
                let written = writer.write_new(&dir, NEXT, text.as_bytes(), MODE, syncing);
                if written.is_err() {
                    let _next_time = writer.remove(&dir, NEXT);
                }
                written?;
            }
            Ok(dir)
        };
        let dir =
            write().map_err(|error| LockError::Disk { path: path.clone(), action: "written", error })?;
        Ok(NextLock { path, dir, is_new })
    }
}

/// A lock that is written and has no name yet.
#[derive(Debug)]
pub(crate) struct NextLock {
    path: PathBuf,
    dir: Dir,
    is_new: bool,
}

impl NextLock {
    /// A folder of the file system that has to be settled before [`Self::place`].
    pub(crate) fn folder(&self) -> &Dir {
        &self.dir
    }

    /// Gives it its name; returns whether its text is new.
    pub(crate) fn place(self, writer: &AtomicWriter) -> Result<bool, LockError> {
        if self.is_new {
            let placed = writer.rename_over((&self.dir, NEXT), (&self.dir, LOCK_FILE));
            if placed.is_err() {
                let _next_time = writer.remove(&self.dir, NEXT);
            }
            placed.and_then(|()| writer.sync_folder(&self.dir)).map_err(|error| LockError::Disk {
                path: self.path,
                action: "written",
                error,
            })?;
        }
        Ok(self.is_new)
    }

    /// Removes it; what stays is removed by the next run.
    pub(crate) fn abandon(self, writer: &AtomicWriter) {
        if self.is_new {
            let _next_time = writer.remove(&self.dir, NEXT);
        }
    }
}
