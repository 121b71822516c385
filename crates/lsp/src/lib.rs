//! A language server for agent skills over standard input and output: diagnostics, fixes, completion, hover, formatting,
//! links, and what each agent sees.
//!
//! Invariants: rules about skills come from the engine. The server never writes a file. Only the newest version of a text
//! is checked; what concerns the whole workspace is read on a thread of its own. Every byte of a client is bounded.

mod actions;
mod background;
mod check;
mod completion;
mod edits;
mod formatting;
mod framing;
mod hover;
mod lens;
mod message;
mod navigation;
mod open_file;
mod server;
mod session;
mod skill_files;
mod text;
mod uri;

use skillful::Workspace;
use skillful_format::Profile;
use std::io::{Read, Write};

pub use framing::MESSAGE_LIMIT;
pub use text::{Encoding, TEXT_LIMIT, Text};

/// What a user decides about the server.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The profile to check against.
    pub profile: &'static Profile,
    /// The agent whose refusals are reported, too.
    pub agent: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { profile: &skillful_format::LENIENT, agent: None }
    }
}

/// How a client left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It asked for the shutdown first, as the protocol requires.
    Properly,
    /// It left without asking for the shutdown, or its process is gone.
    Abruptly,
    /// It sent bytes that have no frame, so that no further message can be found.
    Unframed,
}

/// Serves one client until it leaves.
pub fn serve(
    workspace: Workspace,
    settings: Settings,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Ended {
    server::Server::new(workspace, settings, input, output).run()
}
