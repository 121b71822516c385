//! Syncing to the disk: contents before names.

use super::{AtomicWriter, Step};
use cap_std::fs::Dir;
use rustix::{fd::AsFd, io::Errno};
use std::{fs::File, io, os::unix::fs::MetadataExt};

/// Up to this many files each is synced alone; above, the file system is synced once.
const SYNC_EACH: usize = 64;

/// When new files reach the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syncing {
    /// Each as soon as it is written; nothing else of the file system has to wait for it.
    Each,
    /// All at once, when [`AtomicWriter::settle`] is called, before anything gets its name.
    Once,
}

impl Syncing {
    /// What is better for that many files.
    pub(crate) fn of(files: usize) -> Self {
        if files <= SYNC_EACH || !cfg!(target_os = "linux") { Self::Each } else { Self::Once }
    }
}

impl AtomicWriter {
    /// Returns when everything that was written to the file systems of these folders is on the disk.
    pub(crate) fn settle(&self, folders: &[&Dir], syncing: Syncing) -> io::Result<()> {
        if syncing == Syncing::Each {
            return Ok(());
        }
        let mut devices = Vec::new();
        for folder in folders {
            // The handle of a `Dir` may be one that can only be looked up in.
            let folder = folder.open(".")?.into_std();
            let device = folder.metadata()?.dev();
            if devices.contains(&device) {
                continue;
            }
            devices.push(device);
            self.reach(Step::SyncFile)?;
            if self.syncs() {
                sync_all(&folder)?;
            }
        }
        Ok(())
    }

    /// Makes renames in a folder last.
    pub(crate) fn sync_folder(&self, dir: &Dir) -> io::Result<()> {
        self.sync_open_folder(&dir.open(".")?)
    }

    pub(super) fn sync_open_folder(&self, folder: &impl AsFd) -> io::Result<()> {
        self.reach(Step::SyncFolder)?;
        if !self.syncs() {
            return Ok(());
        }
        match rustix::fs::fsync(folder) {
            // Not every file system can do that for a folder.
            Ok(()) | Err(Errno::INVAL | Errno::BADF) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(target_os = "linux")]
fn sync_all(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(folder: &File) -> io::Result<()> {
    folder.sync_all()
}
