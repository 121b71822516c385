//! What runs a program, and what it gets. The runner confines the program.

use secrecy::SecretString;
use skillful_format::Digest;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A program to run.
#[derive(Clone, Debug)]
pub struct ProgramCall {
    /// The address of its skill.
    pub skill: String,
    /// The files that its secrets are bound to.
    pub bound: Option<Digest>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// Its standard input.
    pub stdin: Vec<u8>,
    /// The time it may take.
    pub timeout: Duration,
    /// Bytes to keep of each output.
    pub output: usize,
    /// Set when the proxy ends, so that the program should too.
    pub stop: StopFlag,
}

/// Asks running programs to end.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Sets the flag.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the flag is set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The beginning of an output, as the program wrote it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    /// At most [`ProgramCall::output`] bytes.
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

impl std::fmt::Debug for CapturedOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not redacted yet.
        f.debug_struct("CapturedOutput").field("cut", &self.cut).finish_non_exhaustive()
    }
}

/// What a program wrote and its exit code. The proxy redacts it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOutput {
    /// Its standard output.
    pub stdout: CapturedOutput,
    /// Its standard error.
    pub stderr: CapturedOutput,
    /// Its exit code; 128 and the signal when one ended it.
    pub code: i32,
}

/// Why there is no output.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// It took longer than [`ProgramCall::timeout`], and was ended with all it started.
    #[error("it took too long")]
    TimedOut,
    /// It was not started, or not to its end.
    #[error("{0}")]
    Failed(String),
}

/// Runs programs.
pub trait Runner: Send + Sync {
    /// Runs a program with exactly this environment, and returns when it and all it started are gone.
    fn run(
        &self,
        call: &ProgramCall,
        environment: &BTreeMap<String, SecretString>,
    ) -> Result<ProgramOutput, RunError>;
}
