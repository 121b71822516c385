//! A script independent of the wire format, and its rendering in both formats.

mod anthropic;
mod openai;
mod responses;

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Characters of one piece of a text.
const PIECE: usize = 5;

/// One step of a model's answer.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerPart {
    /// Text.
    Text(String),
    /// Reasoning, signed where the format signs it.
    Thinking(String),
    /// A tool call.
    Call {
        /// Name of the tool.
        name: String,
        /// Arguments.
        arguments: Value,
    },
    /// A tool call with arguments that may be invalid JSON.
    RawCall {
        /// Name of the tool.
        name: String,
        /// Arguments as written.
        arguments: String,
    },
    /// The stop reason: `end`, `calls`, `length`, `refusal`, or a term of the format. By default `calls` or
    /// `end`, depending on whether there are calls.
    Stop(String),
    /// Token counts.
    Usage {
        /// All tokens read.
        input: u64,
        /// Tokens written.
        output: u64,
        /// Tokens read that came from a cache.
        #[serde(default)]
        cached: u64,
    },
    /// An error in the middle; nothing follows.
    Overloaded,
}

impl AnswerPart {
    /// Makes a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Makes a reasoning step.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::Thinking(text.into())
    }

    /// Makes a tool call.
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::Call { name: name.to_owned(), arguments }
    }

    /// Makes a tool call with arguments as written.
    pub fn raw_call(name: &str, arguments: &str) -> Self {
        Self::RawCall { name: name.to_owned(), arguments: arguments.to_owned() }
    }
}

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFormat {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions.
    OpenAi,
    /// The Responses API.
    Responses,
}

impl WireFormat {
    /// The format of a path, if it is that of a chat call.
    pub fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        match path.rsplit('/').next() {
            Some("messages") => Some(Self::Anthropic),
            Some("completions") if path.ends_with("/chat/completions") => Some(Self::OpenAi),
            Some("responses") => Some(Self::Responses),
            _ => None,
        }
    }

    /// An error in the shape of the format.
    pub(super) fn error(self, status: u16, message: &str) -> Value {
        let kind = match status {
            400 | 422 => "invalid_request_error",
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            529 => "overloaded_error",
            _ => "api_error",
        };
        match self {
            Self::Anthropic => json!({ "type": "error", "error": { "type": kind, "message": message } }),
            Self::OpenAi | Self::Responses => {
                json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
            }
        }
    }

    /// The script as one body; `None` when it ends in an error.
    pub(super) fn whole(self, script: &ScriptedAnswer<'_>) -> Option<Value> {
        if script.is_overloaded() {
            return None;
        }
        Some(match self {
            Self::Anthropic => anthropic::whole(script),
            Self::OpenAi => openai::whole(script),
            Self::Responses => responses::whole(script),
        })
    }

    /// The script as events.
    pub(super) fn events(self, script: &ScriptedAnswer<'_>, asked: &Value) -> String {
        match self {
            Self::Anthropic => anthropic::events(script),
            Self::Responses => responses::events(script),
            Self::OpenAi => {
                let counts = asked["stream_options"]["include_usage"] == true;
                openai::events(script, counts)
            }
        }
    }
}

/// A script with what a server adds to it.
pub(super) struct ScriptedAnswer<'a> {
    pub(super) parts: &'a [AnswerPart],
    pub(super) model: &'a str,
    /// Counter for ids, which are never repeated.
    pub(super) ids: &'a AtomicUsize,
}

impl ScriptedAnswer<'_> {
    fn id(&self, prefix: &str) -> String {
        format!("{prefix}_{:04}", self.ids.fetch_add(1, Ordering::SeqCst) + 1)
    }

    fn is_overloaded(&self) -> bool {
        self.parts.contains(&AnswerPart::Overloaded)
    }

    fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, AnswerPart::Call { .. } | AnswerPart::RawCall { .. }))
    }

    /// The stop reason, in our term.
    fn stop(&self) -> &str {
        let said = self.parts.iter().find_map(|part| match part {
            AnswerPart::Stop(word) => Some(word.as_str()),
            _ => None,
        });
        said.unwrap_or(if self.has_calls() { "calls" } else { "end" })
    }

    /// Tokens read, written and from a cache.
    fn usage(&self) -> (u64, u64, u64) {
        let said = self.parts.iter().find_map(|part| match part {
            AnswerPart::Usage { input, output, cached } => Some((*input, *output, *cached)),
            _ => None,
        });
        said.unwrap_or((7, 3, 0))
    }
}

/// A text in small pieces; an empty text is one piece.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect();
    if pieces.is_empty() { vec![String::new()] } else { pieces }
}
