//! Asks before the turn for what selected skills need: values for this call only, and MCP servers once.

use super::Assistant;
use crate::{
    context::Context,
    error::{Failure, failed},
    output::harmless,
    prompt,
};
use skillful_catalog::{Catalog, asked_server::AskedServer};
use skillful_format::{Data, manifest::McpServer};
use skillful_runtime::requirements::{askable, missing_variables};
use skillful_select::{selection::select, turn::Turn};

impl Assistant {
    /// Asks the user for missing values. A skill without its value stays unavailable.
    pub(super) fn prepare(
        &mut self,
        context: &mut Context,
        catalog: &Catalog,
        turn: &Turn,
    ) -> Result<(), Failure> {
        if !prompt::is_possible() {
            return Ok(());
        }
        let selection = select(catalog, turn, context.workspace.asker());
        for refused in &selection.refused {
            let entry = &catalog.entries[refused.entry];
            let skill = harmless(&entry.address());
            for name in askable(&refused.verdict) {
                if !self.offered.insert(name.clone()) {
                    continue;
                }
                let question = format!("{skill} needs {}", harmless(&name));
                if let Some(value) = prompt::hidden(&question).map_err(failed("read an answer"))? {
                    context.workspace = context.workspace.with_typed(entry, &name, &value);
                }
            }
        }
        for chosen in &selection.selected {
            let entry = &catalog.entries[chosen.entry()];
            for need in missing_variables(entry, context.workspace.environment()) {
                if !self.offered.insert(need.name.clone()) {
                    continue;
                }
                let about = need.about.map_or_else(String::new, |about| format!(" ({})", harmless(&about)));
                let question =
                    format!("{} needs {}{about}", harmless(&entry.address()), harmless(&need.name));
                if let Some(value) = prompt::hidden(&question).map_err(failed("read an answer"))? {
                    context.workspace = context.workspace.with_typed(entry, &need.name, &value);
                }
            }
            if self.offered.insert(entry.address()) {
                let added = context.offer_servers(entry)?;
                if added.is_empty() {
                    continue;
                }
                context.workspace = context.workspace.refresh().0;
                // To add a server is to let this skill have it, in this session.
                let (servers, _) = context.workspace.server_dependencies(entry);
                let is_added = |server: &McpServer| added.iter().any(|name| named(server) == Some(name));
                for server in servers.iter().filter(|server| is_added(server)) {
                    if let Some(asked) = AskedServer::of(server) {
                        self.servers.allow_once(entry, asked);
                    }
                }
            }
        }
        Ok(())
    }
}

/// The name of a server.
fn named(server: &McpServer) -> Option<&String> {
    let (_, name) = server.rest.iter().find(|(key, _)| key == "name")?;
    if let Data::Text(name) = name { Some(name) } else { None }
}
