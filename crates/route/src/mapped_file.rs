//! Memory-mapped files. This module holds the only `unsafe` code of the crate.

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::Mmap;
use rustix::fs::OFlags;
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt},
    path::Path,
};

/// Write permission of group and others.
const OTHERS_WRITE: u32 = 0o022;
/// Bytes of a file that are read at a time.
const PIECE: usize = 256 << 10;

/// A read-only memory map of a file that only the current user can write.
pub(crate) struct MappedFile {
    map: Mmap,
    file: File,
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl MappedFile {
    /// Maps a file of at most `limit` bytes that the current user owns and no other user can write. Other
    /// files and symbolic links are refused.
    pub(crate) fn open(path: &Path, limit: u64) -> io::Result<Self> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let flags = i32::try_from(flags.bits()).unwrap_or(0);
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let meta = file.metadata()?;
        let refuse = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        match () {
            () if !meta.is_file() => return refuse("it is not a regular file"),
            () if meta.uid() != rustix::process::geteuid().as_raw() => {
                return refuse("it belongs to another user");
            }
            () if meta.mode() & OTHERS_WRITE != 0 => return refuse("other users can write it"),
            () if meta.len() > limit => return refuse("it is too large"),
            () => {}
        }
        let map = map(&file)?;
        Ok(Self { map, file })
    }

    /// Maps a file that this process created for its user alone.
    pub(crate) fn own(file: File) -> io::Result<Self> {
        let map = map(&file)?;
        Ok(Self { map, file })
    }

    /// Reads so many bytes of the file from `start` on; none when that fails.
    pub(crate) fn read(&self, start: u64, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, start).ok().map(|()| bytes)
    }

    /// Passes the bytes of the file from `start` on to `each`, in pieces.
    pub(crate) fn read_from(&self, mut start: u64, mut each: impl FnMut(&[u8])) -> io::Result<()> {
        let left =
            self.map.len() - usize::try_from(start).map_or(self.map.len(), |at| at.min(self.map.len()));
        let mut buffer = vec![0; left.min(PIECE)];
        loop {
            match self.file.read_at(&mut buffer, start) {
                Ok(0) => return Ok(()),
                Ok(read) => {
                    each(&buffer[..read]);
                    start += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Sets the file's modification time, by which [`prune`](crate::cache_file::prune) finds the files used
    /// last. A failure is ignored: it only affects the order of pruning.
    pub(crate) fn touch(&self, now: std::time::SystemTime) {
        let _older = self.file.set_modified(now);
    }

    /// When the file was last written or used.
    pub(crate) fn used(&self) -> Option<std::time::SystemTime> {
        self.file.metadata().and_then(|meta| meta.modified()).ok()
    }
}

#[expect(unsafe_code, reason = "memory-maps a file; the comment inside explains why that is sound")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: a mapping is unsound when the file is changed or truncated while it is mapped. Cache files are
    // written under a temporary name and renamed into place, never modified in place, so the inode behind
    // this handle keeps its bytes even after the file is replaced or removed. The caller has checked on this
    // handle that the file is a regular file that only the current user can write. Only a program of the same
    // user that edits cache files in place could break this, and such a program could write to our memory
    // anyway. The content is not trusted either: it is verified by a checksum, and `Index::from_bytes` and
    // every later read check bounds.
    let map = unsafe { Mmap::map(file) }?;
    // A search reads few places far apart. With huge pages each of them would take two megabytes of the memory of this process.
    #[cfg(target_os = "linux")]
    for advice in [Advice::NoHugePage, Advice::Random] {
        // A system that cannot do it works all the same.
        let _ignored = map.advise(advice);
    }
    Ok(map)
}
