//! What can go wrong on the way to a model.

use crate::{base_url::BadUrl, wire::Malformed};
use std::time::Duration;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing came in time.
    #[error("the model did not answer within {}", seconds(*.0))]
    Timeout(Duration),
    /// Nobody listens there, or the connection broke.
    #[error("the model cannot be reached: {0}")]
    Unreachable(String),
    /// The server answered with an error.
    #[error("the model's server answered {status}: {message}")]
    Status {
        /// HTTP status.
        status: u16,
        /// What it says, cut and cleaned.
        message: String,
        /// How long it asks us to wait.
        retry_after: Option<Duration>,
    },
    /// The answer is not what the format says.
    #[error("the model's server answered something else than was asked: {0}")]
    Malformed(#[from] Malformed),
    /// The answer is larger than we read.
    #[error("the answer is larger than {0} bytes and was not read")]
    TooLarge(u64),
    /// Nobody wants the answer any more.
    #[error("cancelled")]
    Cancelled,
    /// The server went silent in the middle.
    #[error("the model's server sent nothing for {}", seconds(*.0))]
    Stalled(Duration),
    /// The connection ended before the answer did.
    #[error("the answer was cut off before its end")]
    Cut,
    /// The address cannot be used.
    #[error(transparent)]
    BadUrl(#[from] BadUrl),
    /// The proxy's address cannot be read. It is not repeated, because it may hold a password.
    #[error("the proxy's address cannot be read; it should look like `http://host:port`")]
    BadProxy,
    /// The key holds characters that no header can carry.
    #[error("the key holds characters that cannot be sent; copy it again")]
    BadKey,
    /// The key would travel in the clear.
    #[error(
        "the key would be sent without encryption; use an `https://` address or allow it in the settings"
    )]
    PlainKey,
    /// This format has no such call.
    #[error("this provider has no embeddings; use one that speaks the `openai` format")]
    NoEmbeddings,
}

impl Error {
    /// Whether asking again may help.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Status { status: 408 | 429 | 500..=599, .. } | Self::Cut | Self::Stalled(_))
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}
