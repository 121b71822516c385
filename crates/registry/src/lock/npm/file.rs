//! A lock of npm `skills` as a file.

use super::{Imported, Loss, NPM_LOCK_LIMIT, NpmFault, NpmFile, import, keep_in_step};
use crate::{atomic_write::AtomicWriter, content_store::ContentStore, lock::Lock};
use cap_std::{ambient_authority, fs::Dir};
use skillful_catalog::bounded::{self, Boundary, ReadError};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Why a lock of npm `skills` was left as it is. Ours is whole all the same.
#[derive(Debug, thiserror::Error)]
pub enum NpmError {
    /// The disk refused.
    #[error("`{}` cannot be read or kept in step: {error}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
    /// It is something else.
    #[error("`{}` was left as it is: it {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// Why.
        fault: NpmFault,
    },
}

/// Reads such a file, when it is there.
pub fn import_file(path: &Path) -> Result<Option<Imported>, NpmError> {
    let fault = |fault| NpmError::Fault { path: path.to_path_buf(), fault };
    let text = read(path).map_err(|error| NpmError::Disk { path: path.to_path_buf(), error })?;
    text.map(|text| import(&text)).transpose().map_err(fault)
}

/// The text, bounded; none when there is no file. A link may lead out of the project, and is none.
fn read(path: &Path) -> io::Result<Option<String>> {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    match bounded::read_text(path, NPM_LOCK_LIMIT as u64, Some(&Boundary::of(folder))) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Missing) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Keeps such a file in step, when it is there; none is made. Returns what could not be written in it.
pub fn keep_file_in_step(
    path: &Path,
    file: NpmFile,
    locks: (&Lock, &Lock),
    contents: &ContentStore,
    writer: &AtomicWriter,
    now: &str,
) -> Result<Vec<Loss>, NpmError> {
    let failed = |error| NpmError::Disk { path: path.to_path_buf(), error };
    let Some(text) = read(path).map_err(failed)? else { return Ok(Vec::new()) };
    let kept = keep_in_step(&text, file, locks, &|digest| contents.read(digest).ok(), now)
        .map_err(|fault| NpmError::Fault { path: path.to_path_buf(), fault })?;
    if let (Some(text), Some(folder), Some(name)) =
        (&kept.text, path.parent(), path.file_name().and_then(|name| name.to_str()))
    {
        let dir = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
        writer.write_file(&dir, name, text.as_bytes()).map_err(failed)?;
    }
    Ok(kept.losses)
}
