//! The private folder of a job in a tier without mounts.

use super::owner::{self, Owner};
use rustix::process::getuid;
use std::{fs, io, os::unix::fs::MetadataExt};
use tempfile::{Builder, TempDir};

/// A new folder that only its user can enter; removed when dropped.
pub(crate) fn make() -> io::Result<TempDir> {
    let name = owner::name().ok_or_else(|| io::Error::other("/proc does not show this process"))?;
    Builder::new().prefix(&format!("{name}-")).tempdir()
}

/// Removes the folders of callers that were killed before they could do it. Only own ones: the place is for all.
pub(crate) fn sweep() {
    let user = getuid().as_raw();
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let stale = entry.file_name().to_str().and_then(Owner::read).is_some_and(Owner::gone);
        if stale && entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == user) {
            // What cannot be removed now is for the next time.
            let _removed = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests;
