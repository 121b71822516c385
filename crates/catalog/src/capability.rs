//! What a skill can do beyond being read: tools, hooks, servers, programs, commands, secrets.
//!
//! The set is what a person agrees to when trusting a folder, and what must not grow unseen.

use crate::entry::Entry;
use skillful_format::{Data, Manifest, ToolGrant};
use std::collections::BTreeSet;

/// The capabilities of a skill as short sentences, sorted. Equal sets mean equal powers.
pub fn capabilities(entry: &Entry) -> BTreeSet<String> {
    let mut set = of_manifest(&entry.loaded.manifest);
    if entry.loaded.parts.iter().any(|part| part == "scripts") {
        set.insert("brings scripts".to_owned());
    }
    for tool in &entry.loaded.sidecar.tools {
        set.insert(format!("depends on {} {}", tool.kind, tool.value));
    }
    set
}

fn of_manifest(manifest: &Manifest) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    for grant in manifest.allowed_tools.iter().flatten() {
        set.insert(format!("uses tool {}", grant_text(grant)));
    }
    if let Some(hooks) = &manifest.hooks {
        for command in hook_commands(hooks) {
            set.insert(format!("runs hook {command}"));
        }
    }
    if let Some(server) = &manifest.mcp {
        let what = server.command.as_deref().or(server.url.as_deref()).unwrap_or("without a command");
        set.insert(format!("starts MCP server {what}"));
    }
    for name in &manifest.requires.env {
        set.insert(format!("reads variable {name}"));
    }
    for spec in &manifest.env {
        set.insert(format!("gets variable {}", spec.var));
    }
    for (name, variable) in manifest.vars.iter().filter(|(_, variable)| variable.secret) {
        let shown = if variable.expose_to_model { ", shown to the model" } else { "" };
        set.insert(format!("needs secret {name}{shown}"));
    }
    if manifest.cli {
        set.insert("brings a program".to_owned());
    }
    set
}

fn grant_text(grant: &ToolGrant) -> String {
    grant.to_string()
}

/// Every command that stands anywhere in the hooks.
fn hook_commands(data: &Data) -> Vec<String> {
    match data {
        Data::Map(pairs) => pairs
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                ("command", Data::Text(command)) => vec![command.clone()],
                _ => hook_commands(value),
            })
            .collect(),
        Data::List(items) => items.iter().flat_map(hook_commands).collect(),
        _ => Vec::new(),
    }
}
