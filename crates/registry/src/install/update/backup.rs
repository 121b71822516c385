//! Backups of a user's changes, before they are replaced.

use super::{super::InstallError, Update};
use crate::{
    atomic_write::{AtomicWriter, Modes, Syncing, temporary_name},
    lock::SkillKey,
};
use cap_std::{ambient_authority, fs::Dir};
use skillful_format::Tree;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Digits of the digest in the name of a backup.
const DIGITS: usize = 16;

/// A folder of a user, as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// The skill.
    pub skill: SkillKey,
    pub(in crate::install) tree: Tree,
}

impl Backup {
    /// The name of its folder: the same files always have the same one.
    pub fn folder(&self) -> String {
        format!("{}-{}", self.skill, &self.tree.digest().to_hex()[..DIGITS])
    }
}

impl Update {
    /// Saves what gives way, as [`save_backups`] does.
    pub fn save_backups(&self, folder: &Path, writer: &AtomicWriter) -> Result<Vec<PathBuf>, InstallError> {
        save_backups(&self.backups, folder, writer)
    }
}

/// Saves backups below `folder`, each whole or not at all; returns where they are. Must be done before the plan is
/// carried out, which replaces a place only while it still is what was saved.
pub fn save_backups(
    backups: &[Backup],
    folder: &Path,
    writer: &AtomicWriter,
) -> Result<Vec<PathBuf>, InstallError> {
    if backups.is_empty() {
        return Ok(Vec::new());
    }
    let save = || {
        std::fs::create_dir_all(folder)?;
        let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
        for backup in backups {
            let staged = temporary_name()?;
            let syncing = Syncing::of(backup.tree.len());
            let saved = writer
                .write_trees(&dir, &[(staged.clone(), &backup.tree)], Modes::Usual, syncing)
                .and_then(|()| writer.settle(&[&dir], syncing))
                .and_then(|()| writer.rename_new((&dir, &staged), (&dir, &backup.folder())));
            if !matches!(saved, Ok(true)) {
                // An earlier run saved the same already, or nothing can be written.
                let _next_time = writer.remove(&dir, &staged);
            }
            saved?;
        }
        writer.sync_folder(&dir)
    };
    save().map_err(|error: io::Error| InstallError::Disk {
        path: folder.to_path_buf(),
        action: "written",
        error,
    })?;
    Ok(backups.iter().map(|backup| folder.join(backup.folder())).collect())
}
