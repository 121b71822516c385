//! MCP servers that skills need and that the user adds to the configuration.

use super::{Library, LibraryError, read_settings, write_settings};
use skillful_runtime::requirements::Offer;
use toml_edit::{Item, Table, value};

impl Library<'_> {
    /// Adds a server to the user's configuration; comments and order are kept.
    pub fn add_server(&self, offer: &Offer) -> Result<(), LibraryError> {
        let file = &self.workspace.paths().config;
        let mut document = read_settings(file, None)?;
        let mut server = Table::new();
        for (key, text) in [("command", &offer.command), ("url", &offer.url)] {
            if let Some(text) = text {
                server[key] = value(text);
            }
        }
        let servers = document.entry("mcp").or_insert(Item::Table(Table::new()));
        let Some(servers) = servers.as_table_mut() else {
            return Err(LibraryError::new(format!("`mcp` in `{}` is not a table", file.display()))
                .fix("repair the file first"));
        };
        servers.set_implicit(true);
        servers.insert(&offer.name, Item::Table(server));
        write_settings(file, &document.to_string(), None)
    }
}
