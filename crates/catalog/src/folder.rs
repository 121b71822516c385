//! Reading one folder: what is in it, and stamps that show later whether it is still the same.

use crate::bounded::{Boundary, leaves};
#[cfg(target_os = "linux")]
use rustix::fs::{RawDir, SeekFrom};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{AtFlags, FileType, Mode, OFlags, Stat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use skillful_format::path_text;
use std::{
    ffi::{CStr, OsStr, OsString},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};
#[cfg(target_os = "linux")]
use std::{
    mem::MaybeUninit,
    sync::atomic::{AtomicBool, Ordering},
};

/// Identity and age of a file or folder. Equal stamps mean equal content, unless the stamp was
/// taken within the resolution of the file system's clock; see [`Stamp::is_settled`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: i64,
    changed: i64,
}

const SECOND: i64 = 1_000_000_000;

impl Stamp {
    /// From what the system reports.
    pub fn of(stat: &Stat) -> Self {
        Self {
            device: bits(stat.st_dev),
            inode: bits(stat.st_ino),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// Two paths with one identity are one thing.
    pub fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Whether the thing was last touched long enough before `now` (nanoseconds since 1970) that a
    /// further change would surely give another stamp.
    pub fn is_settled(&self, now: i64) -> bool {
        self.modified.max(self.changed) < now - 2 * SECOND
    }
}

/// The bits of a number, whose width and sign differ between systems.
fn bits(number: impl Into<i128>) -> u64 {
    u64::try_from(number.into() & i128::from(u64::MAX)).unwrap_or_default()
}

/// Nanoseconds since 1970. They fit until 2262; a date beyond that is some date, and equal to itself.
fn nanoseconds(seconds: impl Into<i128>, nanos: impl Into<i128>) -> i64 {
    let sum = seconds.into().saturating_mul(SECOND.into()).saturating_add(nanos.into());
    i64::try_from(sum.clamp(i64::MIN.into(), i64::MAX.into())).unwrap_or(i64::MAX)
}

/// What a name in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A device, socket or pipe.
    Other,
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    /// The name itself.
    pub text: String,
    /// What it names.
    pub kind: FileKind,
}

/// One name in a folder, whatever its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawName {
    pub(crate) text: OsString,
    pub(crate) kind: FileKind,
}

/// An open folder.
pub struct Folder {
    fd: OwnedFd,
    /// Whether its names were read, so that the position of the handle is behind them.
    #[cfg(target_os = "linux")]
    is_read: AtomicBool,
}

/// Bytes of names that one call to the system returns.
#[cfg(target_os = "linux")]
const NAMES_BUFFER: usize = 16 << 10;

impl Folder {
    fn of(fd: OwnedFd) -> Self {
        Self {
            fd,
            #[cfg(target_os = "linux")]
            is_read: AtomicBool::new(false),
        }
    }

    /// Opens a folder; links on the way are followed.
    pub fn open(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        rustix::fs::open(path, flags, Mode::empty()).map(Self::of)
    }

