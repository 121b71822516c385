//! The credential proxy: programs of skills run with their secrets, and the model that asked for it
//! never holds one.
//!
//! ```text
//! model ── one line of JSON ──▶ socket ──▶ desk ── gate, allow-sets, block list ──▶ runner
//!       ◀── one line of JSON ── redactor ◀── output ──────────────────────────────────┘
//! ```
//!
//! The socket lies in a folder of one run that only its owner can enter, and serves only its owner's
//! processes. Every request asks the gate. A program gets the variables of its own skill and no
//! other. What it writes goes through the [redactor](crate::redact) before anybody reads it. A secret
//! itself is given out only when a person said that this skill may read it: whatever a model can ask
//! for, a model can repeat.
//!
//! What it is not: a sandbox. A process of the same person that is not confined can read the files
//! and the memory of any other.

use std::time::Duration;

pub mod client;
mod desk;
mod gate;
mod holdings;
mod model;
mod protocol;
mod refused;
mod rooms;
mod runner;
mod server;
mod socket;

pub use desk::Desk;
pub use gate::{CatalogGate, Gate, Open, Shut};
pub use holdings::{Holdings, Plan};
pub use model::{ModelEnvironment, model_environment};
pub use protocol::{Output, Reason, Refusal, Reply, Request};
pub use refused::{Kind, Refused, Sink};
pub use rooms::Rooms;
pub use runner::{Call, Captured, Ran, RunError, Runner, Stop};
pub use server::{Options, Proxy};
pub use socket::SocketError;

/// The variable that tells a client where the socket is.
pub const SOCKET_VARIABLE: &str = "SKILLFUL_PROXY_SOCKET";
/// The variable that tells a client that it is in a sandbox, where it must not run anything itself.
pub const SANDBOX_VARIABLE: &str = "SKILLFUL_SANDBOX";
/// The variable that names the file of the key to all secrets.
pub const KEY_VARIABLE: &str = "SKILLFUL_SECRETS_KEY_FILE";
/// Names that no program, model or lookup ever gets, whoever declares them.
pub const BLOCKED: [&str; 2] = [KEY_VARIABLE, SOCKET_VARIABLE];

/// Largest request, with its input.
pub const REQUEST_LIMIT: usize = 1 << 20;
/// Largest output of each kind; the rest is dropped, and the reply says so.
pub const OUTPUT_LIMIT: usize = 4 << 20;
/// Largest reply that a client reads: both outputs with every byte escaped.
pub const REPLY_LIMIT: usize = 2 * OUTPUT_LIMIT * 6 + (64 << 10);
/// Time for a request to arrive, and for a reply to be taken.
pub const TALK_TIME: Duration = Duration::from_secs(10);
/// How long a client waits for a reply.
pub const WAIT_TIME: Duration = Duration::from_mins(10);
/// Requests that are served at once; more wait.
pub const CONNECTIONS: usize = 16;
