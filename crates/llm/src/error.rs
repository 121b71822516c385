//! Errors of a call to a model.

use crate::{base_url::BadUrl, wire::Malformed};
use std::time::Duration;

/// Why a call returned no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The time limit was reached.
    #[error("the model did not answer within {}", seconds(*.0))]
    Timeout(Duration),
    /// The server is not running or unreachable, or the connection broke.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// The server answered with an error.
    #[error("the model's server answered {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// The server's message, truncated and without control characters.
        message: String,
        /// How long the server asks us to wait before a retry.
        retry_after: Option<Duration>,
    },
    /// The answer does not have the expected format.
    #[error("the model's server sent an unexpected answer: {0}")]
    Malformed(#[from] Malformed),
    /// The answer exceeds the size limit.
    #[error("the answer is larger than the limit of {0} bytes")]
    TooLarge(u64),
    /// The caller cancelled the call.
    #[error("cancelled")]
    Cancelled,
    /// The server stopped sending in the middle of an answer.
    #[error("the model's server sent nothing for {}", seconds(*.0))]
    Stalled(Duration),
    /// The connection ended before the answer did.
    #[error("the connection ended before the answer was complete")]
    Cut,
    /// The base URL cannot be used.
    #[error(transparent)]
    BadUrl(#[from] BadUrl),
    /// The proxy's address cannot be parsed. The message does not repeat it, because it may contain a
    /// password.
    #[error("the proxy's address cannot be parsed; write it as `http://host:port`")]
    BadProxy,
    /// The key contains characters that an HTTP header cannot carry.
    #[error("the key contains characters that cannot be sent; copy it again")]
    BadKey,
    /// The key would be sent unencrypted.
    #[error(
        "the key would be sent without encryption; use an `https://` address or allow it in the settings"
    )]
    PlainKey,
    /// The wire format has no embeddings.
    #[error("this provider has no embeddings; use one that speaks the `openai` format")]
    NoEmbeddings,
}

impl Error {
    /// Whether a retry may help.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Status { status: 408 | 429 | 500..=599, .. } | Self::Cut | Self::Stalled(_))
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}
