//! The sections `[mcp.NAME]` of the configuration: servers of the user, for skills that depend on them.

use serde::Deserialize;
use skillful_format::{Data, manifest::McpServer};

/// An MCP server of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct McpSection {
    /// How it is started.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it listens.
    pub url: Option<String>,
    /// The name of this program at its authorization server, where programs cannot register themselves.
    pub client_id: Option<String>,
}

impl McpSection {
    /// The same as the frontmatter of a skill would have it.
    pub fn declared(&self, name: &str) -> McpServer {
        let id = self.client_id.clone().map(|id| ("client_id".to_owned(), Data::Text(id)));
        McpServer {
            command: self.command.clone(),
            args: self.args.clone(),
            url: self.url.clone(),
            rest: std::iter::once(("name".to_owned(), Data::Text(name.to_owned()))).chain(id).collect(),
            ..McpServer::default()
        }
    }
}
