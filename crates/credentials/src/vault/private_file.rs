//! Files that only their owner can read, replaced as a whole.

use super::VaultError;
use std::{
    fs::{self, DirBuilder, File, Metadata, OpenOptions},
    io::{Read, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::Path,
};
use zeroize::Zeroizing;

/// Rights of group and others.
const OTHERS: u32 = 0o077;

/// The bytes of a private file, up to a limit; `None` when there is no file. A file that other users can
/// read is refused because its content may be known; a file of another user, because its content may be theirs.
pub(super) fn read(path: &Path, limit: u64) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
    // To open a pipe is to wait for its writer.
    let not_a_file = || VaultError::Format { file: path.to_owned(), why: "it is not a regular file" };
    match path.metadata() {
        Ok(meta) if meta.is_file() || meta.is_dir() => {}
        Ok(_) => return Err(not_a_file()),
        // A link that leads nowhere is not a missing vault.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return if path.symlink_metadata().is_err() { Ok(None) } else { Err(not_a_file()) };
        }
        Err(error) => return Err(VaultError::io("open", path)(error)),
    }
    let file = File::open(path).map_err(VaultError::io("open", path))?;
    let meta = file.metadata().map_err(VaultError::io("look at", path))?;
    check(path, &meta)?;
    // Room for all of it at once, so that no copy stays behind in memory that grew.
    let size = usize::try_from(meta.len().min(limit)).unwrap_or_default();
    let mut bytes = Zeroizing::new(Vec::with_capacity(size + 1));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(VaultError::io("read", path))?;
    if bytes.len() as u64 > limit {
        return Err(VaultError::Format { file: path.to_owned(), why: "it is too large" });
    }
    Ok(Some(bytes))
}

fn check(path: &Path, meta: &Metadata) -> Result<(), VaultError> {
    let exposed = |why| VaultError::Exposed { file: path.to_owned(), why };
    if meta.is_dir() {
        return Err(exposed("is a folder"));
    }
    if meta.mode() & OTHERS != 0 {
        return Err(exposed("can be read or written by others"));
    }
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(exposed("belongs to another user"));
    }
    Ok(())
}

/// What happens to a file that is already there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    /// It is replaced.
    Replace,
    /// It stays, and writing fails.
    New,
}

/// Writes a private file: wholly or not at all, also when the power fails.
pub(super) fn write(path: &Path, bytes: &[u8], put: Put) -> Result<(), VaultError> {
    let folder = folder_of(path)?;
    let mut staged = tempfile::Builder::new()
        .prefix(".secrets-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .tempfile_in(folder)
        .map_err(VaultError::io("write in", folder))?;
    staged
        .write_all(bytes)
        .and_then(|()| staged.as_file().sync_all())
        .map_err(VaultError::io("write", path))?;
    let done = match put {
        Put::Replace => staged.persist(path),
        Put::New => staged.persist_noclobber(path),
    };
    done.map_err(|error| VaultError::io("write", path)(error.error))?;
    // The new name survives a crash only when the folder reached the disk.
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(VaultError::io("write in", folder))
}

/// Locks out other processes of this program while a file is changed, until the lock is dropped.
pub(super) fn lock(path: &Path) -> Result<File, VaultError> {
    let place = path.with_extension("lock");
    folder_of(path)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&place)
        .map_err(VaultError::io("open", &place))?;
    file.lock().map_err(VaultError::io("lock", &place))?;
    Ok(file)
}

/// The folder of a file, created when it is missing.
fn folder_of(path: &Path) -> Result<&Path, VaultError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if fs::metadata(folder).is_err() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(VaultError::io("create", folder))?;
    }
    Ok(folder)
}
