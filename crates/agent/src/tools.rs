//! The tools that are always there: files, commands, the web. Each is a plan first, which says by real
//! paths and addresses what would happen, and then the work.
//!
//! Invariants: what is opened is what was judged; nothing is read or written without a bound; a command
//! runs in the sandbox or not at all; what comes from the web is marked as nobody's word.

mod arguments;
mod change;
mod content;
mod disk;
mod edit_file;
mod glob;
mod grep;
mod ground;
mod list_dir;
mod place;
mod read_file;
mod walk;
mod write_file;

use crate::tool::Tool;
use serde_json::{Value, json};
use skillful_llm::ToolSpec;

/// The built-in tools. Without an address to search at there is no search of the web.
pub fn built_in(search: Option<&str>) -> Vec<Box<dyn Tool>> {
    let _search = search;
    vec![
        Box::new(read_file::ReadFile),
        Box::new(write_file::WriteFile),
        Box::new(edit_file::EditFile),
        Box::new(list_dir::ListDir),
        Box::new(glob::Glob),
        Box::new(grep::Grep),
    ]
}

/// The words of a tool, with a schema that knows these arguments and no others.
fn spec(name: &str, description: &str, properties: Value, required: &[&str]) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    ToolSpec { name: name.to_owned(), description: description.to_owned(), schema }
}
