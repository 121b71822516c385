//! A conversation and an answer, in no vendor's words.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person, and results of tools.
    User,
    /// The model.
    Assistant,
}

/// What a model wants a tool to get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arguments {
    /// An object, as every format asks for.
    Read(Map<String, Value>),
    /// Something else. The model is told, and sees its own words again.
    Unread(String),
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Part {
    /// Words.
    Text {
        /// As written.
        text: String,
    },
    /// Words that a model said to itself. A server that signs them wants them back unchanged.
    Thinking {
        /// As written; empty when the server keeps them to itself.
        text: String,
        /// The server's mark, for its own use.
        signature: Option<String>,
    },
    /// A tool that the model wants to use.
    Call {
        /// What its result is known by.
        id: String,
        /// The tool.
        name: String,
        /// What it gets.
        arguments: Arguments,
    },
    /// What came of a call.
    Result {
        /// The call.
        id: String,
        /// What the model reads.
        text: String,
        /// Whether it failed.
        failed: bool,
    },
}

impl Part {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// What a person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, parts: vec![Part::text(text)] }
    }

    /// What a model said.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, parts: vec![Part::text(text)] }
    }
}

/// A tool that a model may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub schema: Value,
}

/// How hard a model should think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Hard.
    High,
}

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Instructions above the conversation.
    pub system: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Tools it may use.
    pub tools: Vec<ToolSpec>,
    /// Longest answer.
    pub max_tokens: u32,
    /// How freely to choose words. Some models refuse any value, so that none is the default; the format of
    /// Anthropic no longer has it, and none is sent there.
    pub temperature: Option<f32>,
    /// How hard to think; the model's own way when nothing is said.
    pub effort: Option<Effort>,
}

impl Request {
    /// A question with instructions.
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
    /// It was finished.
    End,
    /// Tools are to be used.
    Calls,
    /// It was cut at the longest length.
    Length,
    /// The model or a filter refused.
    Refusal,
    /// Anything else, in the server's word.
    Other(String),
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, those from a cache included.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Of the tokens read, those that came from a cache.
    #[serde(default)]
    pub cached: u64,
    /// Of the tokens read, those that were put into a cache.
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

/// What a million tokens of a kind cost, in whatever money the person counts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens read.
    pub input: f64,
    /// Tokens written.
    pub output: f64,
    /// Tokens read from a cache; a tenth of `input` when nothing is said.
    #[serde(default)]
    pub cached: Option<f64>,
    /// Tokens put into a cache; five quarters of `input` when nothing is said.
    #[serde(default)]
    pub stored: Option<f64>,
}

impl Price {
    /// What a usage costs.
    #[expect(clippy::cast_precision_loss, reason = "nobody uses 2^52 tokens")]
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
    /// What it says, in order.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub stop: Stop,
    /// What it cost; zeros when the server does not say.
    pub usage: Usage,
    /// The model that answered, as the server names it.
    pub model: String,
}

impl Reply {
    /// The words of the answer.
    pub fn text(&self) -> String {
        let text = |part: &Part| match part {
            Part::Text { text } => text.clone(),
            _ => String::new(),
        };
        self.parts.iter().map(text).collect()
    }
}
