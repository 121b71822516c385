//! The built-in tools: files, commands, the web. Each call is planned first; the plan names real paths and
//! addresses.
//!
//! Invariants: what is opened is what was judged; nothing is read or written without a limit; a command runs
//! in the sandbox or not at all; text from the web is marked as untrusted.

mod arguments;
mod change;
mod confine;
mod content;
mod disk;
mod edit_file;
pub(crate) mod git_facts;
mod glob;
mod grep;
mod html;
mod list_dir;
mod path_access;
pub mod project_guard;
mod put_aside;
mod read_file;
mod real_path;
mod run_command;
mod update_plan;
mod walk;
mod web;
mod web_fetch;
mod web_search;
mod write_file;

use crate::tool::Tool;
use serde_json::{Value, json};
use skillful_llm::ToolSpec;

/// Settings of the web tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Web {
    /// Lets `web_fetch` reach this machine and private networks. Off unless the user turns it on.
    pub allow_private: bool,
}

/// The built-in tools. `web_search` exists only when a search address is configured; the address itself comes
/// with the tool environment.
pub fn built_in(search: Option<&str>, web: Web) -> Vec<Box<dyn Tool>> {
    let mut tools: Vec<Box<dyn Tool>> = vec![
        Box::new(run_command::RunCommand),
        Box::new(read_file::ReadFile),
        Box::new(write_file::WriteFile),
        Box::new(edit_file::EditFile),
        Box::new(list_dir::ListDir),
        Box::new(glob::Glob),
        Box::new(grep::Grep),
        Box::new(update_plan::UpdatePlan),
        Box::new(web_fetch::WebFetch { client: web::Client::new(web.allow_private) }),
    ];
    if search.is_some_and(|address| !address.trim().is_empty()) {
        // The user configured this server, so it may be on a private network.
        tools.push(Box::new(web_search::WebSearch { client: web::Client::new(true) }));
    }
    tools
}

/// The specification of a tool. Descriptions are in `prompts/tools`; the schema allows these arguments and no others.
fn spec(name: &str, description: &str, properties: &Value, required: &[&str]) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    ToolSpec { name: name.to_owned(), description: description.trim_end().to_owned(), schema }
}
