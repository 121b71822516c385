//! Asks the user for what a skill needs: values for this call only, and MCP servers once.

use crate::{
    commands::library,
    context::Context,
    error::{Failure, failed},
    output, prompt,
};
use skillful_catalog::Entry;
use skillful_runtime::requirements::{askable, offers};
use skillful_select::access::{Admitted, Way, reach};

impl Context {
    /// The skill with a name, if the gate admits it. When only values are missing they are asked for at a terminal,
    /// without echo, and used for this call only.
    pub(crate) fn reach(&mut self, word: &str, way: Way) -> Result<Admitted, Failure> {
        if self.workspace.find(word).is_err()
            && let Some(folder) = self.workspace.loose_skill(word)
        {
            self.workspace = self.workspace.with_root(folder);
        }
        loop {
            let catalog = self.workspace.catalog();
            let refusal = match reach(&catalog, word, self.workspace.asker(), way) {
                Ok(proof) => return Ok(proof),
                Err(refusal) => refusal,
            };
            let (entry, missing) = match &refusal.skill {
                Some((at, verdict)) => (Some(&catalog.entries[*at]), askable(verdict)),
                None => (None, Vec::new()),
            };
            let unusable = self.workspace.unusable(&refusal);
            let message = unusable.message(way);
            let failure = Failure { message, ..Failure::from(unusable) };
            let Some(entry) = entry.filter(|_| !missing.is_empty() && prompt::is_possible()) else {
                return Err(failure);
            };
            for name in missing {
                let question = format!("{} needs {}", output::harmless(word), output::harmless(&name));
                match prompt::hidden(&question).map_err(failed("read an answer"))? {
                    Some(value) => self.workspace = self.workspace.with_typed(entry, &name, &value),
                    None => return Err(failure),
                }
            }
        }
    }

    /// Offers to add the MCP servers that a skill needs and that are not configured, at a terminal only. Returns the names
    /// of those that were added.
    pub(crate) fn offer_servers(&self, entry: &Entry) -> Result<Vec<String>, Failure> {
        let mut added = Vec::new();
        if !prompt::is_possible() {
            return Ok(added);
        }
        for offer in offers(entry, &self.workspace.config().mcp.keys().cloned().collect()) {
            let name = output::harmless(&offer.name);
            let Some(how) = offer.url.as_deref().or(offer.command.as_deref()).map(output::harmless) else {
                output::tell(&format!(
                    "note: the skill needs the MCP server {name} and does not say how to start it\n"
                ));
                continue;
            };
            let question =
                format!("The skill needs the MCP server {name} ({how}). Add it to your configuration?");
            if prompt::yes(&question).map_err(failed("read an answer"))? {
                library::user(self)?.add_server(&offer)?;
                if let Some(url) = &offer.url {
                    let (url, skill) = (output::harmless(url), output::harmless(&entry.address()));
                    output::tell(&format!(
                        "note: {url} may ask you to sign in: skillful mcp sign-in {skill}\n"
                    ));
                }
                added.push(offer.name);
            }
        }
        Ok(added)
    }
}
