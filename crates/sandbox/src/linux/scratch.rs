//! The private folder of a job in a tier without mounts.

use super::owner::{self, Owner};
use rustix::process::getuid;
use std::{fs, io, os::unix::fs::MetadataExt};
use tempfile::{Builder, TempDir};

/// Makes a folder that only the user can enter; it is removed when dropped.
pub(crate) fn make() -> io::Result<TempDir> {
    let name = owner::name().ok_or_else(|| io::Error::other("/proc is not mounted or hides this process"))?;
    Builder::new().prefix(&format!("{name}-")).tempdir()
}

/// Removes the folders of callers that were killed before they could do it. Only those of this user, because
/// the temporary folder is shared.
pub(crate) fn sweep() {
    let user = getuid().as_raw();
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let stale = entry.file_name().to_str().and_then(Owner::read).is_some_and(Owner::gone);
        if stale && entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == user) {
            // If a folder cannot be removed now, the next run tries again.
            let _removed = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests;
