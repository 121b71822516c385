//! Failures of commands: a kind that decides the exit code, one sentence, and what to do.

use std::{fmt, process::ExitCode};

/// What a command ends with. Documented in `--help`; tests and scripts rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, nothing found.
    Clean,
    /// Done, and there are findings, or the thing asked for is not there.
    Findings,
    /// The command line, or a file it names, is not usable.
    Usage,
    /// Done, and something could not be looked at.
    Incomplete,
    /// Nothing was run, since no sandbox holds here.
    Unsandboxed,
    /// A program of a skill ran and ended with this code.
    Program(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Incomplete => 3,
            Exit::Unsandboxed => 4,
            Exit::Program(code) => code,
        })
    }
}

/// A command that could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Decides the exit code.
    pub exit: Exit,
    /// What failed, in lower case, naming the thing.
    pub message: String,
    /// What failed one by one: a name and what is wrong with it.
    pub items: Vec<(String, String)>,
    /// Why.
    pub cause: Option<String>,
    /// What to do about it: commands or settings.
    pub hints: Vec<String>,
}

impl Failure {
    /// The thing asked for failed or is not there.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Findings,
            message: message.into(),
            items: Vec::new(),
            cause: None,
            hints: Vec::new(),
        }
    }

    /// The request itself makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// A command is not run, since nothing would hold it.
    pub(crate) fn unsandboxed(message: impl Into<String>) -> Self {
        Self { exit: Exit::Unsandboxed, ..Self::new(message) }
    }

    /// Adds one of several things that failed, and why.
    #[must_use]
    pub(crate) fn item(mut self, name: impl Into<String>, why: impl Into<String>) -> Self {
        self.items.push((name.into(), why.into()));
        self
    }

    /// Adds the cause.
    #[must_use]
    pub(crate) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The same failure with every text changed.
    #[must_use]
    pub(crate) fn map(self, change: impl Fn(&str) -> String) -> Self {
        Self {
            exit: self.exit,
            message: change(&self.message),
            items: self.items.iter().map(|(name, why)| (change(name), change(why))).collect(),
            cause: self.cause.as_deref().map(&change),
            hints: self.hints.iter().map(|hint| change(hint)).collect(),
        }
    }

    /// Adds a hint.
    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Names what was being done when the system said no.
pub(crate) fn failed(what: impl fmt::Display) -> impl FnOnce(std::io::Error) -> Failure {
    move |error| Failure::new(format!("failed to {what}: {error}"))
}

/// The result of a command.
pub(crate) type Outcome = Result<Exit, Failure>;

impl From<skillful_assistant::models::ModelError> for Failure {
    fn from(error: skillful_assistant::models::ModelError) -> Self {
        let failure = if error.is_usage { Self::usage(error.message) } else { Self::new(error.message) };
        error.hint.into_iter().fold(failure, Self::hint)
    }
}

impl From<skillful::refusal::Unusable> for Failure {
    fn from(unusable: skillful::refusal::Unusable) -> Self {
        let failure = Self::new(unusable.to_string()).cause(unusable.reasons.join("; "));
        let once = unusable.option_for_one_call().map(|option| format!("for one call: {option}"));
        unusable.fix.into_iter().chain(once).fold(failure, Self::hint)
    }
}
