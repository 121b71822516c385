//! Capabilities that the frontmatter, the sidecars and the body of a skill declare.

use super::growth::{EVERY_TOOL, LIMIT, PERMISSIONS, TOOL};
use crate::load::Loaded;
use skillful_format::{
    Data, Manifest,
    manifest::{EnvSpec, McpServer, Requires},
};
use std::collections::BTreeSet;

/// Keys of one hook that say what it does.
const HOOK_KEYS: [&str; 3] = ["command", "url", "prompt"];

/// Unknown keys of the frontmatter, without case and signs, by which an agent may give more.
const ASKS: [&str; 12] = [
    "permission",
    "permissions",
    "permissionmode",
    "tools",
    "mcpserver",
    "mcpservers",
    "sandbox",
    "sandboxmode",
    "approval",
    "approvalpolicy",
    "network",
    "networkaccess",
];

pub(super) fn of_loaded(loaded: &Loaded) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    of_manifest(&loaded.manifest, &mut set);
    for command in &loaded.commands {
        set.insert(format!("runs command {command}"));
    }
    if let Some(shell) = loaded.manifest.shell.as_ref().filter(|_| !loaded.commands.is_empty()) {
        set.insert(format!("runs its commands with {shell}"));
    }
    let arguments = &loaded.manifest.arguments;
    if !arguments.is_empty() && !loaded.commands.is_empty() {
        // A word of a command is a variable of the shell, or what a user or a model wrote.
        set.insert(format!("puts arguments into its commands as {}", arguments.join(", ")));
    }
    // Another agent may run it, so it must not appear unseen either.
    for command in &loaded.shown_commands {
        set.insert(format!("shows command {command}"));
    }
    let sidecar = &loaded.sidecar;
    for tool in &sidecar.tools {
        let parts = [&tool.command, &tool.url].into_iter().flatten();
        let how = parts.fold(String::new(), |how, part| how + " " + part);
        set.insert(format!("depends on {} {}{how}", tool.kind, tool.value));
    }
    of_requires(&sidecar.requires, &mut set);
    if let Some(permissions) = &sidecar.permissions {
        set.insert(format!("{PERMISSIONS}{}", compact(permissions)));
    }
    if sidecar.allow_implicit_invocation == Some(false) {
        set.insert(format!("{LIMIT}calls by models in its sidecar"));
    }
    set
}

fn of_manifest(manifest: &Manifest, set: &mut BTreeSet<String>) {
    match &manifest.allowed_tools {
        // No list limits nothing.
        None => {
            set.insert(EVERY_TOOL.to_owned());
        }
        Some(grants) => set.extend(grants.iter().map(|grant| format!("{TOOL}{grant}"))),
    }
    set.extend(manifest.disallowed_tools.iter().map(|grant| format!("{LIMIT}tool {grant}")));
    let limits = [
        (manifest.disable_model_invocation, "calls by models"),
        (!manifest.user_invocable, "calls by users"),
        (manifest.admin_only, "users who are not administrators"),
        (manifest.experimental, "machines whose operator did not enable it"),
    ];
    set.extend(limits.iter().filter(|(holds, _)| *holds).map(|(_, what)| format!("{LIMIT}{what}")));
    set.extend(
        manifest
            .requires_capability
            .iter()
            .map(|name| format!("{LIMIT}agents without the capability {name}")),
    );
    of_selection(manifest, set);
    of_turn(manifest, set);
    let next = manifest.next_skill.iter();
    let next = next.chain(manifest.conditional_next_skills.iter().map(|(_, skill)| skill));
    set.extend(next.map(|skill| format!("continues with skill {skill}")));
    set.extend(manifest.companion_skills.iter().map(|skill| format!("loads skill {skill} with it")));
    if let Some(hooks) = &manifest.hooks {
        of_hooks(hooks, set);
    }
    if let Some(server) = &manifest.mcp {
        of_server(server, set);
    }
    of_requires(&manifest.requires, set);
    set.extend(manifest.env.iter().map(of_variable));
    for (name, variable) in &manifest.vars {
        // A command takes the value that the author wrote where the user gave none.
        let default = variable.default.as_ref().map(|text| format!(", by default {}", word(text)));
        let default = default.unwrap_or_default();
        if !variable.secret {
            // Its value may come from the environment and stand in the prompt.
            set.insert(format!("reads variable {name}{default}"));
            continue;
        }
        let shown = if variable.expose_to_model { ", shown to the model" } else { "" };
        set.insert(format!("needs secret {name}{shown}{default}"));
    }
    if manifest.cli {
        set.insert("brings a program".to_owned());
    }
}

