//! What a tool answers: words that a model reads, and the same as data.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// The answer of a tool.
pub(crate) type Reply = Result<ToolAnswer, Refused>;

/// An answer.
pub(crate) struct ToolAnswer {
    /// For a model.
    pub text: String,
    /// The same for a program; agents that pass on only this lose nothing.
    pub data: Value,
}

/// A refusal: what is wrong and what to do, in words that a model may read.
pub(crate) struct Refused(pub String);

impl Refused {
    pub(crate) fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

/// As the protocol wants it. A refusal is an answer with a mark, so that the model reads its words.
pub(crate) fn result(reply: Reply) -> CallToolResult {
    match reply {
        Ok(ToolAnswer { text, data }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            result
        }
        Err(Refused(words)) => CallToolResult::error(vec![ContentBlock::text(words)]),
    }
}
