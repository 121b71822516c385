//! Files for one person: readable by nobody else, and replaced as a whole.

use super::StoreError;
use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io::{Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::Path,
};
use zeroize::Zeroizing;

/// Rights of group and others.
const OTHERS: u32 = 0o077;

/// What a private file holds, up to a limit; `None` when there is none. One that others may read or
/// that is not ours is refused: what is in it may be known, or not be ours.
pub(super) fn read(path: &Path, limit: u64) -> Result<Option<Zeroizing<Vec<u8>>>, StoreError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io("open", path)(error)),
    };
    let meta = file.metadata().map_err(StoreError::io("look at", path))?;
    check(path, &meta)?;
    // Room for all of it at once, so that no copy stays behind in memory that grew.
    let size = usize::try_from(meta.len().min(limit)).unwrap_or_default();
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(StoreError::io("read", path))?;
    if bytes.len() as u64 > limit {
        return Err(StoreError::Format { file: path.to_owned(), why: "it is too large" });
    }
    Ok(Some(bytes))
}

fn check(path: &Path, meta: &Metadata) -> Result<(), StoreError> {
    let exposed = |why| StoreError::Exposed { file: path.to_owned(), why };
    if meta.is_dir() {
        return Err(exposed("is a folder"));
    }
    if meta.mode() & OTHERS != 0 {
        return Err(exposed("can be read or written by others"));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(exposed("belongs to somebody else"));
    }
    Ok(())
}

/// How a file comes to its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    /// Whatever was there is gone.
    Replace,
    /// What is there stays, and this is an error.
    New,
}

/// Writes a file for one person: wholly or not at all, also when the power goes.
pub(super) fn write(path: &Path, bytes: &[u8], put: Put) -> Result<(), StoreError> {
    let folder = folder_of(path)?;
    let mut staged = tempfile::Builder::new()
        .prefix(".secrets-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .tempfile_in(folder)
        .map_err(StoreError::io("write in", folder))?;
    staged
        .write_all(bytes)
        .and_then(|()| staged.as_file().sync_all())
        .map_err(StoreError::io("write", path))?;
    let done = match put {
        Put::Replace => staged.persist(path),
        Put::New => staged.persist_noclobber(path),
    };
    done.map_err(|error| StoreError::io("write", path)(error.error))?;
    // The name is safe only when the folder is.
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::io("write in", folder))
}

/// Keeps others of this program away while a file is changed, until it is dropped.
pub(super) fn lock(path: &Path) -> Result<File, StoreError> {
    let place = path.with_extension("lock");
    folder_of(path)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&place)
        .map_err(StoreError::io("open", &place))?;
    file.lock().map_err(StoreError::io("lock", &place))?;
    Ok(file)
}

/// The folder of a file, made when it is not there.
fn folder_of(path: &Path) -> Result<&Path, StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if fs::metadata(folder).is_err() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(StoreError::io("create", folder))?;
    }
    Ok(folder)
}
