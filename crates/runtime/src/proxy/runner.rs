//! What runs a program, and what it is told. The proxy does not care how it is confined.

use crate::exec::Program;
use secrecy::SecretString;
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A program to run.
#[derive(Clone, Debug)]
pub struct Call {
    /// The address of its skill.
    pub skill: String,
    /// The program.
    pub program: Program,
    /// Its arguments.
    pub args: Vec<String>,
    /// What it reads.
    pub stdin: Vec<u8>,
    /// How long it may take.
    pub timeout: Duration,
    /// Bytes to keep of each output.
    pub output: usize,
    /// Set when nobody waits for it any more.
    pub stop: Stop,
}

/// Tells running programs that they are no longer wanted.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Says so.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody did.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The beginning of an output, as it was written.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// At most [`Call::output`] bytes.
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

impl std::fmt::Debug for Captured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Not redacted yet.
        f.debug_struct("Captured").field("cut", &self.cut).finish_non_exhaustive()
    }
}

/// What a program did. The proxy redacts it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Its exit code; 128 and the signal when one ended it.
    pub code: i32,
}

/// Why there is nothing to show.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// It took longer than [`Call::timeout`], and was ended with all it started.
    #[error("it took too long")]
    TimedOut,
    /// It was not started, or not to its end.
    #[error("{0}")]
    Failed(String),
}

/// Runs programs.
pub trait Runner: Send + Sync {
    /// Runs a program with exactly this environment, and returns when it and all it started are gone.
    fn run(&self, call: &Call, environment: &BTreeMap<String, SecretString>) -> Result<Ran, RunError>;
}
