//! How the server answers a request.

use super::answer_parts::AnswerPart;
use serde_json::{Value, json};
use std::time::Duration;

/// How the server answers a request.
#[derive(Clone, Debug)]
pub enum ModelAnswer {
    /// Status 200 with this body.
    Json(Value),
    /// Any status, headers and body.
    Status(u16, Vec<(String, String)>, String),
    /// Waits before it answers.
    Slow(Duration, Box<ModelAnswer>),
    /// Closes the connection without an answer.
    HangUp,
    /// Announces a body of this length and never completes it.
    Endless(u64),
    /// A model's answer, in the format of the request, streamed if the request asks for it.
    Parts(Vec<AnswerPart>),
    /// An error status, in the error format of the request.
    Fail(u16, String),
    /// Status 200 with these events, valid or not.
    Events(String),
    /// Sends this many bytes of the body of another answer, then fails.
    Breaks(usize, Broken, Box<ModelAnswer>),
}

/// How an answer fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The connection is closed.
    Cut,
    /// Nothing more is sent until the test ends.
    Stall,
}

impl ModelAnswer {
    /// An error with the message where both formats have it.
    pub fn error(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message } });
        Self::Status(status, Vec::new(), body.to_string())
    }

    /// An answer with the text `text` in the chat completions format.
    pub fn chat(text: &str) -> Self {
        Self::Json(json!({
            "model": "fake",
            "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 7, "completion_tokens": 3 },
        }))
    }

    /// An answer with the text `text` in the Anthropic format.
    pub fn message(text: &str) -> Self {
        Self::Json(json!({
            "model": "fake",
            "content": [{ "type": "text", "text": text }],
            "stop_reason": "end_turn",
            "usage": { "input_tokens": 7, "output_tokens": 3 },
        }))
    }

    /// A text.
    pub fn says(text: impl Into<String>) -> Self {
        Self::Parts(vec![AnswerPart::text(text)])
    }

    /// Tool calls.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        Self::Parts(calls.into_iter().map(|(name, arguments)| AnswerPart::call(name, arguments)).collect())
    }

    /// A text, then tool calls.
    pub fn says_and_calls<'a>(
        text: impl Into<String>,
        calls: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Self {
        let calls = calls.into_iter().map(|(name, arguments)| AnswerPart::call(name, arguments));
        Self::Parts(std::iter::once(AnswerPart::text(text)).chain(calls).collect())
    }

    /// Many calls of one tool.
    pub fn flood(name: &str, arguments: &Value, times: usize) -> Self {
        Self::Parts((0..times).map(|_| AnswerPart::call(name, arguments.clone())).collect())
    }

    /// A text, then an overload error, and no more.
    pub fn overloaded_after(text: impl Into<String>) -> Self {
        Self::Parts(vec![AnswerPart::text(text), AnswerPart::Overloaded])
    }

    /// An error with a successful status.
    pub fn error_with_success(message: &str) -> Self {
        Self::Json(json!({ "type": "error", "error": { "type": "api_error", "message": message } }))
    }

    /// This many refusals in a row, such as 429, optionally with a `retry-after` header in seconds.
    pub fn storm(status: u16, times: usize, retry_after: Option<&str>) -> Vec<Self> {
        let header = retry_after.map(|time| ("retry-after".to_owned(), time.to_owned()));
        let body = json!({ "error": { "message": "too many requests" } }).to_string();
        vec![Self::Status(status, header.into_iter().collect(), body); times]
    }

    /// The same answer, with the connection closed after this many bytes of the body.
    #[must_use]
    pub fn cut_after(self, bytes: usize) -> Self {
        Self::Breaks(bytes, Broken::Cut, Box::new(self))
    }

    /// The same answer, with silence after this many bytes of the body.
    #[must_use]
    pub fn stalled_after(self, bytes: usize) -> Self {
        Self::Breaks(bytes, Broken::Stall, Box::new(self))
    }
}
