//! The tools that are always there: files, commands, the web. Each is a plan first, which says by real
//! paths and addresses what would happen, and then the work.
//!
//! Invariants: what is opened is what was judged; nothing is read or written without a bound; a command
//! runs in the sandbox or not at all; what comes from the web is marked as nobody's word.

mod arguments;
mod change;
mod confine;
mod content;
mod disk;
mod edit_file;
mod glob;
mod grep;
mod ground;
mod html;
mod list_dir;
mod place;
mod read_file;
mod run_command;
mod walk;
mod web;
mod web_fetch;
mod web_search;
mod write_file;

use crate::tool::Tool;
use serde_json::{Value, json};
use skillful_llm::ToolSpec;

/// How far the tools of the web go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Web {
    /// Lets `web_fetch` reach this machine and private networks. Off unless a person says so.
    pub allow_private: bool,
}

/// The built-in tools. Without an address to search at there is no search of the web; the address itself comes
/// with the scene.
pub fn built_in(search: Option<&str>, web: Web) -> Vec<Box<dyn Tool>> {
    let mut tools: Vec<Box<dyn Tool>> = vec![
        Box::new(run_command::RunCommand),
        Box::new(read_file::ReadFile),
        Box::new(write_file::WriteFile),
        Box::new(edit_file::EditFile),
        Box::new(list_dir::ListDir),
        Box::new(glob::Glob),
        Box::new(grep::Grep),
        Box::new(web_fetch::WebFetch { client: web::Client::new(web.allow_private) }),
    ];
    if search.is_some_and(|address| !address.trim().is_empty()) {
        // Its server is the person's own choice.
        tools.push(Box::new(web_search::WebSearch { client: web::Client::new(true) }));
    }
    tools
}

/// The words of a tool, with a schema that knows these arguments and no others.
fn spec(name: &str, description: &str, properties: &Value, required: &[&str]) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    ToolSpec { name: name.to_owned(), description: description.to_owned(), schema }
}
