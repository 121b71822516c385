//! How a server is greeted: what we send about ourselves, in which order, and what its answer means.

use super::{
    declare::Transport,
    error::StartError,
    limits::{MESSAGE_BYTES, SKILL_MESSAGE_BYTES},
    text::quote,
};
use crate::names::SKILLS_EXTENSION;
use rmcp::{
    ClientHandler, RoleClient,
    model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion},
    service::{ClientInitializeError, ClientLifecycleMode, NotificationContext},
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Our side of a connection: it receives changes of tools, and answers no requests of a server.
#[derive(Clone, Default)]
pub(crate) struct Handler {
    pub(crate) changed: Arc<AtomicBool>,
    capabilities: ClientCapabilities,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("skillful", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(self.capabilities.clone(), us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Release);
    }
}

/// What a server is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its tools.
    Tools,
    /// Its skills.
    Skills,
}

impl Purpose {
    pub(crate) fn message_bytes(self) -> usize {
        match self {
            Self::Tools => MESSAGE_BYTES,
            Self::Skills => SKILL_MESSAGE_BYTES,
        }
    }

    pub(crate) fn handler(self) -> Handler {
        let mut handler = Handler::default();
        if self == Self::Skills {
            let extension = (SKILLS_EXTENSION.to_owned(), serde_json::Map::new());
            handler.capabilities.extensions = Some([extension].into());
        }
        handler
    }

    /// How to greet a server; the second is for one that refuses the first.
    pub(crate) fn modes(self, transport: &Transport) -> [ClientLifecycleMode; 2] {
        let modern = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::LATEST] };
        match (self, transport) {
            // The handshake that nearly all servers know goes first: some processes never answer, or die of,
            // a question that they do not know. One that has no handshake any more says so.
            (Self::Tools, Transport::Process(_)) => [ClientLifecycleMode::Initialize, modern],
            // Skills came with the protocol that has none, and over HTTP a question costs little. Some
            // servers answer every question, also those that they do not know.
            _ => [auto(), ClientLifecycleMode::Initialize],
        }
    }
}

fn auto() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

/// A failed handshake.
pub(crate) enum Attempt {
    /// The server refused.
    Refused(StartError),
    /// Anything else.
    Failed(StartError),
}

impl From<StartError> for Attempt {
    fn from(error: StartError) -> Self {
        Self::Failed(error)
    }
}

impl From<Attempt> for StartError {
    fn from(attempt: Attempt) -> Self {
        match attempt {
            Attempt::Refused(error) | Attempt::Failed(error) => error,
        }
    }
}

pub(crate) fn classify(error: &ClientInitializeError, said: String) -> Attempt {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            let why = format!("{} ({})", quote(&error.message), error.code.0);
            Attempt::Refused(StartError::Handshake { why, said })
        }
        ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => {
            let why = "it answers the first question with something else".to_owned();
            Attempt::Refused(StartError::Handshake { why, said })
        }
        ClientInitializeError::NoCompatibleProtocolVersion { .. } => {
            let why = "it knows no version that we do".to_owned();
            Attempt::Refused(StartError::Handshake { why, said })
        }
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled => {
            Attempt::Failed(StartError::Ended { said })
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => classify(fallback, said),
        ClientInitializeError::TransportError { error, .. } => {
            let why = chain(error.error.as_ref());
            Attempt::Failed(StartError::Handshake { why, said })
        }
        other => Attempt::Failed(StartError::Handshake { why: quote(&other.to_string()), said }),
    }
}

/// An error with its causes: "error sending request" alone does not help the user.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    quote(&text)
}
