//! Resolves the links of paths. A folder is resolved once, however many files are below it.

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

/// The folders that were resolved; `None` for a path that leads nowhere.
#[derive(Debug, Default)]
pub(super) struct RealPaths {
    /// By their text, which is hashed much faster than the parts of a path.
    folders: HashMap<OsString, Option<PathBuf>>,
}

impl RealPaths {
    /// A file with all links resolved, as [`fs::canonicalize`] does it.
    pub(super) fn file(&mut self, file: &Path) -> Option<PathBuf> {
        match parts(file) {
            Some((folder, name)) => below(self.folder(folder)?, name),
            None => fs::canonicalize(file).ok(),
        }
    }

    /// The same for a file and a folder that are not links.
    pub(super) fn plain_file(&mut self, file: &Path) -> Option<PathBuf> {
        let (folder, name) = parts(file)?;
        let (above, own) = parts(folder)?;
        if !self.folders.contains_key(folder.as_os_str()) {
            let real = self.folder(above)?.join(own);
            self.folders.insert(folder.into(), Some(real));
        }
        Some(self.folder(folder)?.join(name))
    }

    /// A file with the links of its folder resolved: the same for every way that leads to it.
    pub(super) fn key_of(&mut self, file: &Path) -> PathBuf {
        let folder = file.parent().and_then(|folder| self.folder(folder));
        match (folder, file.file_name()) {
            (Some(folder), Some(name)) => folder.join(name),
            _ => file.to_path_buf(),
        }
    }

    fn folder(&mut self, folder: &Path) -> Option<&Path> {
        if !self.folders.contains_key(folder.as_os_str()) {
            let real = match parts(folder) {
                Some((above, name)) => self.folder(above).and_then(|above| below(above, name)),
                None => fs::canonicalize(folder).ok(),
            };
            self.folders.insert(folder.into(), real);
        }
        self.folders.get(folder.as_os_str())?.as_deref()
    }
}

/// The folder and the name of an absolute path that does not end in `..`.
fn parts(path: &Path) -> Option<(&Path, &OsStr)> {
    let parts = path.parent().zip(path.file_name());
    parts.filter(|_| path.is_absolute())
}

/// The real path of a name in a folder whose real path is known.
fn below(folder: &Path, name: &OsStr) -> Option<PathBuf> {
    let path = folder.join(name);
    let is_link = fs::symlink_metadata(&path).ok()?.is_symlink();
    if is_link { fs::canonicalize(&path).ok() } else { Some(path) }
}