/// By what it is loaded without being called, and what it keeps out of a turn.
fn of_selection(manifest: &Manifest, set: &mut BTreeSet<String>) {
    if manifest.always_include {
        set.insert("is loaded in every turn".to_owned());
    }
    set.extend(
        manifest.source_types.iter().map(|kind| format!("is loaded in every turn of the kind {kind}")),
    );
    set.extend(
        manifest.file_types.iter().map(|kind| format!("is loaded with every attachment of the type {kind}")),
    );
    set.extend(manifest.paths.iter().map(|glob| format!("is loaded for files {glob}")));
    set.extend(manifest.exclude_skills.iter().map(|skill| format!("keeps out skill {skill}")));
    let parts = [
        (manifest.exclude_memory, "the memory"),
        (manifest.exclude_persona, "the persona"),
        (manifest.exclude_resources, "the resources"),
    ];
    set.extend(parts.iter().filter(|(holds, _)| *holds).map(|(_, what)| format!("keeps out {what}")));
}

/// What it changes about the turn that it leads.
fn of_turn(manifest: &Manifest, set: &mut BTreeSet<String>) {
    if manifest.context_fork {
        set.insert("runs as a sub-agent".to_owned());
    }
    if manifest.background == Some(true) {
        set.insert("runs as a sub-agent in the background".to_owned());
    }
    set.extend(manifest.agent.iter().map(|name| format!("runs as the agent {name}")));
    let model = manifest.model.iter().chain(&manifest.model_tier);
    set.extend(model.map(|name| format!("asks for the model {name}")));
    set.extend(manifest.effort.iter().map(|name| format!("asks for the effort {name}")));
    // We give these nothing, and another agent may.
    let asks = manifest.extra.iter().filter(|(key, _)| {
        let key: String = key.chars().filter(|one| one.is_alphanumeric()).collect();
        ASKS.iter().any(|known| known.eq_ignore_ascii_case(&key))
    });
    set.extend(asks.map(|(key, value)| format!("{PERMISSIONS}{key}: {}", nested(value))));
}

fn of_requires(requires: &Requires, set: &mut BTreeSet<String>) {
    set.extend(requires.env.iter().map(|name| format!("reads variable {name}")));
    set.extend(requires.binary.iter().map(|choice| format!("needs program {}", choice.join(" or "))));
    set.extend(requires.mcp.iter().map(|server| format!("needs MCP server {server}")));
}

/// A variable with where its value comes from: another source is another capability.
fn of_variable(spec: &EnvSpec) -> String {
    let mut text = format!("gets variable {}", spec.var);
    match spec.from.as_deref() {
        Some("secret") => {
            let part = |part: &Option<String>| part.clone().unwrap_or_else(|| "?".to_owned());
            text.push_str(&format!(" from secret {}/{}", part(&spec.service), part(&spec.key)));
        }
        Some(from) => text.push_str(&format!(" from {from}")),
        None => {}
    }
    let parts = [
        ("setting", &spec.config_path),
        ("template", &spec.template),
        ("path of", &spec.user_path_fn),
        ("or variable", &spec.fallback_var),
    ];
    for (what, value) in parts {
        if let Some(value) = value {
            text.push_str(&format!(", {what} {value}"));
        }
    }
    for (key, value) in &spec.rest {
        text.push_str(&format!(", {key} {}", compact(value)));
    }
    if !spec.sensitive && !spec.proxy_only {
        text.push_str(", not marked sensitive");
    }
    text
}

fn of_server(server: &McpServer, set: &mut BTreeSet<String>) {
    let line = |start: &str| server.args.iter().fold(start.to_owned(), |line, part| line + " " + &word(part));
    if let Some(url) = &server.url {
        set.insert(format!("connects to MCP server {url}"));
    }
    if let Some(command) = &server.command {
        set.insert(format!("starts MCP server {}", line(command)));
    }
    if server.url.is_none() && server.command.is_none() {
        set.insert(format!("starts MCP server {}", line("without a command")));
    }
    // A variable may hand over a secret of the environment, or make another program of this one.
    for (name, value) in &server.env {
        set.insert(format!("gives its MCP server {name}={value}"));
    }
    let mut texts: Vec<String> = server.env.iter().map(|(_, value)| value.clone()).collect();
    texts.extend(server.url.iter().chain(&server.command).chain(&server.args).cloned());
    for (key, value) in &server.rest {
        let value = compact(value);
        set.insert(match key.as_str() {
            "headers" => format!("sends its MCP server {value}"),
            _ => format!("sets {key} of its MCP server to {value}"),
        });
        texts.push(value);
    }
    for name in texts.iter().flat_map(|text| variables(text)) {
        set.insert(format!("gives its MCP server the variable {name}"));
    }
}

