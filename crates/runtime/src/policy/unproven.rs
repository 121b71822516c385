//! Why a call cannot be shown to be within a grant.

use serde::{Deserialize, Serialize};
use skillful_shell::Unreadable;
use thiserror::Error;

/// Why a call cannot be proven to be allowed. The user reads it; a model may act on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "what")]
pub enum Unproven {
    /// The command has more than one meaning, or none.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// A loop, a subshell, a function, `[[ … ]]`.
    #[error("{0} is not judged; run the commands one by one")]
    Compound(String),
    /// A quote, an escape or a glob where the name of the program stands.
    #[error("the program `{0}` must be written plainly, without quotes, escapes or globs")]
    Program(String),
    /// An assignment that can change what the program does.
    #[error("the assignment of `{0}` can change what a command does; leave it out")]
    Environment(String),
    /// A redirection that cannot be judged.
    #[error("the redirection `{0}` is not judged")]
    Redirection(String),
    /// A program that runs the commands in its arguments.
    #[error(
        "`{0}` runs other programs; a grant must spell out the whole command, or run that program directly"
    )]
    Launcher(String),
    /// A program whose options are not known, so that some of them could run other programs.
    #[error("the options of `{0}` are not known; a grant must spell out the whole command")]
    NoTable(String),
    /// An argument with which a program runs others or leaves its place.
    #[error(
        "`{argument}` is not among the arguments of `{program}` that an open-ended grant lets through; leave it out, or let the grant spell out the whole command"
    )]
    Escape {
        /// The program.
        program: String,
        /// The argument.
        argument: String,
    },
    /// A path that cannot be compared with a pattern.
    #[error("the path `{0}` cannot be compared; give it without `..`, `~` and escapes")]
    Path(String),
    /// A URL whose host is not certain.
    #[error("the host of `{0}` is not certain; give a plain http or https address")]
    Address(String),
}
