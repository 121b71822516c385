//! Why a job was not run. Each message says what to do.

use std::{io, path::PathBuf};

/// Why a job was not run. In every case except [`SandboxError::Lost`] the program was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The required tier is not usable on this machine.
    #[error(
        "refused: no usable sandbox ({wanted}) on this machine, and the command is not run without one; {reasons}"
    )]
    Unavailable {
        /// The required tier.
        wanted: String,
        /// Why each tier is not usable, and what to do.
        reasons: String,
    },
    /// The program does not exist.
    #[error("cannot find the program `{}`; install it, or give its absolute path", .0.display())]
    ProgramNotFound(PathBuf),
    /// The program is outside the paths that the job can read.
    #[error("the program {} is outside the paths that the job can read; add its folder to the read-only paths", .0.display())]
    ProgramHidden(PathBuf),
    /// The starting folder is outside the paths that the job can read.
    #[error("the folder {} is outside the paths that the job can read; add it to the read-only or writable paths", .0.display())]
    FolderHidden(PathBuf),
    /// A path does not exist or cannot be resolved.
    #[error("cannot give {} to the job; create it or leave it out", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A path that would expose the whole system to the job.
    #[error("refused to give {} to a job: it would expose the whole system; name a folder below it", .0.display())]
    TooWide(PathBuf),
    /// A read-only path inside a writable one, which Landlock cannot express.
    #[error(
        "{} is read-only inside a writable folder, which Landlock cannot enforce; install bubblewrap, or make a narrower folder writable",
        .0.display()
    )]
    ReadOnlyInsideWritable(PathBuf),
    /// A path in the list of sockets is not a socket.
    #[error("{} is not a Unix socket; start its server first, or leave it out of the sockets", .0.display())]
    NotASocket(PathBuf),
    /// A job with sockets in a tier that cannot restrict it to them.
    #[error(
        "refused to give {} to a job: Landlock cannot restrict a job to given sockets; install bubblewrap",
        .0.display()
    )]
    SocketsNeedBubblewrap(PathBuf),
    /// A job with both sockets and network access, which would expose all abstract sockets of this machine.
    #[error(
        "refused to give both the network and {} to a job: it could then connect to every abstract socket of this machine; deny the network, or leave out the sockets",
        .0.display()
    )]
    SocketsWithNetwork(PathBuf),
    /// A string with a NUL byte, or an invalid variable name.
    #[error("{what} contains a NUL byte or is empty; remove it")]
    BadWord {
        /// Which string.
        what: &'static str,
    },
    /// A limit is zero.
    #[error("the limit `{0}` is zero; give it a value above zero")]
    ZeroLimit(&'static str),
    /// The kernel or bubblewrap refused a step while the sandbox was being set up.
    #[error("cannot set up the sandbox: {doing}; run the probe again for advice")]
    Setup {
        /// The step that failed.
        doing: String,
        /// The reason.
        source: Option<io::Error>,
    },
    /// The supervisor of the job died. The program was killed with it, and so were its children if a cgroup
    /// or a namespace contains them.
    #[error("the supervisor of the job was killed before it could report; run the job again")]
    Lost,
}

#[cfg(target_os = "linux")]
impl SandboxError {
    pub(crate) fn setup(doing: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::Setup { doing: doing.into(), source: Some(source.into()) }
    }
}