/// The names in `${NAME}` and `${NAME:-default}`.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| {
        let name = rest.split(['}', ':', '-']).next()?;
        (!name.is_empty()).then_some(name)
    })
}

/// Each hook with its event and matcher. What is not written as hooks are is one sentence as it stands.
fn of_hooks(hooks: &Data, set: &mut BTreeSet<String>) {
    let Data::Map(events) = hooks else {
        set.insert(format!("runs hooks {}", compact(hooks)));
        return;
    };
    for (event, value) in events {
        let mut found = Vec::new();
        of_event(value, &Vec::new(), &mut found);
        if found.is_empty() {
            set.insert(format!("runs hooks {event}: {}", compact(value)));
        }
        set.extend(found.into_iter().map(|hook| format!("runs hook {event}{hook}")));
    }
}

/// The hooks below one event. `outer` has the keys of the groups around it, such as the matcher.
fn of_event(data: &Data, outer: &[(String, String)], found: &mut Vec<String>) {
    match data {
        Data::List(items) => items.iter().for_each(|item| of_event(item, outer, found)),
        Data::Map(pairs) => {
            let is_hook = pairs.iter().any(|(key, _)| HOOK_KEYS.contains(&key.as_str()));
            let (inner, own): (Vec<_>, Vec<_>) = pairs
                .iter()
                .partition(|(_, value)| !is_hook && matches!(value, Data::List(_) | Data::Map(_)));
            let mut keys = outer.to_vec();
            keys.extend(own.iter().map(|(key, value)| (key.clone(), compact(value))));
            if is_hook {
                found.push(hook_text(&keys));
            } else {
                for (_, value) in inner {
                    of_event(value, &keys, found);
                }
            }
        }
        _ => {}
    }
}

/// `(matcher): command, with every other key`.
fn hook_text(keys: &[(String, String)]) -> String {
    let mut text = String::new();
    for (_, matcher) in keys.iter().filter(|(key, _)| key == "matcher") {
        text.push_str(&format!("({matcher})"));
    }
    text.push(':');
    for (_, command) in keys.iter().filter(|(key, _)| key == "command") {
        text.push_str(&format!(" {command}"));
    }
    let is_shown = |key: &str, value: &str| {
        matches!(key, "matcher" | "command") || (key == "type" && value == "command")
    };
    for (key, value) in keys.iter().filter(|(key, value)| !is_shown(key, value)) {
        text.push_str(&format!(" {key} {}", word(value)));
    }
    text
}

/// A value on one line, so that different values have different texts.
fn compact(data: &Data) -> String {
    match data {
        Data::Text(text) => text.clone(),
        _ => part(data),
    }
}

fn part(data: &Data) -> String {
    let joined = |parts: Vec<String>, between: &str| parts.join(between);
    match data {
        Data::Null => "null".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Number(text) => text.clone(),
        Data::Text(text) => word(text),
        Data::List(items) => joined(items.iter().map(nested).collect(), " "),
        Data::Map(pairs) => joined(
            pairs.iter().map(|(key, value)| format!("{}: {}", word(key), nested(value))).collect(),
            ", ",
        ),
    }
}

fn nested(data: &Data) -> String {
    match data {
        Data::List(_) => format!("[{}]", part(data)),
        Data::Map(_) => format!("{{{}}}", part(data)),
        _ => part(data),
    }
}

/// A word as it is, or in quotation marks when it could be read as more than one, or as another value.
fn word(text: &str) -> String {
    let is_plain = |one: char| !one.is_whitespace() && !one.is_control() && !"\"\\,:[]{}".contains(one);
    let is_value = matches!(text, "null" | "true" | "false") || text.parse::<f64>().is_ok();
    let is_address = text.contains("://") && !text.contains(['"', '\\', ' ', ',']);
    if !text.is_empty() && !is_value && (is_address || text.chars().all(is_plain)) {
        return text.to_owned();
    }
    format!("{text:?}")
}
