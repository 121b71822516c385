//! The one reader, and [`replace`] the one writer, of files that come from a repository, a plugin or a path that the user names:
//! regular files only, opened without waiting, never more than a limit, and inside the folders that their owner may link to.

mod replace;

pub use replace::replace;

use crate::{
    approvals::Approvals,
    folder::{FileRead, Folder},
};
use cap_std::fs::Dir;
use rustix::{
    fd::AsFd,
    fs::{CWD, Mode, OFlags, fstat, openat, stat},
    io::Errno,
};
use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// The folders that links of a repository or a plugin may lead to. A user's own folders have no boundary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Real paths: the repository, and folders of the user that are read anyway.
    folders: Vec<PathBuf>,
    /// The content store and what locks name: an installed skill may be a link into it.
    installed: Option<(PathBuf, Arc<Approvals>)>,
}

impl Boundary {
    /// The boundary of one folder.
    pub fn of(folder: &Path) -> Self {
        Self { folders: vec![real(folder)], installed: None }
    }

    /// The same, and further folders that links may lead to.
    #[must_use]
    pub fn and(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.folders.extend(folders.into_iter().map(|folder| real(&folder)));
        self.folders.sort();
        self.folders.dedup();
        self
    }

    /// The same, and links at the places of installed skills into the content store.
    #[must_use]
    pub fn with_installed(mut self, store: &Path, approvals: &Arc<Approvals>) -> Self {
        self.installed = Some((real(store), Arc::clone(approvals)));
        self
    }

    /// The folders, for the key of a cache.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether a real path is inside.
    pub fn holds(&self, real: &Path) -> bool {
        self.folders.iter().any(|folder| real.starts_with(folder))
    }

    /// Whether the folder `named`, whose real path is `real`, is inside, or is installed as a link.
    pub(crate) fn permits(&self, named: &Path, real: &Path) -> bool {
        self.holds(real)
            || self
                .installed
                .as_ref()
                .is_some_and(|(store, approvals)| real.starts_with(store) && approvals.is_installed(named))
    }
}

fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf())
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file does not exist.
    #[error("it does not exist")]
    Missing,
    /// A link whose target does not exist.
    #[error("it is a link that leads nowhere")]
    LeadsNowhere,
    /// A folder, pipe, socket or device.
    #[error("it is not a regular file")]
    NotAFile,
    /// It has more bytes than the limit.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// It is outside of the folders that may be read.
    #[error("it is a link that leads out of the repository, to `{}`", .0.escape_debug())]
    Outside(String),
    /// It is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ReadError {
    /// How a user repairs it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Missing => "check the path",
            Self::LeadsNowhere => "remove the link or restore its target",
            Self::NotAFile => "put a regular file in its place",
            Self::TooLarge(_) => "make the file smaller",
            Self::Outside(_) => "copy the file into the repository",
            Self::NotText => "save the file as UTF-8",
            Self::Io(_) => "check its permissions",
        }
    }
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        let kind = match &error {
            ReadError::Missing => io::ErrorKind::NotFound,
            ReadError::LeadsNowhere | ReadError::NotAFile | ReadError::NotText => io::ErrorKind::InvalidData,
            ReadError::TooLarge(_) => io::ErrorKind::FileTooLarge,
            ReadError::Outside(_) => io::ErrorKind::PermissionDenied,
            ReadError::Io(_) => match error {
                ReadError::Io(error) => return error,
                _ => io::ErrorKind::Other,
            },
        };
        Self::new(kind, error.to_string())
    }
}

/// Reads a regular file of at most `limit` bytes; with a boundary, only inside it.
pub fn read(path: &Path, limit: u64, within: Option<&Boundary>) -> Result<Vec<u8>, ReadError> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or(ReadError::NotAFile)?;
    let folder = Folder::open(folder).map_err(failed)?;
    match folder.read_inside(name, limit, within).map_err(failed)? {
        FileRead::Bytes(bytes, _) => Ok(bytes),
        FileRead::TooLarge(_) => Err(ReadError::TooLarge(limit)),
        FileRead::NotAFile => Err(ReadError::NotAFile),
        FileRead::Outside(real) => Err(ReadError::Outside(real.to_string_lossy().into_owned())),
    }
}

/// The same for a text.
pub fn read_text(path: &Path, limit: u64, within: Option<&Boundary>) -> Result<String, ReadError> {
    String::from_utf8(read(path, limit, within)?).map_err(|_| ReadError::NotText)
}

/// A file of the user's own; none where there is none. A link that leads nowhere is a file that cannot be read: what
/// the user wrote there still guards something.
pub fn read_own(path: &Path, limit: u64) -> Result<Option<String>, ReadError> {
    match read_text(path, limit, None) {
        Ok(text) => Ok(Some(text)),
        Err(ReadError::Missing) if path.symlink_metadata().is_err() => Ok(None),
        Err(ReadError::Missing) => Err(ReadError::LeadsNowhere),
        Err(error) => Err(error),
    }
}

/// The beginning of a text, at most `limit` bytes, and whether that is all of it.
pub fn read_start(path: &Path, limit: usize, within: Option<&Boundary>) -> Result<(String, bool), ReadError> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = openat(CWD, path, flags, Mode::empty()).map_err(failed)?;
    let meta = fstat(&file).map_err(failed)?;
    if rustix::fs::FileType::from_raw_mode(meta.st_mode) != rustix::fs::FileType::RegularFile {
        return Err(ReadError::NotAFile);
    }
    if let Some(outside) = leaves(&file, path, within) {
        return Err(ReadError::Outside(outside.to_string_lossy().into_owned()));
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(std::fs::File::from(file), limit as u64 + 1), &mut bytes)?;
    let whole = bytes.len() <= limit;
    bytes.truncate(limit);
    Ok((String::from_utf8_lossy(&bytes).into_owned(), whole))
}

