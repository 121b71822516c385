//! A conversation and an answer, in no vendor's words.

use serde::{Deserialize, Serialize};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person, and results of tools.
    User,
    /// The model.
    Assistant,
}

/// A part of a message. Calls of tools and their results are further kinds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
pub enum Part {
    /// Words.
    Text {
        /// As written.
        text: String,
    },
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
        Self { role: Role::User, parts: vec![Part::Text { text: text.into() }] }
    }

    /// What a model said.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, parts: vec![Part::Text { text: text.into() }] }
    }
}

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Instructions above the conversation.
    pub system: Option<String>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Longest answer.
    pub max_tokens: u32,
    /// How freely to choose words. Some models refuse any value, so that none is the default.
    pub temperature: Option<f32>,
}

impl Request {
    /// A question with instructions.
    pub fn new(system: impl Into<String>, question: impl Into<String>, max_tokens: u32) -> Self {
        let messages = vec![Message::user(question)];
        Self { system: Some(system.into()), messages, max_tokens, temperature: None }
    }
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It was finished.
    End,
    /// It was cut at the longest length.
    Length,
    /// The model or a filter refused.
    Refusal,
    /// Anything else, in the server's word.
    Other(String),
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read, those from a cache included.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
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
        };
        self.parts.iter().map(text).collect()
    }
}
