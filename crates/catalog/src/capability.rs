//! What a skill can do beyond being read: tools, hooks, servers, programs, commands, secrets.
//!
//! The user approves this set when trusting a folder; a larger set needs a new approval.

mod code;

use crate::{entry::Entry, load::Loaded};
use skillful_format::{Data, Manifest, ToolGrant, Tree};
use std::collections::BTreeSet;

/// The capabilities of a skill as short sentences, sorted. Equal sets mean equal capabilities.
pub fn capabilities(entry: &Entry) -> BTreeSet<String> {
    let mut set = of_loaded(&entry.loaded);
    // A model and a user would take it for the other one, so that it needs an answer of its own.
    set.extend(
        entry.looks_like.as_ref().map(|other| format!("has a name that looks like {other} and is another")),
    );
    set
}

/// The same for a skill whose files are at hand, with what its code names; none when the tree has no skill
/// file.
pub fn of_tree(tree: &Tree) -> Option<BTreeSet<String>> {
    of_tree_with_name(tree).map(|(set, _)| set)
}

/// The same, and the name that the skill gives itself, by reading it once.
pub fn of_tree_with_name(tree: &Tree) -> Option<(BTreeSet<String>, Option<String>)> {
    let loaded = Loaded::of_tree(tree)?;
    let mut set = of_loaded(&loaded);
    set.extend(code::of_code(tree));
    Some((set, loaded.manifest.name))
}

fn of_loaded(loaded: &Loaded) -> BTreeSet<String> {
    let mut set = of_manifest(&loaded.manifest);
    if loaded.parts.iter().any(|part| part == "scripts") {
        set.insert("brings scripts".to_owned());
    }
    for command in &loaded.commands {
        set.insert(format!("runs command {command}"));
    }
    // Another agent may run it, so it must not appear unseen either.
    for command in &loaded.shown_commands {
        set.insert(format!("shows command {command}"));
    }
    for tool in &loaded.sidecar.tools {
        let how = [&tool.command, &tool.url]
            .into_iter()
            .flatten()
            .fold(String::new(), |how, part| how + " " + part);
        set.insert(format!("depends on {} {}{how}", tool.kind, tool.value));
    }
    set
}

fn of_manifest(manifest: &Manifest) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    for grant in manifest.allowed_tools.iter().flatten() {
        set.insert(format!("uses tool {}", grant_text(grant)));
    }
    if let Some(hooks) = &manifest.hooks {
        let commands = hook_commands(hooks);
        if commands.is_empty() {
            set.insert(format!("runs hooks {}", compact(hooks)));
        }
        for command in commands {
            set.insert(format!("runs hook {command}"));
        }
    }
    if let Some(server) = &manifest.mcp {
        let what = server.command.as_deref().or(server.url.as_deref()).unwrap_or("without a command");
        let what = server.args.iter().fold(what.to_owned(), |line, argument| line + " " + argument);
        set.insert(format!("starts MCP server {what}"));
        // A variable may hand over a secret of the environment, or make another program of this one.
        for (name, value) in &server.env {
            set.insert(format!("gives its MCP server {name}={value}"));
        }
        for (_, headers) in server.rest.iter().filter(|(key, _)| key == "headers") {
            set.insert(format!("sends its MCP server {}", compact(headers)));
        }
    }
    for name in &manifest.requires.env {
        set.insert(format!("reads variable {name}"));
    }
    for choice in &manifest.requires.binary {
        set.insert(format!("needs program {}", choice.join(" or ")));
    }
    for server in &manifest.requires.mcp {
        set.insert(format!("needs MCP server {server}"));
    }
    for spec in &manifest.env {
        set.insert(format!("gets variable {}", spec.var));
    }
    for (name, variable) in &manifest.vars {
        if !variable.secret {
            // Its value may come from the environment and stand in the prompt.
            set.insert(format!("reads variable {name}"));
            continue;
        }
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

/// Every command and address that stands anywhere in the hooks.
fn hook_commands(data: &Data) -> Vec<String> {
    match data {
        Data::Map(pairs) => pairs
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                ("command" | "url" | "prompt", Data::Text(command)) => vec![command.clone()],
                ("command", Data::List(_)) => vec![compact(value)],
                _ => hook_commands(value),
            })
            .collect(),
        Data::List(items) => items.iter().flat_map(hook_commands).collect(),
        _ => Vec::new(),
    }
}

fn compact(data: &Data) -> String {
    match data {
        Data::Null => String::new(),
        Data::Bool(value) => value.to_string(),
        Data::Number(text) | Data::Text(text) => text.clone(),
        Data::List(items) => items.iter().map(compact).collect::<Vec<_>>().join(" "),
        Data::Map(pairs) => pairs
            .iter()
            .map(|(key, value)| format!("{key}: {}", compact(value)))
            .collect::<Vec<_>>()
            .join(", "),
    }
}
