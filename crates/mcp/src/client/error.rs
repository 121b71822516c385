//! Why a call did not come to a result, and why a server did not come to life.

use super::{launch::LaunchError, sign_in::Challenge};
use std::time::Duration;

/// Why a server is not there. The words of the server in it are quoted, cut and without secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The system would not start it.
    #[error("{0}")]
    Launch(#[from] LaunchError),
    /// The address or a header of an HTTP server cannot be used.
    #[error("{0}")]
    Address(String),
    /// It did not answer in time.
    #[error("it was not ready within {} s{said}", .within.as_secs_f32())]
    Timeout {
        /// The time it had.
        within: Duration,
        /// What it wrote meanwhile.
        said: String,
    },
    /// It ended, or closed the connection, before it was ready.
    #[error("it ended before it was ready{said}")]
    Ended {
        /// How, and what it wrote last.
        said: String,
    },
    /// It answered with a refusal or with something else than was asked for.
    #[error("it does not speak the protocol as expected: {why}{said}")]
    Handshake {
        /// What was wrong.
        why: String,
        /// What it wrote meanwhile.
        said: String,
    },
    /// It wants its user to sign in.
    #[error("it asks its user to sign in")]
    SignIn(Challenge),
    /// The last start failed a moment ago.
    #[error("{before} (tried a moment ago; next attempt in {} s)", .next.as_secs().max(1))]
    Again {
        /// Why that start failed.
        before: Box<Self>,
        /// When it will be tried again.
        next: Duration,
    },
}

/// Why a call of a tool has no result. What the tool itself reports is a result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// No declared server has a tool of that name.
    #[error("there is no tool `{0}`; ask for the tools of its skill first")]
    UnknownTool(String),
    /// Several servers have a tool of that name.
    #[error("`{name}` is a tool of several skills; write one of: {}", .of.join(", "))]
    Ambiguous {
        /// The name as given.
        name: String,
        /// The full names.
        of: Vec<String>,
    },
    /// The server had been stopped or had died, and does not start any more.
    #[error("the MCP server of `{skill}` is not running: {why}")]
    NotRunning {
        /// The skill that brings it.
        skill: String,
        /// Why it does not run.
        why: String,
    },
    /// The server was started anew and has no such tool any more.
    #[error("the MCP server of `{skill}` no longer has the tool `{tool}`; ask for its tools again")]
    ToolGone {
        /// The skill that brings it.
        skill: String,
        /// The tool, as the server called it.
        tool: String,
    },
    /// No answer in time.
    #[error("`{tool}` did not answer within {} s; the call was cancelled", .within.as_secs_f32())]
    Timeout {
        /// The tool.
        tool: String,
        /// The time it had.
        within: Duration,
    },
    /// The server refused the call.
    #[error("the MCP server of `{skill}` refused the call ({code}): {message}")]
    Refused {
        /// The skill that brings it.
        skill: String,
        /// Code of the protocol.
        code: i32,
        /// The message of the server.
        message: String,
    },
    /// The server answered with something that is not the result of a call.
    #[error("the MCP server of `{skill}` answered with something that is not the result of a tool: {why}")]
    Nonsense {
        /// The skill that brings it.
        skill: String,
        /// What was wrong.
        why: String,
    },
}