    /// Opens a folder below this one.
    pub fn open_below(&self, path: &str) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        rustix::fs::openat(&self.fd, path, flags, Mode::empty()).map(Self::of)
    }

    /// Opens a folder in this one, unless it is a link.
    pub(crate) fn open_folder_in(&self, name: &OsStr) -> Result<Self, Errno> {
        let flags =
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        rustix::fs::openat(&self.fd, name, flags, Mode::empty()).map(Self::of)
    }

    /// The stamp of the folder itself.
    pub fn stamp(&self) -> Result<Stamp, Errno> {
        rustix::fs::fstat(&self.fd).map(|stat| Stamp::of(&stat))
    }

    /// The stamp of something below, links followed.
    pub fn stamp_of(&self, path: &str) -> Option<Stamp> {
        rustix::fs::statat(&self.fd, path, AtFlags::empty()).ok().map(|stat| Stamp::of(&stat))
    }

    /// What something below is, links followed.
    pub fn kind_of(&self, path: &str) -> Option<FileKind> {
        let stat = rustix::fs::statat(&self.fd, path, AtFlags::empty()).ok()?;
        Some(kind(FileType::from_raw_mode(stat.st_mode)))
    }

    /// All names, sorted; a name that is not UTF-8 is in the second list, as text.
    pub fn names(&self) -> Result<(Vec<Name>, Vec<String>), Errno> {
        let mut names = Vec::new();
        let mut strange = Vec::new();
        self.each_name(|name, file_type| {
            let text = match name.to_str() {
                Ok("." | "..") => return,
                Ok(text) => text.to_owned(),
                Err(_) => {
                    let name = Path::new(OsStr::from_bytes(name.to_bytes()));
                    strange.push(path_text(name).into_owned());
                    return;
                }
            };
            let kind = match file_type {
                FileType::Unknown => self.unfollowed(text.as_ref()),
                known => kind(known),
            };
            names.push(Name { text, kind });
        })?;
        // Names without one that is equal: the stable sort compares less often in the program that ships.
        names.sort();
        strange.sort_unstable();
        Ok((names, strange))
    }

    /// All names, as the system has them, in no order.
    pub(crate) fn raw_names(&self) -> Result<Vec<RawName>, Errno> {
        let mut names = Vec::new();
        self.each_name(|name, file_type| {
            let text = OsStr::from_bytes(name.to_bytes());
            if text == "." || text == ".." {
                return;
            }
            let kind = match file_type {
                FileType::Unknown => self.unfollowed(text),
                known => kind(known),
            };
            names.push(RawName { text: text.to_os_string(), kind });
        })?;
        Ok(names)
    }

    /// Reads the names through the handle itself: a stream of the C library opens the folder a second time.
    #[cfg(target_os = "linux")]
    fn each_name(&self, mut each: impl FnMut(&CStr, FileType)) -> Result<(), Errno> {
        let mut buffer = [const { MaybeUninit::uninit() }; NAMES_BUFFER];
        if self.is_read.swap(true, Ordering::Relaxed) {
            rustix::fs::seek(&self.fd, SeekFrom::Start(0))?;
        }
        let mut entries = RawDir::new(&self.fd, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            each(entry.file_name(), entry.file_type());
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn each_name(&self, mut each: impl FnMut(&CStr, FileType)) -> Result<(), Errno> {
        for entry in rustix::fs::Dir::read_from(&self.fd)? {
            let entry = entry?;
            each(entry.file_name(), entry.file_type());
        }
        Ok(())
    }

    fn unfollowed(&self, path: &OsStr) -> FileKind {
        rustix::fs::statat(&self.fd, path, AtFlags::SYMLINK_NOFOLLOW)
            .map_or(FileKind::Other, |stat| kind(FileType::from_raw_mode(stat.st_mode)))
    }

    /// Reads a regular file below, at most `limit` bytes of it. Pipes and devices are refused, so
    /// that a hostile folder cannot make the scan wait.
    pub fn read(&self, path: &str, limit: u64) -> Result<FileRead, Errno> {
        self.read_with(path.as_ref(), limit, None, Vec::new())
    }

    /// The same, when the file is inside a boundary.
    pub fn read_inside(
        &self,
        path: impl AsRef<OsStr>,
        limit: u64,
        within: Option<&Boundary>,
    ) -> Result<FileRead, Errno> {
        self.read_with(path.as_ref(), limit, within, Vec::new())
    }

    /// Reads a regular file in this folder; a link is the error `ELOOP`.
    pub(crate) fn read_unlinked(&self, name: &str, limit: u64) -> Result<FileRead, Errno> {
        read_opened(self.fd.as_fd(), name.as_ref(), OFlags::NOFOLLOW, limit, None, Vec::new())
    }

    /// The same into a buffer that was used before: one for many files keeps memory in one piece.
    pub(crate) fn read_into(
        &self,
        path: &str,
        limit: u64,
        within: Option<&Boundary>,
        buffer: Vec<u8>,
    ) -> Result<FileRead, Errno> {
        self.read_with(path.as_ref(), limit, within, buffer)
    }

    /// Where the folder really is, when that is outside of a boundary.
    pub(crate) fn leaves(&self, named: &Path, within: Option<&Boundary>) -> Option<PathBuf> {
        leaves(&self.fd, named, within)
    }

    fn read_with(
        &self,
        path: &OsStr,
        limit: u64,
        within: Option<&Boundary>,
        bytes: Vec<u8>,
    ) -> Result<FileRead, Errno> {
        read_below(self.fd.as_fd(), path, limit, within, bytes)
    }
}

/// Reads a regular file, at most `limit` bytes of it; links on the way are followed.
pub fn read_file(path: &Path, limit: u64) -> Result<FileRead, Errno> {
    read_below(rustix::fs::CWD, path.as_os_str(), limit, None, Vec::new())
}

fn read_below(
    folder: BorrowedFd<'_>,
    path: &OsStr,
    limit: u64,
    within: Option<&Boundary>,
    bytes: Vec<u8>,
) -> Result<FileRead, Errno> {
    read_opened(folder, path, OFlags::empty(), limit, within, bytes)
}

fn read_opened(
    folder: BorrowedFd<'_>,
    path: &OsStr,
    more: OFlags,
    limit: u64,
    within: Option<&Boundary>,
    mut bytes: Vec<u8>,
) -> Result<FileRead, Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | more;
    let fd = rustix::fs::openat(folder, path, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(FileRead::NotAFile);
    }
    if let Some(real) = leaves(&fd, Path::new(path), within) {
        return Ok(FileRead::Outside(real));
    }
    let stamp = Stamp::of(&stat);
    if stamp.size > limit {
        return Ok(FileRead::TooLarge(stamp));
    }
    bytes.clear();
    bytes.reserve_exact(usize::try_from(stamp.size).unwrap_or(0) + 1);
    read_all(fd.as_fd(), &mut bytes, limit)?;
    if bytes.len() as u64 > limit {
        return Ok(FileRead::TooLarge(stamp));
    }
    Ok(FileRead::Bytes(bytes, stamp))
}

fn read_all(fd: BorrowedFd<'_>, bytes: &mut Vec<u8>, limit: u64) -> Result<(), Errno> {
    loop {
        if bytes.capacity() - bytes.len() < 512 && bytes.len() == bytes.capacity() {
            bytes.reserve(4096);
        }
        let read = rustix::io::retry_on_intr(|| rustix::io::read(fd, rustix::buffer::spare_capacity(bytes)))?;
        // There is room for one byte more than the file had, so that a full buffer means that it grew.
        if read == 0 || bytes.len() < bytes.capacity() || bytes.len() as u64 > limit {
            return Ok(());
        }
    }
}

fn kind(kind: FileType) -> FileKind {
    match kind {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Folder,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Other,
    }
}

/// What reading a file gave.
pub enum FileRead {
    /// The whole file.
    Bytes(Vec<u8>, Stamp),
    /// The file is over the limit and was not read.
    TooLarge(Stamp),
    /// A folder, device, socket or pipe.
    NotAFile,
    /// The file is outside of the boundary, there.
    Outside(PathBuf),
}
