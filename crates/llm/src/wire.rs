//! The wire formats, as pure functions between our types and request and response bodies.

pub mod anthropic;
mod common;
mod decode;
pub mod embeddings;
pub mod models;
pub mod openai;
pub mod responses;
mod sse;

#[cfg(feature = "remote")]
pub(crate) use decode::whole;
pub use decode::{ANSWER_LIMIT, Decoder, shown};

use serde_json::Value;

/// Longest part of a server's error message that is repeated, in characters.
const MESSAGE_LIMIT: usize = 400;

/// A body that does not have the expected format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It is not JSON.
    #[error("it is not JSON")]
    Json,
    /// A required field is missing or has another type.
    #[error("`{0}` is missing or has the wrong type")]
    Field(&'static str),
    /// It is neither JSON nor a stream of events; for example an HTML page.
    #[error("it is neither JSON nor a stream of events")]
    Events,
    /// The number of vectors differs from the number of texts, or the vectors have unequal lengths.
    #[error("the server returned {found} vectors for {wanted} texts, or vectors of different lengths")]
    Vectors {
        /// Number of texts sent.
        wanted: usize,
        /// Number of vectors received.
        found: usize,
    },
}

fn parse(body: &[u8]) -> Result<Value, Malformed> {
    serde_json::from_slice(body).map_err(|_| Malformed::Json)
}

/// The message of an error response: the field of either format, or the text itself; on one line, truncated,
/// without control characters.
pub fn error_message(body: &[u8]) -> String {
    let value = parse(body).unwrap_or_default();
    let said = value
        .pointer("/error/message")
        .or_else(|| value.pointer("/response/error/message"))
        .or_else(|| value.get("message"))
        .or_else(|| value.get("error"));
    let text = match said.and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => String::from_utf8_lossy(body).into_owned(),
    };
    let text: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let text: Vec<&str> = text.into_iter().filter(|word| !word.is_empty()).collect();
    let text = text.join(" ");
    match text.char_indices().nth(MESSAGE_LIMIT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None if text.is_empty() => "no message".to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests;
