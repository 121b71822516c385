//! The socket of a run: in a folder that only its owner can enter, for its owner's processes.

use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::{
        fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
};

/// Longest path that every system accepts, without the byte that ends it.
const PATH_LIMIT: usize = 103;
/// Rights of group and others.
const OTHERS: u32 = 0o077;
/// The name of a socket.
const FILE: &str = "proxy.sock";

/// Why the socket could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The path is longer than systems allow.
    #[error("the path of the socket is longer than {PATH_LIMIT} bytes: `{}`", .0.display())]
    TooLong(PathBuf),
    /// Other users could reach the socket.
    #[error("the folder `{}` is open to others or not yours", .0.display())]
    Exposed(PathBuf),
    /// A file that is not a socket is at the path.
    #[error("`{}` is there and is not a socket", .0.display())]
    Occupied(PathBuf),
    /// Another proxy serves the path.
    #[error("another proxy serves `{}`", .0.display())]
    Served(PathBuf),
    /// A call of the operating system failed.
    #[error("failed to {what} `{}`: {error}", path.display())]
    Io {
        /// What was being done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

impl SocketError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::TooLong(_) => "name a shorter path, such as one below /tmp or XDG_RUNTIME_DIR",
            Self::Exposed(_) => "name a folder of your own with mode 0700",
            Self::Occupied(_) | Self::Served(_) => "name another path",
            Self::Io { .. } => "see that the folder can be written",
        }
    }

    fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { what, path, error }
    }
}

/// A listening socket, and its folder when that was made for it.
pub(super) struct Bound {
    pub(super) listener: UnixListener,
    pub(super) path: PathBuf,
    folder: Option<tempfile::TempDir>,
}

/// Listens in a new folder below `base`.
pub(super) fn bind_below(base: &Path) -> Result<Bound, SocketError> {
    let folder = tempfile::Builder::new()
        .prefix("skillful-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(base)
        .map_err(SocketError::io("make a folder in", base))?;
    let mut bound = bind(&folder.path().join(FILE))?;
    bound.folder = Some(folder);
    Ok(bound)
}

/// Listens at a path; a socket file that a dead proxy left there is replaced.
pub(super) fn bind(path: &Path) -> Result<Bound, SocketError> {
    if path.as_os_str().len() > PATH_LIMIT {
        return Err(SocketError::TooLong(path.to_owned()));
    }
    private_folder(path)?;
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(SocketError::io("look at", path)(error)),
        Ok(meta) if !meta.file_type().is_socket() => return Err(SocketError::Occupied(path.to_owned())),
        Ok(_) if UnixStream::connect(path).is_ok() => return Err(SocketError::Served(path.to_owned())),
        Ok(_) => fs::remove_file(path).map_err(SocketError::io("remove the old", path))?,
    }
    // Between these two lines the folder keeps other users out.
    let listener = UnixListener::bind(path).map_err(SocketError::io("listen at", path))?;
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(SocketError::io("close", path))?;
    Ok(Bound { listener, path: path.to_owned(), folder: None })
}

fn private_folder(path: &Path) -> Result<(), SocketError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(SocketError::io("create", folder)(error));
        }
        _ => {}
    }
    let meta = fs::symlink_metadata(folder).map_err(SocketError::io("look at", folder))?;
    let mine = meta.is_dir() && meta.uid() == own_user() && meta.mode() & OTHERS == 0;
    if mine { Ok(()) } else { Err(SocketError::Exposed(folder.to_owned())) }
}

impl Drop for Bound {
    fn drop(&mut self) {
        // The file may be gone already, and the folder goes with its guard.
        drop(fs::remove_file(&self.path));
        drop(self.folder.take());
    }
}

/// The user of this process.
pub(super) fn own_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The user of the process at the other end. A user namespace hides nothing: the kernel answers in terms
/// of ours.
#[cfg(target_os = "linux")]
pub(super) fn peer_of(stream: &UnixStream) -> Option<u32> {
    rustix::net::sockopt::socket_peercred(stream).ok().map(|peer| peer.uid.as_raw())
}

/// Elsewhere the mode of the folder is the only check.
#[cfg(not(target_os = "linux"))]
pub(super) fn peer_of(_stream: &UnixStream) -> Option<u32> {
    Some(own_user())
}
