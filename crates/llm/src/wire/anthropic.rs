//! Anthropic Messages.

mod ask;
mod read;
mod stream;

pub use ask::{Cache, request};
pub use read::reply;
pub(super) use stream::Stream;

use crate::message::{Part, Stop};

/// The value of the version header: the newest version, as the vendor recommends. The test server validates
/// against the types of this version. It does not accept `temperature`.
pub const VERSION: &str = "2026-10-21";

/// Marks reasoning that the server does not disclose. Such a part has no text, and its data is stored in the
/// signature field. Real signatures contain no colon.
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
