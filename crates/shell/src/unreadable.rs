//! Why a command cannot be read with one meaning only.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What stands between a command and its one meaning. A user reads it; a model may act on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "what")]
pub enum Unreadable {
    /// Larger than anything that is read.
    #[error("it is longer than {0} bytes; split it")]
    TooLong(usize),
    /// More nesting than anything that is read.
    #[error("it nests too deeply; split it")]
    TooNested,
    /// Not text.
    #[error("it is not valid UTF-8")]
    NotText,
    /// A character that cannot be seen, or is not what it seems.
    #[error("it holds the character U+{0:04X}, which cannot be seen or is not what it seems")]
    Character(u32),
    /// No command at all.
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
    /// `$x`, `$(…)`, backquotes, `$'…'`.
    #[error("`{0}` is expanded by the shell; write the value itself")]
    Expansion(String),
    /// `{a,b}`.
    #[error("`{0}` is a brace expansion; write each word")]
    Braces(String),
}
