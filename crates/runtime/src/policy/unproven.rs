//! Why a call cannot be shown to be within a grant.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What stands between a call and its proof. A person reads it; a model may act on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "what")]
pub enum Unproven {
    /// Larger than anything we read.
    #[error("it is longer than {0} bytes; split it")]
    TooLong(usize),
    /// More nesting than anything we read.
    #[error("it nests too deeply; split it")]
    TooNested,
    /// Not text.
    #[error("it is not valid UTF-8")]
    NotText,
    /// A character that cannot be seen, or is not what it seems.
    #[error("it holds the character U+{0:04X}, which cannot be seen or is not what it seems")]
    Character(u32),
    /// Nothing to judge.
    #[error("there is nothing to judge")]
    Empty,
    /// The grammar of the shell does not take it.
    #[error("it cannot be parsed as a shell command: {0}")]
    Syntax(String),
    /// Some text of the command is in no word and no operator.
    #[error("a comment or a continued line hides `{0}`; write the command on one line without it")]
    Hidden(String),
    /// A line break that ends a command.
    #[error("it has more than one line; join commands with `&&`")]
    Lines,
    /// `&`, `|&`, `<<` and their kind.
    #[error("`{0}` is not judged; only `&&`, `||`, `;`, `|` and plain redirections are")]
    Operator(String),
    /// A loop, a subshell, a function, `[[ … ]]`.
    #[error("{0} is not judged; run the commands one by one")]
    Compound(String),
    /// `$x`, `$(…)`, backquotes, `$'…'`.
    #[error("`{0}` is expanded by the shell; write the value itself")]
    Expansion(String),
    /// `{a,b}`.
    #[error("`{0}` is a brace expansion; write each word")]
    Braces(String),
    /// A quote, an escape or a glob where the name of the program stands.
    #[error("the program `{0}` must be written plainly, without quotes, escapes or globs")]
    Program(String),
    /// An assignment that can change what the program does.
    #[error("the assignment of `{0}` can change what a command does; leave it out")]
    Environment(String),
    /// A redirection that cannot be judged.
    #[error("the redirection `{0}` is not judged")]
    Redirection(String),
    /// A program that runs what its arguments say.
    #[error(
        "`{0}` runs other programs; a grant must spell out the whole command, or run that program directly"
    )]
    Launcher(String),
    /// An argument with which a program runs others or leaves its place.
    #[error("`{argument}` lets `{program}` run other programs or reach other files; leave it out")]
    Escape {
        /// The program.
        program: String,
        /// The argument.
        argument: String,
    },
    /// A path that cannot be compared with a pattern.
    #[error("the path `{0}` cannot be compared; give it without `..`, `~` and escapes")]
    Path(String),
    /// A URL whose host cannot be told beyond doubt.
    #[error("the host of `{0}` cannot be told; give a plain http or https address")]
    Address(String),
}