/// Opens a regular file below an open folder, without waiting for a pipe.
pub fn open_regular(folder: &Dir, path: impl AsRef<Path>) -> io::Result<cap_std::fs::File> {
    use cap_std::fs::OpenOptionsExt;
    let mut options = cap_std::fs::OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = folder.open_with(path, &options)?;
    match file.metadata()? {
        meta if meta.is_file() => Ok(file),
        meta if meta.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(ReadError::NotAFile.into()),
    }
}

/// The boundary of a path that the user names: the repository around it. Outside of repositories there is none.
pub fn around(path: &Path) -> Option<Boundary> {
    crate::roots::repository_of(&folder_of(path)?).map(Boundary::of)
}

/// Checks a folder that files are written into, which need not exist: a link of a repository must not lead out of it.
pub fn stays_inside(folder: &Path) -> Result<(), ReadError> {
    let Some(within) = around(&folder.join("file")) else { return Ok(()) };
    let real = folder.ancestors().find_map(|above| above.canonicalize().ok());
    match real.filter(|real| !within.holds(real)) {
        Some(outside) => Err(ReadError::Outside(outside.to_string_lossy().into_owned())),
        None => Ok(()),
    }
}

/// The folder of a path. One that leads through another folder, `repository/../file`, is resolved.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let folder = path.parent()?;
    let leads_up = folder.components().any(|part| part == std::path::Component::ParentDir);
    if leads_up { folder.canonicalize().ok() } else { Some(folder.to_path_buf()) }
}

/// The boundaries of many paths: the repositories around their folders are looked up once.
#[derive(Debug, Default)]
pub struct Repositories {
    known: Mutex<HashMap<PathBuf, Option<Arc<Boundary>>>>,
    /// The content store and what locks name.
    installed: Option<(PathBuf, Arc<Approvals>)>,
}

impl Repositories {
    /// Boundaries that links of installed skills into the content store may leave.
    pub fn with_installed(store: &Path, approvals: &Arc<Approvals>) -> Self {
        Self { known: Mutex::default(), installed: Some((real(store), Arc::clone(approvals))) }
    }

    /// The boundary of the files of an open folder. Those of a skill that is installed as a link stay in the content store.
    pub(crate) fn of_folder(&self, named: &Path, opened: &Folder) -> Option<Arc<Boundary>> {
        let within = self.around(&named.join("SKILL.md"))?;
        if let Some((store, approvals)) = &self.installed
            && let Some(real) = opened.leaves(named, Some(&within))
            && real.starts_with(store)
            && approvals.is_installed(named)
        {
            return Some(Arc::new(Boundary::of(&real)));
        }
        Some(within)
    }

    /// The same as [`around`].
    pub fn around(&self, path: &Path) -> Option<Arc<Boundary>> {
        let folder = folder_of(path)?;
        let folder = folder.as_path();
        let bounds = |folder: &Path| Some(Arc::new(Boundary::of(folder)));
        if folder.join(".git").symlink_metadata().is_ok() {
            return bounds(folder);
        }
        let above = folder.parent()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(above) {
            return found.clone();
        }
        let found = crate::roots::repository_of(above).and_then(bounds);
        known.insert(above.to_path_buf(), found.clone());
        found
    }
}

/// Opens a folder; with a boundary, only inside it. The handle is what was checked.
pub fn open_folder(path: &Path, within: Option<&Boundary>) -> io::Result<Dir> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let folder = openat(CWD, path, flags, Mode::empty())?;
    match leaves(&folder, path, within) {
        Some(outside) => Err(ReadError::Outside(outside.to_string_lossy().into_owned()).into()),
        None => Ok(Dir::from_std_file(std::fs::File::from(folder))),
    }
}

/// Where an open file or folder really is, when that is outside of the boundary.
pub(crate) fn leaves(opened: &impl AsFd, named: &Path, within: Option<&Boundary>) -> Option<PathBuf> {
    let within = within?;
    match path_of(opened, named) {
        Some(real) if within.permits(named, &real) => None,
        Some(real) => Some(real),
        // What cannot be located is not inside.
        None => Some(named.to_path_buf()),
    }
}

/// The real path of something that is open: of the handle, not of the name, which may lead elsewhere by now.
fn path_of(opened: &impl AsFd, named: &Path) -> Option<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fd::AsRawFd;
        let link = format!("/proc/self/fd/{}", opened.as_fd().as_raw_fd());
        if let Ok(path) = std::fs::read_link(link) {
            return path.is_absolute().then_some(path);
        }
    }
    #[cfg(target_vendor = "apple")]
    if let Ok(path) = rustix::fs::getpath(opened) {
        use std::os::unix::ffi::OsStrExt;
        return Some(PathBuf::from(std::ffi::OsStr::from_bytes(path.as_bytes())));
    }
    let path = named.canonicalize().ok()?;
    let (there, here) = (stat(&path).ok()?, fstat(opened).ok()?);
    ((there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)).then_some(path)
}

fn failed(error: Errno) -> ReadError {
    match error {
        Errno::NOENT | Errno::NOTDIR => ReadError::Missing,
        // What a socket answers when it is opened.
        Errno::NXIO => ReadError::NotAFile,
        error => ReadError::Io(error.into()),
    }
}
