//! Why a job was not run. Each message says what to do.

use std::{io, path::PathBuf};

/// Why a job was not run. In every case but [`SandboxError::Lost`] the program was not started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The wanted tier does not hold here.
    #[error(
        "refused: no sandbox ({wanted}) on this machine, and the command is not run without one; {reasons}"
    )]
    Unavailable {
        /// What was wanted.
        wanted: String,
        /// Why each tier does not hold, with what to do.
        reasons: String,
    },
    /// The program is nowhere.
    #[error("cannot find the program `{}`; install it, or give its absolute path", .0.display())]
    ProgramNotFound(PathBuf),
    /// The program is where the job cannot see it.
    #[error("the program {} is outside of what the job may read; add its folder to the read-only paths", .0.display())]
    ProgramHidden(PathBuf),
    /// The starting folder is where the job cannot see it.
    #[error("the folder {} is outside of what the job may read; add it to the read-only or writable paths", .0.display())]
    FolderHidden(PathBuf),
    /// A path that is not there or cannot be resolved.
    #[error("cannot give {} to the job; create it or leave it out", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A path that would give the job the machine.
    #[error("refused to give {} to a job: it holds the machine itself; name a folder below it", .0.display())]
    TooWide(PathBuf),
    /// A read-only path inside a writable one, which Landlock cannot express.
    #[error(
        "{} is read-only inside a writable folder, which Landlock cannot keep; install bubblewrap, or make a narrower folder writable",
        .0.display()
    )]
    ReadOnlyInsideWritable(PathBuf),
    /// A path among the sockets that is none.
    #[error("{} is not a Unix socket; start its server first, or leave it out of the sockets", .0.display())]
    NotASocket(PathBuf),
    /// A job with sockets in a tier that cannot tell them apart.
    #[error(
        "refused to give {} to a job: Landlock cannot keep a job to the sockets it is given; install bubblewrap",
        .0.display()
    )]
    SocketsNeedBubblewrap(PathBuf),
    /// A job with sockets and the network of the machine, whose abstract sockets no mount hides.
    #[error(
        "refused to give both the network and {} to a job: it could then connect to every abstract socket of this machine; deny the network, or leave out the sockets",
        .0.display()
    )]
    SocketsWithNetwork(PathBuf),
    /// A word with a NUL byte, or a variable name that cannot be one.
    #[error("{what} holds a NUL byte or is empty; remove it")]
    BadWord {
        /// Which word.
        what: &'static str,
    },
    /// The limits allow nothing.
    #[error("the limit `{0}` is zero; give it a value above zero")]
    ZeroLimit(&'static str),
    /// The kernel or bubblewrap refused while the sandbox was being made.
    #[error("cannot set up the sandbox: {doing}; run the probe again, it says what to do")]
    Setup {
        /// What was being done.
        doing: String,
        /// Why.
        source: Option<io::Error>,
    },
    /// The process that watches over the job died; the program was ended with it, and so were its children where
    /// a group of the kernel or a namespace holds them.
    #[error("the supervisor of the job was killed before it could report; run the job again")]
    Lost,
}

#[cfg(target_os = "linux")]
impl SandboxError {
    pub(crate) fn setup(doing: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::Setup { doing: doing.into(), source: Some(source.into()) }
    }
}
