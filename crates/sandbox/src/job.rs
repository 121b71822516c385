//! What to run, and what it may see.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// A command with its whole world. Nothing is inherited from the caller.
#[derive(Debug, Clone)]
pub struct Job {
    /// An absolute path, or a name looked up in the `PATH` of [`Job::environment`]. Never a line for a shell.
    pub program: OsString,
    /// Its arguments, each one word.
    pub arguments: Vec<OsString>,
    /// What it reads from its standard input; of no concern to [`spawn`](crate::spawn), where the caller writes.
    pub stdin: Vec<u8>,
    /// All of its environment. A tier may add `TMPDIR` (Landlock) or `PWD` (bubblewrap).
    pub environment: BTreeMap<OsString, OsString>,
    /// Where it starts; must be within a readable or writable path, or be `/`.
    pub folder: PathBuf,
    /// Files and folders it may read and execute, besides the folders of the system. Links are resolved first.
    pub read_only: Vec<PathBuf>,
    /// Files and folders it may also write. A read-only path inside one is kept by bubblewrap and refused by
    /// Landlock, which cannot express it.
    pub writable: Vec<PathBuf>,
    /// Unix sockets in the file system that it may connect to. Only bubblewrap keeps it to these: Landlock
    /// cannot tell one path of a connection from another and refuses, and so does bubblewrap together with
    /// [`Network::Allowed`], which would open the abstract sockets of the machine.
    ///
    /// What this cannot close: whoever serves the socket can hand the job open files over it, and the job can
    /// hand over its own (`SCM_RIGHTS`), so name only servers that pass and take none. And with at least one
    /// socket here, the sockets that lie in the job's readable and writable paths can be connected to as well.
    pub sockets: Vec<PathBuf>,
    /// Whether it may speak to anybody.
    pub network: Network,
    /// What it may use up.
    pub limits: Limits,
}

impl Job {
    /// A job with no arguments, no input, an empty environment and nothing but the system's folders.
    pub fn new(program: impl Into<OsString>, folder: impl AsRef<Path>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            stdin: Vec::new(),
            environment: BTreeMap::new(),
            folder: folder.as_ref().to_owned(),
            read_only: Vec::new(),
            writable: Vec::new(),
            sockets: Vec::new(),
            network: Network::Denied,
            limits: Limits::default(),
        }
    }
}

/// Whether a job may speak to anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// To nobody.
    Denied,
    /// Over IP, to every host this machine reaches, itself included. Not over Unix sockets.
    Allowed,
}

/// What a job may use up. Every figure counts the whole tree of processes unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock; then the whole tree is ended. `None`, for a server: until it ends or is stopped.
    pub time: Option<Duration>,
    /// Bytes kept of each of stdout and stderr. The rest is read and dropped, so the job never blocks. Of no
    /// concern to [`spawn`](crate::spawn), where the caller reads.
    pub output_bytes: usize,
    /// Processes and threads alive at once, those of the sandbox itself not counted. Whoever wants one more is
    /// ended with its tree. What keeps it on this machine is said by [`Report::keepers`](crate::Report::keepers).
    pub processes: usize,
    /// Bytes of memory: of data per process, and of the tree together. What keeps the second is said by
    /// [`Report::keepers`](crate::Report::keepers).
    pub memory: u64,
    /// Bytes of one file, and of all that a private `/tmp` holds.
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
