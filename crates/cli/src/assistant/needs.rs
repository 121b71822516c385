//! Asks before the turn for what selected skills need: values for this call only, and MCP servers once.

use super::Assistant;
use crate::{
    context::Context,
    error::{Failure, failed},
    output::harmless,
    prompt,
};
use skillful_catalog::Catalog;
use skillful_runtime::requirements::askable;
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
            if self.offered.insert(entry.address()) {
                context.offer_servers(entry)?;
            }
        }
        Ok(())
    }
}
