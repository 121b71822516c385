//! The credential proxy: it runs programs of skills with their secrets for a model that holds none.
//!
//! ```text
//! model ── one line of JSON ──▶ socket ──▶ handler ── gate, policy, blocked names ──▶ runner
//!       ◀── one line of JSON ── redactor ◀── output ────────────────────────────────────┘
//! ```
//!
//! The socket lies in a folder that only its owner can enter, and serves only processes of its owner.
//! Every request asks the [`Gate`]. A program gets the variables of its own skill and no other. Its output
//! goes through the [redactor](crate::redaction) before it leaves. A secret itself is returned only when
//! the user granted that this skill may read it: a model can repeat whatever it can ask for.
//!
//! The proxy is not a sandbox. An unconfined process of the same user can read the files and the memory of
//! any other process of that user.

use std::time::Duration;

pub mod client;
mod gate;
mod handler;
mod model_environment;
mod policy;
mod program_variables;
mod protocol;
mod refusal_log;
mod runner;
mod server;
mod socket;

pub use gate::{Gate, ReachedSkill, Unreachable};
pub use handler::RequestHandler;
pub use model_environment::{ModelEnvironment, model_environment};
pub use policy::ProxyPolicy;
pub use program_variables::{OwnVariable, ProgramVariables};
pub use protocol::{Output, Reason, Refusal, Reply, Request};
pub use refusal_log::{RefusalLog, RefusalRecord, RequestKind};
pub use runner::{CapturedOutput, ProgramCall, ProgramOutput, RunError, Runner, StopFlag};
pub use server::{Proxy, SocketOptions};
pub use socket::SocketError;

/// The variable that holds the path of the socket, for clients.
pub const SOCKET_VARIABLE: &str = "SKILLFUL_PROXY_SOCKET";
/// The variable that marks a sandbox, where a client must not run a program itself.
pub const SANDBOX_VARIABLE: &str = "SKILLFUL_SANDBOX";
/// The variable that names the file of the vault's key.
pub const KEY_VARIABLE: &str = "SKILLFUL_SECRETS_KEY_FILE";
/// Names that no program, model or lookup ever gets, whichever skill declares them.
pub const BLOCKED: [&str; 2] = [KEY_VARIABLE, SOCKET_VARIABLE];

/// Largest request, with its input.
pub const REQUEST_LIMIT: usize = 1 << 20;
/// Largest output of each kind; the rest is dropped, and the reply reports it.
pub const OUTPUT_LIMIT: usize = 4 << 20;
/// Largest reply that a client reads: both outputs with every byte escaped.
pub const REPLY_LIMIT: usize = 2 * OUTPUT_LIMIT * 6 + (64 << 10);
/// Time for a request to arrive, and for a reply to be taken.
pub const TALK_TIME: Duration = Duration::from_secs(10);
/// Time that a client waits for a reply.
pub const WAIT_TIME: Duration = Duration::from_mins(10);
/// Time that a program may take unless the caller sets another limit.
pub const PROGRAM_TIME: Duration = Duration::from_mins(5);
/// The exit code of a program that was ended for taking too long.
pub const TIMED_OUT: i32 = 124;
/// Requests that are served at once; more wait.
pub const CONNECTIONS: usize = 16;
