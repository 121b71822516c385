//! Tools of the MCP server of a skill.

use super::DiagnosticView;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The tools of a skill's MCP server.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolList {
    /// The version of this object.
    pub schema: u32,
    /// The skill.
    pub skill: String,
    /// Its tools.
    pub tools: Vec<ToolView>,
    /// Problems of the catalog and of the server.
    pub diagnostics: Vec<DiagnosticView>,
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolView {
    /// The name that a model calls.
    pub name: String,
    /// The name that the server uses.
    pub raw: String,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, as the server sent it.
    pub schema: Value,
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ToolResult {
    /// The version of this object.
    pub schema: u32,
    /// The text of the result; `(no output)` when there is none.
    pub text: String,
    /// Whether the tool reported a failure.
    pub failed: bool,
    /// Parts that are not text.
    pub left_out: Vec<LeftOutPart>,
    /// Bytes of text beyond the limit, which were removed.
    pub cut_bytes: usize,
    /// Problems of the server.
    pub diagnostics: Vec<DiagnosticView>,
}

/// A part of a result that is not text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LeftOutPart {
    /// `image`, `audio` or `resource`.
    pub kind: String,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its size.
    pub bytes: usize,
}
