//! The answer of a tool: text for a model, and nothing else. Agents that are sent data beside the text forward the data,
//! escaped, in place of the text.

use rmcp::model::{CallToolResult, ContentBlock};

/// The answer of a tool.
pub(crate) type Reply = Result<String, Refused>;

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
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(Refused(words)) => CallToolResult::error(vec![ContentBlock::text(words)]),
    }
}
