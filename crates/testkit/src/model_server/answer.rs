//! What the server does with a request.

use super::say::Say;
use serde_json::{Value, json};
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// 200 with this body.
    Json(Value),
    /// Any status, headers and body.
    Status(u16, Vec<(String, String)>, String),
    /// Waits before it answers.
    Slow(Duration, Box<Answer>),
    /// Closes the connection without a word.
    HangUp,
    /// Says that the body is this long, and never ends it.
    Endless(u64),
    /// Speaks as a model does, in the format and the way that it was asked in.
    Say(Vec<Say>),
    /// Fails with a status, in the error shape of the format that it was asked in.
    Fail(u16, String),
    /// 200 with these events, right or wrong.
    Events(String),
    /// Sends so many bytes of the body of another answer, then breaks down.
    Breaks(usize, Broken, Box<Answer>),
}

/// How an answer ends too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The connection is dropped.
    Cut,
    /// Nothing comes any more, until the test is over.
    Stall,
}

impl Answer {
    /// An error with the message where both formats have it.
    pub fn error(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message } });
        Self::Status(status, Vec::new(), body.to_string())
    }

    /// An answer that says `text` in the format of chat completions.
    pub fn chat(text: &str) -> Self {
        Self::Json(json!({
            "model": "fake",
            "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 7, "completion_tokens": 3 },
        }))
    }

    /// An answer that says `text` in the format of Anthropic.
    pub fn message(text: &str) -> Self {
        Self::Json(json!({
            "model": "fake",
            "content": [{ "type": "text", "text": text }],
            "stop_reason": "end_turn",
            "usage": { "input_tokens": 7, "output_tokens": 3 },
        }))
    }

    /// Says `text`.
    pub fn says(text: impl Into<String>) -> Self {
        Self::Say(vec![Say::text(text)])
    }

    /// Calls tools.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::Say(calls.into_iter().map(|(name, arguments)| Say::call(name, arguments)).collect())
    }

    /// Says `text`, then calls tools.
    pub fn says_and_calls<'a>(
        text: impl Into<String>,
        calls: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Self {
        let calls = calls.into_iter().map(|(name, arguments)| Say::call(name, arguments));
        Self::Say(std::iter::once(Say::text(text)).chain(calls).collect())
    }

    /// Calls one tool very often.
    pub fn flood(name: &str, arguments: &Value, times: usize) -> Self {
        Self::Say((0..times).map(|_| Say::call(name, arguments.clone())).collect())
    }

    /// Says `text`, then that it is overloaded, and ends.
    pub fn overloaded_after(text: impl Into<String>) -> Self {
        Self::Say(vec![Say::text(text), Say::Overloaded])
    }

    /// An error that comes with a status of success.
    pub fn error_with_success(message: &str) -> Self {
        Self::Json(json!({ "type": "error", "error": { "type": "api_error", "message": message } }))
    }

    /// So many refusals in a row, such as 429, with or without the wish to be asked later (in seconds).
    pub fn storm(status: u16, times: usize, retry_after: Option<&str>) -> Vec<Self> {
        let header = retry_after.map(|time| ("retry-after".to_owned(), time.to_owned()));
        let body = json!({ "error": { "message": "too many requests" } }).to_string();
        vec![Self::Status(status, header.into_iter().collect(), body); times]
    }

    /// The same, with the connection dropped after so many bytes of the body.
    #[must_use]
    pub fn cut_after(self, bytes: usize) -> Self {
        Self::Breaks(bytes, Broken::Cut, Box::new(self))
    }

    /// The same, with silence after so many bytes of the body.
    #[must_use]
    pub fn stalled_after(self, bytes: usize) -> Self {
        Self::Breaks(bytes, Broken::Stall, Box::new(self))
    }
}
