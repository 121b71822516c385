//! Starting the process of a server, whatever it is started in.
//!
//! [`Launch`] is what a sandbox implements. It takes a whole command (no variable is inherited) and gives
//! back pipes and a handle that ends everything the command started.

use super::limits::STDERR_BYTES;
use skillful_format::Tree;
use std::{
    collections::{BTreeMap, VecDeque},
    fmt, io,
    os::fd::OwnedFd,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite},
    net::unix::pipe,
    sync::watch,
};

/// The end of stderr is waited for this long, once its process is gone.
const SETTLE: std::time::Duration = std::time::Duration::from_secs(2);

/// Everything about a process that is to be started.
#[derive(Clone, PartialEq, Eq)]
pub struct Command {
    /// The skill that brings it, by its address.
    pub skill: String,
    /// The program: a path, or a name for the search path of `environment`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// All of its variables.
    pub environment: BTreeMap<String, String>,
    /// The folder it starts in: the skill's own.
    pub folder: PathBuf,
    /// The approved files of that folder, when the skill needs an approval.
    pub files: Option<Arc<Tree>>,
}

/// Names only: a value may be a secret, and so may an argument.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("skill", &self.skill)
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .field("environment", &self.environment.keys())
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Why the system would not start a process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// No such program.
    #[error("there is no program `{0}` on the search path")]
    NoProgram(String),
    /// Another refusal of the system.
    #[error("`{program}` could not be started: {why}")]
    System {
        /// The program.
        program: String,
        /// The error of the system.
        why: String,
    },
    /// A sandbox that is required is not to be had, or refused the command.
    #[error("{why}; {help}")]
    Refused {
        /// What is missing.
        why: String,
        /// What to do about it.
        help: String,
    },
}

/// Starts processes. Called inside a `tokio` runtime; returns as soon as the process is there.
pub trait Launch: Send + Sync {
    /// Starts one.
    fn launch(&self, command: &Command) -> Result<Launched, LaunchError>;
}

/// The handle of what was started. Dropping it must end the process and all that it started.
pub trait Process: Send {
    /// How it ended, if the process itself has; others that it started may go on.
    fn exited(&mut self) -> Option<String>;

    /// Ends all of it. Its input is closed already, so a process that takes the hint gets `grace`, then
    /// `grace` again after it was asked to end; then it is killed. Blocks; called on a thread for that.
    fn stop(&mut self, grace: std::time::Duration);
}

/// A process with its pipes.
pub struct Launched {
    /// To the process.
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    /// From the process.
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    /// The end of its standard error.
    pub stderr: Tail,
    /// The handle.
    pub process: Box<dyn Process>,
}

impl Launched {
    /// From the pipes that a process was given.
    pub fn from_pipes(
        stdin: OwnedFd,
        stdout: OwnedFd,
        stderr: OwnedFd,
        process: Box<dyn Process>,
    ) -> io::Result<Self> {
        Ok(Self {
            stdin: Box::new(pipe::Sender::from_owned_fd(stdin)?),
            stdout: Box::new(pipe::Receiver::from_owned_fd(stdout)?),
            stderr: Tail::of(pipe::Receiver::from_owned_fd(stderr)?),
            process,
        })
    }
}

/// The last bytes of a stream that is read to its end and otherwise forgotten.
#[derive(Clone, Default)]
pub struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    ended: Option<watch::Receiver<()>>,
}

impl Tail {
    /// Reads a stream for as long as it lasts.
    pub fn of(mut stream: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let (reading, ended) = watch::channel(());
        let tail = Self { kept: Arc::default(), ended: Some(ended) };
        let into = Self { kept: Arc::clone(&tail.kept), ended: None };
        tokio::spawn(async move {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                into.push(&buffer[..read]);
            }
            drop(reading);
        });
        tail
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let over = kept.len().saturating_sub(STDERR_BYTES);
        kept.drain(..over);
    }

    /// What is kept, as text.
    pub fn text(&self) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(kept.make_contiguous()).into_owned()
    }

    /// Waits a moment for the stream to end: what a process wrote last may still be on its way.
    pub(crate) async fn settle(&self) {
        if let Some(mut ended) = self.ended.clone() {
            let _ = tokio::time::timeout(SETTLE, ended.changed()).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_end_of_stderr_is_kept() {
        let tail = Tail::default();
        tail.push(&vec![b'x'; 3 * STDERR_BYTES]);
        tail.push(b"the end");
        assert_eq!(tail.text().len(), STDERR_BYTES);
        assert!(tail.text().ends_with("xthe end"));
    }

    #[test]
    fn a_command_prints_no_value() {
        let command = Command {
            skill: "s".to_owned(),
            program: "p".to_owned(),
            arguments: vec!["--token=hush".to_owned()],
            environment: BTreeMap::from([("TOKEN".to_owned(), "hush".to_owned())]),
            folder: PathBuf::new(),
            files: None,
        };
        assert!(!format!("{command:?}").contains("hush"));
    }
}
