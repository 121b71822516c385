//! A job: what to run, and what it can access.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// A command with everything it can access. It inherits nothing from the caller.
#[derive(Debug, Clone)]
pub struct Job {
    /// An absolute path, or a name that is looked up in the `PATH` of [`Job::environment`]. Never a shell
    /// command line.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The content of its standard input. [`spawn`](crate::spawn) ignores it; there the caller writes.
    pub stdin: Vec<u8>,
    /// Its complete environment. A tier may add `TMPDIR` (Landlock) or `PWD` (bubblewrap).
    pub environment: BTreeMap<OsString, OsString>,
    /// The starting folder; must be `/` or inside a readable or writable path.
    pub folder: PathBuf,
    /// Files and folders it can read and execute, in addition to the system's folders. Symbolic links are
    /// resolved first.
    pub read_only: Vec<PathBuf>,
    /// Files and folders it can also write. A read-only path inside a writable one works with bubblewrap;
    /// Landlock cannot express it and refuses the job.
    pub writable: Vec<PathBuf>,
    /// Files and folders inside the paths above that the job cannot read: a file cannot be opened, a folder
    /// cannot be listed. A path that does not exist is ignored, and so is one that is itself given or contains
    /// a given path: the narrower one counts. With Landlock a folder on the way to a hidden path can be listed
    /// but not written.
    pub hidden: Vec<PathBuf>,
    /// Folders that show the files of another folder, read-only. Only bubblewrap can do that; the other tiers
    /// give the folder as it is.
    pub replaced: Vec<Replacement>,
    /// Unix sockets in the file system that the job can connect to. Only bubblewrap can restrict a job to
    /// these. Landlock cannot distinguish the paths of connections and refuses the job. Bubblewrap refuses it
    /// together with [`Network::Allowed`], which would expose the abstract sockets of the machine.
    ///
    /// Two risks remain. The server of a socket can pass open files to the job, and the job can pass its own
    /// (`SCM_RIGHTS`), so list only servers that do neither. And if the list is not empty, the job can also
    /// connect to sockets inside its readable and writable paths.
    pub sockets: Vec<PathBuf>,
    /// Whether it has network access.
    pub network: Network,
    /// Its resource limits.
    pub limits: Limits,
}

impl Job {
    /// Makes a job with no arguments, no input, an empty environment and access to the system's folders only.
    pub fn new(program: impl Into<OsString>, folder: impl AsRef<Path>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            stdin: Vec::new(),
            environment: BTreeMap::new(),
            folder: folder.as_ref().to_owned(),
            read_only: Vec::new(),
            writable: Vec::new(),
            hidden: Vec::new(),
            replaced: Vec::new(),
            sockets: Vec::new(),
            network: Network::Denied,
            limits: Limits::default(),
        }
    }
}

/// A folder that shows the files of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The folder, by its absolute path without links. What lies there when the job starts is not looked at.
    pub path: PathBuf,
    /// The folder whose files are shown there.
    pub by: PathBuf,
}

impl Replacement {
    /// Where the files that a path shows really are, when the path is inside the folder.
    pub fn shown(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(&self.path).ok().map(|inside| self.by.join(inside))
    }
}

/// Network access of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// None.
    Denied,
    /// IP connections to every host that this machine can reach, including itself. Unix sockets are not
    /// included.
    Allowed,
}

/// Resource limits of a job. Every limit applies to the whole process tree unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time, after which the whole tree is killed. `None` for a server: it runs until it ends or
    /// is stopped.
    pub time: Option<Duration>,
    /// Bytes kept of each of stdout and stderr. The rest is read and discarded, so the job never blocks.
    /// [`spawn`](crate::spawn) ignores it; there the caller reads.
    pub output_bytes: usize,
    /// Processes and threads alive at the same time, without those of the sandbox itself. A job that exceeds
    /// it is killed with its tree. [`Report::enforcement`](crate::Report::enforcement) says how this machine
    /// enforces it.
    pub processes: usize,
    /// Bytes of memory: of the data of each process, and of the whole tree.
    /// [`Report::enforcement`](crate::Report::enforcement) says how this machine enforces the second.
    pub memory: u64,
    /// Bytes of one file, and of the whole private `/tmp`.
    pub file_size: u64,
    /// Open files of one process.
    pub open_files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Some(Duration::from_mins(1)),
            output_bytes: 1 << 20,
            processes: 256,
            memory: 2 << 30,
            file_size: 256 << 20,
            open_files: 1024,
        }
    }
}
