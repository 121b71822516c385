//! A file as memory. The one `unsafe` of the workspace is here.

use memmap2::Mmap;
use rustix::fs::OFlags;
use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::Path,
};

/// Write permission of anybody but the owner.
const OTHERS_WRITE: u32 = 0o022;

/// A file that nobody else can write, mapped for reading.
pub(crate) struct Mapped {
    map: Mmap,
    file: File,
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.map
    }
}

impl Mapped {
    /// Maps a file of at most `limit` bytes that this person owns and nobody else can write; anything
    /// else is refused, a link too.
    pub(crate) fn open(path: &Path, limit: u64) -> io::Result<Self> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let flags = i32::try_from(flags.bits()).unwrap_or(0);
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        let meta = file.metadata()?;
        let refuse = |why| Err(io::Error::new(io::ErrorKind::InvalidData, why));
        match () {
            () if !meta.is_file() => return refuse("it is not a regular file"),
            () if meta.uid() != rustix::process::geteuid().as_raw() => {
                return refuse("it belongs to somebody else");
            }
            () if meta.mode() & OTHERS_WRITE != 0 => return refuse("others can write it"),
            () if meta.len() > limit => return refuse("it is too large"),
            () => {}
        }
        let map = map(&file)?;
        Ok(Self { map, file })
    }

    /// Marks the file as used now, which is what pruning goes by. Failing costs nothing but order.
    pub(crate) fn touch(&self, now: std::time::SystemTime) {
        let _older = self.file.set_modified(now);
    }

    /// When it was last written or used.
    pub(crate) fn used(&self) -> Option<std::time::SystemTime> {
        self.file.metadata().and_then(|meta| meta.modified()).ok()
    }
}

#[expect(unsafe_code, reason = "a mapped file; see the argument inside")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: a mapping is unsound when somebody changes or cuts the file under it. Index files are
    // written under another name and renamed into place, never written in place, so that the inode
    // behind this handle keeps its bytes as long as it lives, replaced or removed or not. The caller
    // has checked on this very handle that it is a regular file of this person that nobody else can
    // write, so only a program of the same person that edits cache files in place could break that, and
    // such a program could as well write to our memory. What the bytes say is not trusted either: they
    // are checked against a checksum, and `Index::from_bytes` and every read behind it check bounds.
    unsafe { Mmap::map(file) }
}
