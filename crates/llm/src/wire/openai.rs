//! `OpenAI` chat completions, as `OpenAI` and the many compatible servers use them.

mod ask;
mod read;
mod stream;

pub use ask::{Limit, request};
pub use read::reply;
pub(super) use stream::Stream;

use crate::message::{Stop, Usage};
use serde_json::Value;

fn stop(word: &str) -> Stop {
    match word {
        "stop" => Stop::End,
        "tool_calls" | "function_call" => Stop::Calls,
        "length" => Stop::Length,
        "content_filter" => Stop::Refusal,
        other => Stop::Other(other.to_owned()),
    }
}

fn usage(value: &Value) -> Usage {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    Usage {
        input: count("/prompt_tokens").unwrap_or(0),
        output: count("/completion_tokens").unwrap_or(0),
        cached: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or(0),
        stored: count("/prompt_tokens_details/cache_write_tokens").unwrap_or(0),
    }
}

/// The text of a message: a string, or a list of text parts, as some servers send.
fn words(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(parts.iter().filter_map(|part| part["text"].as_str()).collect()),
        Value::Null => Some(String::new()),
        _ => None,
    }
}

/// Reasoning of the model, under either of the two names that servers use.
fn thinking(message: &Value) -> Option<&str> {
    message["reasoning_content"].as_str().or_else(|| message["reasoning"].as_str())
}
