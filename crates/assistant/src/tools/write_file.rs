//! `write_file`: all of a file.

use super::{arguments::Arguments, change, place::real, spec};
use crate::{
    scene::Scene,
    tool::{Plan, Tool},
};
use serde_json::{Map, Value, json};
use skillful_llm::ToolSpec;

/// Writes a file.
pub(super) struct WriteFile;

impl Tool for WriteFile {
    fn spec(&self) -> ToolSpec {
        let schema = json!({ "path": { "type": "string" }, "content": { "type": "string" } });
        let words =
            "Makes a file, or replaces all of it; folders above it are made. To change a part use edit_file.";
        spec("write_file", words, &schema, &["path", "content"])
    }

    fn plan<'a>(&'a self, arguments: &Map<String, Value>, scene: &'a Scene<'a>) -> Result<Plan<'a>, String> {
        let arguments = Arguments::new(arguments, &["path", "content"])?;
        let path = real(scene, arguments.text("path")?)?;
        let content = arguments.text("content")?;
        if content.len() > change::LARGEST {
            return Err(format!(
                "the content has {} bytes; at most {} are written",
                content.len(),
                change::LARGEST
            ));
        }
        match change::before(&path) {
            Ok(before) => Ok(change::plan(scene, "replace", path, before, content.as_bytes().to_vec())),
            Err(error) => Ok(change::fails(scene, "replace", path, &error.to_string())),
        }
    }
}
