//! The two formats, as pure functions between our types and bodies.

pub mod anthropic;
mod common;
mod decode;
pub mod embeddings;
pub mod models;
pub mod openai;
mod sse;

#[cfg(feature = "remote")]
pub(crate) use decode::whole;
pub use decode::{ANSWER_LIMIT, Decoder, shown};

use serde_json::Value;

/// Characters of a server's error message that are repeated.
const MESSAGE_LIMIT: usize = 400;

/// A body that is not what its format says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Not JSON.
    #[error("it is not JSON")]
    Json,
    /// JSON without what is needed.
    #[error("`{0}` is missing or has another type")]
    Field(&'static str),
    /// Neither JSON nor events, such as a page for people.
    #[error("it is neither JSON nor a stream of events")]
    Events,
    /// Another number of vectors than of texts, or of unequal lengths.
    #[error("there are {found} vectors for {wanted} texts, or they differ in length")]
    Vectors {
        /// Texts sent.
        wanted: usize,
        /// Vectors that came back.
        found: usize,
    },
}

fn parse(body: &[u8]) -> Result<Value, Malformed> {
    serde_json::from_slice(body).map_err(|_| Malformed::Json)
}

/// What a server says about its error: the message of either format, else the text itself, on one line, cut,
/// without control characters.
pub fn error_message(body: &[u8]) -> String {
    let value = parse(body).unwrap_or_default();
    let said =
        value.pointer("/error/message").or_else(|| value.get("message")).or_else(|| value.get("error"));
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
