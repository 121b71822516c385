//! Anthropic Messages.

mod ask;
mod read;
mod stream;

pub use ask::{Cache, request};
pub use read::reply;
pub(super) use stream::Stream;

use crate::message::{Part, Stop};

/// The version header that the format asks for: the newest, as its inventor recommends, and the one whose
/// types our test server judges by. It knows no `temperature` any more and refuses it.
pub const VERSION: &str = "2026-10-21";

/// Marks thinking that the server keeps to itself. It has no text, and its data goes where the signature
/// does; no signature holds a colon.
const REDACTED: &str = "redacted:";

fn redacted(data: &str) -> Part {
    Part::Thinking { text: String::new(), signature: Some(format!("{REDACTED}{data}")) }
}

fn stop(word: &str) -> Stop {
    match word {
        "end_turn" | "stop_sequence" => Stop::End,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refusal,
        other => Stop::Other(other.to_owned()),
    }
}
