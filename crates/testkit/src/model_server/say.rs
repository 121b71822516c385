//! A script in no vendor's words, and the two ways to speak it.

mod anthropic;
mod openai;

use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Characters of one piece of a text.
const PIECE: usize = 5;

/// One thing that a model says or does.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Say {
    /// Words.
    Text(String),
    /// Words to itself, signed where the format signs them.
    Thinking(String),
    /// A call of a tool.
    Call {
        /// The tool.
        name: String,
        /// What it gets.
        arguments: Value,
    },
    /// A call of a tool with arguments that may be no JSON at all.
    RawCall {
        /// The tool.
        name: String,
        /// What it gets, as written.
        arguments: String,
    },
    /// Why it ends: `end`, `calls`, `length`, `refusal`, or a word of the format. When nothing is said, by
    /// whether there are calls.
    Stop(String),
    /// What it costs.
    Usage {
        /// Tokens read, all of them.
        input: u64,
        /// Tokens written.
        output: u64,
        /// Of those read, the ones from a cache.
        #[serde(default)]
        cached: u64,
    },
    /// An error in the middle, after which nothing comes.
    Overloaded,
}

impl Say {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Words to itself.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::Thinking(text.into())
    }

    /// A call of a tool.
    pub fn call(name: &str, arguments: Value) -> Self {
        Self::Call { name: name.to_owned(), arguments }
    }

    /// A call of a tool with arguments as written.
    pub fn raw_call(name: &str, arguments: &str) -> Self {
        Self::RawCall { name: name.to_owned(), arguments: arguments.to_owned() }
    }
}

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions.
    OpenAi,
}

impl Speech {
    /// The format of a path, if it is that of a chat call.
    pub fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        match path.rsplit('/').next() {
            Some("messages") => Some(Self::Anthropic),
            Some("completions") if path.ends_with("/chat/completions") => Some(Self::OpenAi),
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
            Self::OpenAi => {
                json!({ "error": { "message": message, "type": kind, "param": null, "code": null } })
            }
        }
    }

    /// The script in one piece; `None` when it ends in an error.
    pub(super) fn whole(self, script: &Spoken<'_>) -> Option<Value> {
        if script.is_overloaded() {
            return None;
        }
        Some(match self {
            Self::Anthropic => anthropic::whole(script),
            Self::OpenAi => openai::whole(script),
        })
    }

    /// The script as events.
    pub(super) fn events(self, script: &Spoken<'_>, asked: &Value) -> String {
        match self {
            Self::Anthropic => anthropic::events(script),
            Self::OpenAi => {
                let counts = asked["stream_options"]["include_usage"] == true;
                openai::events(script, counts)
            }
        }
    }
}

/// A script with what a server adds to it.
pub(super) struct Spoken<'a> {
    pub(super) says: &'a [Say],
    pub(super) model: &'a str,
    /// Ids are never given twice.
    pub(super) ids: &'a AtomicUsize,
}

impl Spoken<'_> {
    fn id(&self, prefix: &str) -> String {
        format!("{prefix}_{:04}", self.ids.fetch_add(1, Ordering::SeqCst) + 1)
    }

    fn is_overloaded(&self) -> bool {
        self.says.contains(&Say::Overloaded)
    }

    fn has_calls(&self) -> bool {
        self.says.iter().any(|say| matches!(say, Say::Call { .. } | Say::RawCall { .. }))
    }

    /// Why it ends, in our word.
    fn stop(&self) -> &str {
        let said = self.says.iter().find_map(|say| match say {
            Say::Stop(word) => Some(word.as_str()),
            _ => None,
        });
        said.unwrap_or(if self.has_calls() { "calls" } else { "end" })
    }

    /// Tokens read, written and from a cache.
    fn usage(&self) -> (u64, u64, u64) {
        let said = self.says.iter().find_map(|say| match say {
            Say::Usage { input, output, cached } => Some((*input, *output, *cached)),
            _ => None,
        });
        said.unwrap_or((7, 3, 0))
    }
}

/// A text in small pieces; an empty text is one.
fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters.chunks(PIECE).map(|piece| piece.iter().collect()).collect();
    if pieces.is_empty() { vec![String::new()] } else { pieces }
}
