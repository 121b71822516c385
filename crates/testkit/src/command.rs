//! A command whose output is examined when it ends.

use crate::OutputCheck;
use std::{
    ffi::{OsStr, OsString},
    io,
    ops::{Deref, DerefMut},
    path::Path,
    process::{Command, Output, Stdio},
};

/// The program under test with its arguments. What [`Command`] has beyond these methods is reached by
/// dereferencing; a child that is spawned is not examined.
pub struct TestCommand {
    pub(crate) command: Command,
    pub(crate) check: Option<OutputCheck>,
}

impl TestCommand {
    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(&mut self, arguments: impl IntoIterator<Item = S>) -> &mut Self {
        self.command.args(arguments);
        self
    }

    /// Sets a variable.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.command.env(name, value);
        self
    }

    /// Removes a variable.
    pub fn env_remove(&mut self, name: impl AsRef<OsStr>) -> &mut Self {
        self.command.env_remove(name);
        self
    }

    /// Sets the working folder.
    pub fn current_dir(&mut self, folder: impl AsRef<Path>) -> &mut Self {
        self.command.current_dir(folder);
        self
    }

    /// Sets the standard input.
    pub fn stdin(&mut self, input: impl Into<Stdio>) -> &mut Self {
        self.command.stdin(input);
        self
    }

    /// Runs the program to its end and examines what it printed.
    pub fn output(&mut self) -> io::Result<Output> {
        let output = self.command.output()?;
        if let Some(check) = self.check {
            let arguments: Vec<OsString> = self.command.get_args().map(OsStr::to_owned).collect();
            check(&arguments, &output);
        }
        Ok(output)
    }
}

impl Deref for TestCommand {
    type Target = Command;

    fn deref(&self) -> &Command {
        &self.command
    }
}

impl DerefMut for TestCommand {
    fn deref_mut(&mut self) -> &mut Command {
        &mut self.command
    }
}

impl From<TestCommand> for Command {
    fn from(command: TestCommand) -> Self {
        command.command
    }
}
