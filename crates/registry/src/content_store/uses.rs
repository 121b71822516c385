//! Which locks use the content store, so that cleaning it removes only what none of them names.
//!
//! Each lock has a small file with the path of its folder, written before anything is installed by it. A lock
//! that is gone is forgotten; one that cannot be read stops the cleaning, since it is not known what it names.

use super::{ContentStore, ContentStoreError, Garbage, Lease};
use crate::{
    atomic_write::STAGED,
    lock::{LOCK_FILE, Lock, LockError},
};
use skillful_format::{Digest, digest_bytes};
use std::{
    collections::BTreeSet,
    ffi::OsString,
    io,
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

/// The folder of the notes.
const LOCKS: &str = "locks";
/// Bytes of a note, at most.
const PATH_LIMIT: usize = 16 << 10;
/// More notes are not read; nothing is cleaned then.
const LOCKS_LIMIT: usize = 100_000;

/// The result of cleaning the content store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaning {
    /// What nothing needs.
    pub garbage: Garbage,
    /// Bytes of its trees.
    pub bytes: u64,
    /// Trees that nothing needs, but that were changed; they stay.
    pub changed: Vec<PathBuf>,
    /// Folders whose locks are gone.
    pub forgotten: Vec<PathBuf>,
    /// Folders of the locks that were asked.
    pub locks: Vec<PathBuf>,
}

/// Why nothing was cleaned.
#[derive(Debug, thiserror::Error)]
pub enum CleanError {
    /// The content store failed.
    #[error(transparent)]
    ContentStore(#[from] ContentStoreError),
    /// A lock cannot be read.
    #[error("nothing was cleaned, since a lock that may need it cannot be read: {0}")]
    Lock(#[from] LockError),
    /// Too many notes.
    #[error("nothing was cleaned, since more than {LOCKS_LIMIT} locks use the content store")]
    TooMany,
}

impl Lease<'_> {
    /// Records that the lock of a folder names trees of the content store.
    pub fn note_lock(&self, folder: &Path) -> Result<(), ContentStoreError> {
        let contents = self.contents;
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let path = real.as_os_str().as_bytes();
        let name = digest_bytes(path).to_hex();
        let note = || {
            contents.writer.make_folders(&self.dirs.top, LOCKS)?;
            let notes = self.dirs.top.open_dir(LOCKS)?;
            if notes.read(&name).is_ok_and(|noted| noted == path) {
                return Ok(());
            }
            contents.writer.write_file(&notes, &name, path)
        };
        note().map_err(contents.failed("note a lock"))
    }
}

impl ContentStore {
    /// What a cleaning would do. Only reads. `also` are folders that may have a lock, noted or not.
    pub fn survey(&self, also: &[PathBuf]) -> Result<Cleaning, CleanError> {
        let mut cleaning = Cleaning::default();
        let mut keep: BTreeSet<Digest> = BTreeSet::new();
        let noted: BTreeSet<PathBuf> = self.lock_folders()?.into_iter().collect();
        let also = also.iter().filter_map(|folder| folder.canonicalize().ok());
        for folder in also.chain(noted.iter().cloned()).collect::<BTreeSet<PathBuf>>() {
            if is_gone(&folder) {
                cleaning.forgotten.extend(noted.contains(&folder).then_some(folder));
                continue;
            }
            keep.extend(
                Lock::load(&folder)?.skills.values().flat_map(|locked| [locked.tree, locked.installed()]),
            );
            cleaning.locks.push(folder);
        }
        cleaning.garbage = self.garbage(&keep)?;
        let trees = std::mem::take(&mut cleaning.garbage.trees);
        for digest in trees {
            // A user who followed a link may have written there.
            if self.path(&digest).exists() && self.read_folder(&digest).is_err() {
                cleaning.changed.push(self.path(&digest));
                continue;
            }
            cleaning.bytes += self.read(&digest).map_or(0, |tree| tree.total_bytes());
            cleaning.garbage.trees.push(digest);
        }
        Ok(cleaning)
    }

    /// Removes what no known lock names, and forgets locks that are gone. Refuses while a process adds, so that
    /// what is being installed is never mistaken for garbage.
    pub fn clean(&self, also: &[PathBuf]) -> Result<Cleaning, CleanError> {
        let _alone = self.alone()?;
        let cleaning = self.survey(also)?;
        self.discard(&cleaning.garbage)?;
        for folder in &cleaning.forgotten {
            let name = digest_bytes(folder.as_os_str().as_bytes()).to_hex();
            let forget = || self.writer.remove(&self.made()?.top.open_dir(LOCKS)?, &name);
            forget().map_err(self.failed("forget a lock"))?;
        }
        Ok(cleaning)
    }

    /// The folders of all locks that were noted, in order.
    fn lock_folders(&self) -> Result<Vec<PathBuf>, CleanError> {
        let read = || -> io::Result<Option<Vec<PathBuf>>> {
            let Some(dirs) = self.dirs()? else { return Ok(Some(Vec::new())) };
            let notes = match dirs.top.open_dir(LOCKS) {
                Ok(notes) => notes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(Vec::new())),
                Err(error) => return Err(error),
            };
            let mut folders = Vec::new();
            for entry in notes.entries()? {
                let name = entry?.file_name();
                if folders.len() >= LOCKS_LIMIT {
                    return Ok(None);
                }
                if name.as_bytes().starts_with(STAGED.as_bytes()) {
                    continue;
                }
                let path = notes.read(&name)?;
                // A note that does not bear its own name was not written here, and names nothing.
                let is_own = name.to_str() == Some(digest_bytes(&path).to_hex().as_str());
                if is_own && path.len() <= PATH_LIMIT {
                    folders.push(PathBuf::from(OsString::from_vec(path)));
                }
            }
            folders.sort();
            Ok(Some(folders))
        };
        read().map_err(self.failed("read its notes of locks"))?.ok_or(CleanError::TooMany)
    }
}

/// Whether there is no lock any more; a folder that cannot be looked into is not gone.
fn is_gone(folder: &Path) -> bool {
    let lock = folder.join(LOCK_FILE).symlink_metadata();
    lock.is_err_and(|error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}
