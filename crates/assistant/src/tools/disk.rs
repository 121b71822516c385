//! Opens resolved paths. Every folder on the way is opened by its handle and no link is followed: a path that
//! became a link after it was judged is refused.

use crate::tools::path_access::is_kernel;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, statat, unlinkat};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, Read, Write},
    os::fd::OwnedFd,
    path::{Component, Path},
};

#[cfg(target_os = "linux")]
const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const PASS: OFlags = OFlags::RDONLY;

/// Why a file was not read or written.
#[derive(Debug, thiserror::Error)]
pub(super) enum DiskError {
    #[error("it does not exist")]
    Missing,
    #[error("it is a folder; list_dir shows what is in it")]
    Folder,
    #[error(
        "it is not a regular file but a device, a pipe, a socket or a kernel file; those are never opened"
    )]
    Special,
    #[error("it became a link after it was checked; try again")]
    Link,
    #[error("it has {0} bytes, which is more than {1}")]
    TooLarge(u64, usize),
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl From<rustix::io::Errno> for DiskError {
    fn from(error: rustix::io::Errno) -> Self {
        use rustix::io::Errno;
        match error {
            Errno::NOENT => Self::Missing,
            Errno::LOOP => Self::Link,
            error => Self::Io(error.into()),
        }
    }
}

/// The folder of a file, held open, and the file's name in it.
#[derive(Debug)]
pub(super) struct FileSlot {
    folder: OwnedFd,
    name: OsString,
}

impl FileSlot {
    /// Opens the folder of a real path. Missing folders are created when `make` is set, else they are an error.
    pub(super) fn of(path: &Path, make: bool) -> Result<Self, DiskError> {
        if is_kernel(path) {
            return Err(DiskError::Special);
        }
        let name = path.file_name().ok_or(DiskError::Folder)?.to_owned();
        let flags = PASS | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut folder = rustix::fs::open("/", PASS | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let above = path.parent().ok_or(DiskError::Folder)?;
        for component in above.components() {
            let Component::Normal(step) = component else { continue };
            let opened = match openat(&folder, step, flags, Mode::empty()) {
                Err(rustix::io::Errno::NOENT) if make => {
                    match mkdirat(&folder, step, Mode::from_raw_mode(0o777)) {
                        Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                        Err(error) => return Err(error.into()),
                    }
                    openat(&folder, step, flags, Mode::empty())
                }
                opened => opened,
            };
            folder = match opened {
                // For a link in place of a folder the kernel returns "not a directory".
                Err(rustix::io::Errno::NOTDIR) if is_link(&folder, step) => return Err(DiskError::Link),
                opened => opened?,
            };
        }
        Ok(Self { folder, name })
    }

    /// Opens the file for reading; it must be a regular file.
    pub(super) fn open(&self) -> Result<Opened, DiskError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        // Checked before opening as well: opening some devices has an effect.
        self.regular(&statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?)?;
        let file = openat(&self.folder, &self.name, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        self.regular(&stat)?;
        #[cfg(target_os = "linux")]
        if matches!(rustix::fs::fstatfs(&file)?.f_type, PROC | SYSFS) {
            return Err(DiskError::Special);
        }
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        Ok(Opened { file: File::from(file), size, mode: Mode::from_raw_mode(stat.st_mode) })
    }

    #[expect(clippy::unused_self, reason = "a method of the slot")]
    fn regular(&self, stat: &rustix::fs::Stat) -> Result<(), DiskError> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(()),
            FileType::Directory => Err(DiskError::Folder),
            FileType::Symlink => Err(DiskError::Link),
            _ => Err(DiskError::Special),
        }
    }

    /// Writes the file atomically: readers see the old or the new content, never a part.
    pub(super) fn put(&self, content: &[u8], mode: Option<Mode>) -> Result<(), DiskError> {
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let temporary = format!(".skillful-{:016x}.tmp", u64::from_le_bytes(random));
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = openat(&self.folder, temporary.as_str(), flags, Mode::from_raw_mode(0o666))?;
        let written = || -> Result<(), DiskError> {
            let mut file = File::from(made);
            file.write_all(content)?;
            if let Some(mode) = mode {
                rustix::fs::fchmod(&file, mode & Mode::from_raw_mode(0o777))?;
            }
            file.sync_all()?;
            renameat(&self.folder, temporary.as_str(), &self.folder, &self.name)?;
            Ok(())
        };
        let done = written();
        if done.is_err() {
            let _gone = unlinkat(&self.folder, temporary.as_str(), AtFlags::empty());
        }
        done
    }
}

#[cfg(target_os = "linux")]
const PROC: rustix::fs::FsWord = 0x9fa0;
#[cfg(target_os = "linux")]
const SYSFS: rustix::fs::FsWord = 0x6265_6572;

fn is_link(folder: &OwnedFd, name: &OsStr) -> bool {
    statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

/// A regular file that was opened.
#[derive(Debug)]
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) size: u64,
    mode: Mode,
}

impl Opened {
    /// Its permissions.
    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether no one has write permission.
    pub(super) fn read_only(&self) -> bool {
        !self.mode.intersects(Mode::from_raw_mode(0o222))
    }

    /// The whole content, unless it is larger than `most` bytes.
    pub(super) fn whole(mut self, most: usize) -> Result<Vec<u8>, DiskError> {
        if self.size > most as u64 {
            return Err(DiskError::TooLarge(self.size, most));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.size).unwrap_or(0));
        // The file may grow while it is read.
        (&mut self.file).take(most as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > most { Err(DiskError::TooLarge(bytes.len() as u64, most)) } else { Ok(bytes) }
    }
}

/// Opens a regular file by its real path.
pub(super) fn open(path: &Path) -> Result<Opened, DiskError> {
    FileSlot::of(path, false)?.open()
}
