//! Messages, requests and answers, independent of any vendor's format.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user, and results of tools.
    User,
    /// The model.
    Assistant,
}

/// The arguments of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arguments {
    /// A JSON object, as every format requires.
    Read(Map<String, Value>),
    /// Text that is not a JSON object. The model gets it back with an error.
    Unread(String),
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image, in a message of the user.
    Image {
        /// Its media type, such as `image/png`.
        media: String,
        /// Its bytes in Base64.
        data: String,
    },
    /// Reasoning of the model. A server that signs it expects it back unchanged.
    Thinking {
        /// The text; empty when the server does not disclose it.
        text: String,
        /// The server's signature, opaque to us.
        signature: Option<String>,
    },
    /// A tool call of the model.
    Call {
        /// Links the call with its result.
        id: String,
        /// Name of the tool.
        name: String,
        /// Arguments of the call.
        arguments: Arguments,
    },
    /// The result of a tool call.
    Result {
        /// Id of the call.
        id: String,
        /// The text that the model reads.
        text: String,
        /// Whether the call failed.
        failed: bool,
    },
}

impl Part {
    /// Makes a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The content, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// Makes a message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, parts: vec![Part::text(text)] }
    }

    /// Makes a message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, parts: vec![Part::text(text)] }
    }
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`, at most 64 characters.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub schema: Value,
}

/// How much reasoning a model should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Less than the default.
    Low,
    /// The default of most models.
    Medium,
    /// More than the default.
    High,
}

/// A request to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The system prompt.
    pub system: Option<String>,
    /// The messages of the session, oldest first.
    pub messages: Vec<Message>,
    /// Tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// Longest answer in tokens.
    pub max_tokens: u32,
    /// Sampling temperature. The default is `None`, because some models refuse any value. It is never sent in
    /// the Anthropic format, which no longer has it.
    pub temperature: Option<f32>,
    /// How much reasoning to do; the model's default when absent.
    pub effort: Option<Effort>,
}

impl Request {
    /// Makes a request with a system prompt and one user message.
    pub fn new(system: impl Into<String>, question: impl Into<String>, max_tokens: u32) -> Self {
        let messages = vec![Message::user(question)];
        Self {
            system: Some(system.into()),
            messages,
            tools: Vec::new(),
            max_tokens,
            temperature: None,
            effort: None,
        }
    }
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The answer is complete.
    End,
    /// The model waits for the results of tool calls.
    Calls,
    /// The answer reached its maximum length.
    Length,
    /// The model or a filter refused.
    Refusal,
    /// Any other reason, in the server's term.
    Other(String),
}

/// Token counts of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, including those from a cache.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read that came from a cache.
    #[serde(default)]
    pub cached: u64,
    /// Tokens read that were written to a cache.
    #[serde(default)]
    pub stored: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
        self.stored = self.stored.saturating_add(other.stored);
    }
}

/// Prices per million tokens, in the user's currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens read.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from a cache; a tenth of `input` when absent.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Tokens written to a cache; 1.25 times `input` when absent.
    #[serde(default)]
    pub stored: Option<f64>,
}

impl Price {
    /// The cost of a usage.
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    pub fn of(&self, usage: Usage) -> f64 {
        let plain = usage.input.saturating_sub(usage.cached).saturating_sub(usage.stored);
        let cached = self.cached.unwrap_or(self.input / 10.0);
        let stored = self.stored.unwrap_or(self.input * 1.25);
        let sum = plain as f64 * self.input
            + usage.cached as f64 * cached
            + usage.stored as f64 * stored
            + usage.output as f64 * self.output;
        sum / 1e6
    }
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The content, in order.
    pub parts: Vec<Part>,
    /// Why the answer ended.
    pub stop: Stop,
    /// Token counts; zeros when the server does not report them.
    pub usage: Usage,
    /// The name of the model as the server reports it.
    pub model: String,
}

impl Reply {
    /// The text of the answer.
    pub fn text(&self) -> String {
        let text = |part: &Part| match part {
            Part::Text { text } => text.clone(),
            _ => String::new(),
        };
        self.parts.iter().map(text).collect()
    }
}
