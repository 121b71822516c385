//! `write_file`: creates or replaces a file.

use super::{arguments::Arguments, change, real_path::resolve_argument, spec};
use crate::{
    tool::{Tool, ToolPlan},
    tool_environment::ToolEnvironment,
};
use serde_json::{Map, Value, json};
use skillful_llm::ToolSpec;

/// Writes a file.
pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        let schema = json!({ "path": { "type": "string" }, "content": { "type": "string" } });
        spec("write_file", include_str!("../../prompts/tools/write_file.md"), &schema, &["path", "content"])
    }

    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String> {
        let arguments = Arguments::new(arguments, &["path", "content"])?;
        let path = resolve_argument(env, arguments.text("path")?)?;
        let content = arguments.text("content")?;
        if content.len() > change::LARGEST {
            return Err(format!(
                "the content has {} bytes; at most {} are written",
                content.len(),
                change::LARGEST
            ));
        }
        match change::before(&path) {
            Ok(before) => Ok(change::plan(env, "replace", path, before, content.as_bytes().to_vec())),
            Err(error) => Ok(change::failing_plan(env, "replace", path, &error.to_string())),
        }
    }
}
