//! The bubblewrap tier: the job sees only the paths it was given.

use super::{
    filter::{self, Needs},
    sealed_file,
    view::{SETTINGS, SYSTEM, View},
};
use crate::{Job, Network, SandboxError};
use std::{
    ffi::{OsStr, OsString},
    fs::File,
    os::{
        fd::AsRawFd,
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::Path,
    process::Command,
};

/// Possible locations of `bwrap`. It is never looked up in `PATH`, where a user's folder could contain
/// another program of that name.
const PLACES: [&str; 4] =
    ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// Number of `bwrap`'s own processes that run beside the program: the outer one and the first one inside.
pub(crate) const OWN_PROCESSES: usize = 2;

const OTHERS_WRITE: u32 = 0o022;

/// The `bwrap` of this machine, if root owns it and no other user can write it.
pub(crate) fn program() -> Option<&'static Path> {
    PLACES.iter().map(Path::new).find(|path| {
        path.metadata().is_ok_and(|meta| meta.is_file() && meta.uid() == 0 && meta.mode() & OTHERS_WRITE == 0)
    })
}

/// A `bwrap` command for a job, with the files that contain its arguments and the seccomp filter.
pub(crate) struct Wrapped {
    pub(crate) command: Command,
    pub(crate) files: [File; 2],
}

pub(crate) fn wrap(bwrap: &Path, job: &Job, view: &View) -> Result<Wrapped, SandboxError> {
    let sockets = !view.sockets.is_empty();
    let needs = Needs { network: job.network, hidden: true, sockets, signals_kept: true };
    let filter = filter::bytes(&filter::filter(needs)?);
    let failed = |source| SandboxError::setup("writing the arguments of bubblewrap", source);
    let filter = sealed_file::sealed(&filter).map_err(failed)?;
    let words = arguments(job, view, filter.as_raw_fd());
    let mut line = Vec::new();
    for word in &words {
        line.extend_from_slice(word.as_bytes());
        line.push(0);
    }
    // The arguments are passed in a file, because every user can read the command line of a process, and they
    // contain the environment variables.
    let arguments = sealed_file::sealed(&line).map_err(failed)?;
    let mut command = Command::new(bwrap);
    command.arg("--args").arg(arguments.as_raw_fd().to_string()).arg("--").arg(&view.program);
    // An empty environment for `bwrap` itself, because the sandbox can read it as that of process 1.
    command.args(&job.arguments).env_clear().current_dir("/");
    Ok(Wrapped { command, files: [arguments, filter] })
}

fn arguments(job: &Job, view: &View, filter: i32) -> Vec<OsString> {
    let mut words = Words::default();
    words.add(["--unshare-all", "--unshare-user", "--disable-userns"]);
    if job.network == Network::Allowed {
        words.add(["--share-net"]);
    }
    words.add([
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--hostname",
        "sandbox",
        "--clearenv",
    ]);
    for (name, value) in &job.environment {
        words.add([OsStr::new("--setenv"), name, value]);
    }
    for path in SYSTEM.iter().map(Path::new) {
        match path.read_link() {
            Ok(target) => words.add([OsStr::new("--symlink"), target.as_os_str(), path.as_os_str()]),
            Err(_) if path.exists() => words.bind("--ro-bind", path),
            Err(_) => {}
        }
    }
    for path in SETTINGS.iter().map(Path::new).filter(|path| path.exists()) {
        words.bind("--ro-bind", path);
    }
    let size = job.limits.file_size.to_string();
    words.add([
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        &size,
        "--tmpfs",
        "/dev/shm",
        "--remount-ro",
        "/dev",
    ]);
    words.add(["--size", &size, "--tmpfs", "/tmp", "--symlink", "/tmp", "/var/tmp"]);
    let depth = |path: &Path| path.components().count();
    let mut hidden = view.hidden.iter().peekable();
    for mount in &view.mounts {
        // A hidden path comes before the mounts inside it, which stay visible.
        while let Some(path) = hidden.next_if(|path| depth(path) < depth(&mount.path)) {
            words.hide(path);
        }
        words.bind(if mount.writable { "--bind" } else { "--ro-bind" }, &mount.path);
    }
    for path in hidden {
        words.hide(path);
    }
    for folder in &view.replaced {
        words.add([OsStr::new("--ro-bind"), folder.by.as_os_str(), folder.path.as_os_str()]);
    }
    for path in view.hidden.iter().filter(|path| path.is_dir()) {
        words.add([OsStr::new("--remount-ro"), path.as_os_str()]);
    }
    // Last, so that no folder mount hides a socket. Connecting needs no write access, so the socket file is
    // read-only.
    for socket in &view.sockets {
        words.bind("--ro-bind", socket);
    }
    // The kernel checks the owner of its settings files and not capabilities: root in a user namespace could
    // write them, for example the program that is started for a core dump.
    words.add(["--remount-ro", "/proc", "--remount-ro", "/", "--seccomp", &filter.to_string()]);
    words.add([OsStr::new("--chdir"), view.folder.as_os_str()]);
    words.0
}

#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    fn add<W: AsRef<OsStr>>(&mut self, words: impl IntoIterator<Item = W>) {
        self.0.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
    }

    fn bind(&mut self, how: &str, path: &Path) {
        self.add([OsStr::new(how), path.as_os_str(), path.as_os_str()]);
    }
}

impl Words {
    /// Covers a folder with an empty one that cannot be listed, and a file with a device that cannot be opened,
    /// because devices do not work in these mounts.
    fn hide(&mut self, path: &Path) {
        if path.is_dir() {
            self.add(["--perms", "0111", "--tmpfs"]);
            self.add([path]);
        } else {
            self.add([OsStr::new("--ro-bind"), OsStr::new("/dev/null"), path.as_os_str()]);
        }
    }
}

/// Whether `bwrap` itself failed before the program ran, and its message.
pub(crate) fn failure(code: i32, stderr: &[u8]) -> Option<String> {
    const OWN: &[u8] = b"bwrap: ";
    let said = (code == 1 && stderr.starts_with(OWN)).then_some(stderr)?;
    Some(String::from_utf8_lossy(said).trim().to_owned())
}
