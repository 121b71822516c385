//! Servers that skills bring: started when first needed, stopped when idle, held in limits.
//!
//! [`declared`] turns a skill's frontmatter into a [`Declaration`]; [`Servers`] holds one connection for each and
//! knows which tool belongs to which. Everything that a server sends is bounded before it is believed:
//! [`limits`] has every figure. What a server does wrong is a [`skillful_format::Diagnostic`]; a skill whose
//! server fails still works, without its tools. [`skills`] reads skills from a server (SEP-2640).
//!
//! Invariants: no variable of our own process reaches a server unless it was declared; no diagnostic, error
//! or result holds the value of a secret; no process outlives its [`Servers`].

mod bounded;
mod connection;
mod declare;
mod error;
mod expand;
mod greeting;
mod held;
mod http;
mod launch;
pub mod limits;
mod lines;
mod listing;
mod name;
mod outcome;
mod process;
mod servers;
pub mod sign_in;
pub mod skills;
mod slot;
mod text;
mod tool;
mod watch;
mod words;

pub use declare::{Declaration, Declared, Endpoint, ServerGrants, Transport, declared, declared_server};
pub use error::{ClientError, StartError};
pub use expand::Mask;
pub use held::Held;
pub use launch::{Command, Launch, LaunchError, Launched, Process, Tail};
pub use outcome::{CallOutcome, LeftOut};
pub use process::PlainProcess;
pub use servers::{Options, ServerState, ServerStatus, Servers};
pub use tool::Tool;
