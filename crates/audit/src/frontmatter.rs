//! Audits the declarations in the frontmatter: hooks, servers, tools, names, commands before
//! reading.

use crate::{
    flow::{Flow, Origin},
    hosts,
    purpose::{self, Purpose},
    report::{Capabilities, Severity},
    rule::Rule,
    server, shell,
};
use skillful_format::{Data, Document, Soundness, Span, ToolGrant};
use std::sync::Arc;

/// A finding in the frontmatter, at a span of the file.
pub(crate) struct Declared {
    pub(crate) rule: Rule,
    pub(crate) severity: Severity,
    pub(crate) span: Option<Span>,
    pub(crate) evidence: String,
}

/// Judges the frontmatter and adds the declared capabilities.
pub(crate) fn look(
    document: &Document,
    purpose: &Arc<Purpose>,
    capabilities: &mut Capabilities,
) -> Vec<Declared> {
    let mut found = Vec::new();
    let manifest = &document.manifest;
    if document.soundness == Soundness::Broken {
        let worst = document.diagnostics.iter().max_by_key(|diagnostic| diagnostic.severity);
        let evidence = worst.map_or_else(String::new, |worst| worst.message.clone());
        let span = worst.and_then(|worst| worst.span);
        found.push(Declared { rule: Rule::BrokenFrontmatter, severity: Severity::Warn, span, evidence });
    }
    if let Some(name) = &manifest.name
        && (name.contains(['/', '\\', '\0'])
            || name.contains("..")
            || name.starts_with('.')
            || name.starts_with('~'))
    {
        // Some registries write names as `plugin:skill` and `owner/skill`; `..` is not allowed.
        let climbs = name.contains("..") || name.starts_with(['/', '.', '~', '\\']) || name.contains(":\\");
        let severity = if climbs { Severity::Block } else { Severity::Warn };
        found.push(Declared {
            rule: Rule::PathName,
            severity,
            span: document.value_span("name"),
            evidence: name.clone(),
        });
    }
    for grant in manifest.allowed_tools.iter().flatten() {
        Capabilities::add(&mut capabilities.tools, grant.to_string());
        if is_wide(grant) {
            let span = document.value_span("allowed-tools");
            found.push(Declared {
                rule: Rule::WideGrant,
                severity: Severity::Warn,
                span,
                evidence: grant.to_string(),
            });
        }
    }
    if let Some(hooks) = &manifest.hooks {
        let span = document.value_span("hooks");
        for command in commands(hooks) {
            declared(&mut found, purpose, Rule::HookRuns, &command, span);
            Capabilities::add(&mut capabilities.hooks, command);
        }
    }
    if let Some(server) = &manifest.mcp {
        let span = document.value_span("mcp");
        let mut line = server.command.clone().unwrap_or_default();
        for argument in &server.args {
            line.push(' ');
            line.push_str(&quoted(argument));
        }
        if !line.trim().is_empty() {
            declared(&mut found, purpose, Rule::ServerRuns, &line, span);
            Capabilities::add(&mut capabilities.servers, line);
        }
        if let Some(url) = &server.url {
            let beside: Vec<&Data> = server.rest.iter().map(|(_, data)| data).collect();
            server::keys(url, &beside, purpose, span, &mut found);
            Capabilities::add(&mut capabilities.servers, url.clone());
        }
        for (name, _) in &server.env {
            Capabilities::add(&mut capabilities.environment, name.clone());
        }
    }
    // Other agents declare servers below other keys.
    for (key, data) in &manifest.extra {
        if matches!(key.as_str(), "mcpServers" | "mcp_servers" | "mcp-servers" | "servers") {
            servers(data, purpose, &mut found, capabilities);
        }
    }
    for (_, data) in manifest.extra.iter().chain(&manifest.metadata) {
        for command in tool_commands(data, 0) {
            // Commands that tools of another kind run for the skill, if they download and run
            // something.
            let mut flow = Flow::new(Origin::Block, purpose);
            shell::read(&command, &mut flow);
            let worst = flow.hits.iter().map(|hit| hit.severity).max();
            if worst == Some(Severity::Block) {
                found.push(Declared {
                    rule: Rule::HookRuns,
                    severity: Severity::Block,
                    span: None,
                    evidence: command.clone(),
                });
                Capabilities::add(&mut capabilities.hooks, command);
            }
        }
    }
    for tool in &document.sidecar.tools {
        if let Some(command) = &tool.command {
            declared(&mut found, purpose, Rule::ServerRuns, command, None);
            Capabilities::add(&mut capabilities.servers, command.clone());
        }
        if let Some(url) = &tool.url {
            server::keys(url, &[], purpose, None, &mut found);
            Capabilities::add(&mut capabilities.servers, url.clone());
        }
    }
    if let Some(permissions) = &document.sidecar.permissions {
        server::permissions(permissions, &mut found);
    }
    for name in manifest.requires.env.iter().chain(manifest.env.iter().map(|spec| &spec.var)) {
        Capabilities::add(&mut capabilities.environment, name.clone());
    }
    for (name, _) in &manifest.vars {
        Capabilities::add(&mut capabilities.environment, name.clone());
    }
    for program in manifest.requires.binary.iter().flatten() {
        Capabilities::add(&mut capabilities.programs, program.clone());
    }
    found
}

/// Reads servers by name, as `.mcp.json` and settings of agents list them.
pub(crate) fn servers(
    data: &Data,
    purpose: &Arc<Purpose>,
    found: &mut Vec<Declared>,
    capabilities: &mut Capabilities,
) {
    let Data::Map(pairs) = data else { return };
    for (_, server) in pairs {
        let text = |key: &str| match server.get(key) {
            Some(Data::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let mut line = text("command").unwrap_or_default();
        if let Some(Data::List(arguments)) = server.get("args") {
            for argument in arguments {
                if let Data::Text(argument) = argument {
                    line.push(' ');
                    line.push_str(&quoted(argument));
                }
            }
        }
        if !line.trim().is_empty() {
            declared(found, purpose, Rule::ServerRuns, &line, None);
            Capabilities::add(&mut capabilities.servers, line);
        }
        server::written(server, purpose, found);
        if let Some(url) = text("url") {
            Capabilities::add(&mut capabilities.servers, url);
        }
        if let Some(Data::Map(environment)) = server.get("env") {
            for (name, _) in environment {
                Capabilities::add(&mut capabilities.environment, name.clone());
            }
        }
    }
}

/// Judges a command that runs automatically: the finding has the severity of the worst action.
pub(crate) fn declared(
    found: &mut Vec<Declared>,
    purpose: &Arc<Purpose>,
    rule: Rule,
    command: &str,
    span: Option<Span>,
) {
    let mut flow = Flow::new(Origin::Auto, purpose);
    shell::read(command, &mut flow);
    let mut severity = if rule == Rule::HookRuns { Severity::Warn } else { Severity::Note };
    for hit in &flow.hits {
        // An unknown package that a hook fetches anew runs without a question at every event.
        let fetched = rule == Rule::HookRuns && hit.rule == Rule::UnknownPackage;
        severity = severity.max(if fetched { Severity::Block } else { hit.severity });
        if hit.rule == Rule::Unpinned {
            found.push(Declared {
                rule: hit.rule,
                severity: hit.severity,
                span,
                evidence: command.to_owned(),
            });
        }
    }
    // A hook gets what the user and the agent said; a server that receives it reads every session.
    if rule == Rule::HookRuns && passes_on(command) {
        severity = Severity::Block;
    }
    found.push(Declared {
        rule,
        severity: severity.min(rule.severity()),
        span,
        evidence: command.to_owned(),
    });
}

/// Whether a command sends its input to a host that is neither this machine nor an example.
fn passes_on(command: &str) -> bool {
    const INPUT: [&str; 12] = [
        "-d @-",
        "--data @-",
        "--data-binary @-",
        "--data-raw @-",
        "-d@-",
        "=@-",
        "-T -",
        "-T-",
        "--upload-file -",
        "--post-file=-",
        "$(cat)",
        "`cat`",
    ];
    INPUT.iter().any(|way| command.contains(way))
        && hosts::addresses(command).iter().any(|address| {
            address.kind != hosts::HostKind::Local
                && !purpose::is_example(&address.host)
                && !purpose::is_placeholder(&address.host)
        })
}

fn quoted(argument: &str) -> String {
    if argument.contains([' ', '|', ';', '&', '$', '>', '<', '(', '*']) {
        skillful_shell::typed::quote(argument)
    } else {
        argument.to_owned()
    }
}

/// Whether a grant allows every command.
fn is_wide(grant: &ToolGrant) -> bool {
    let shell = matches!(
        grant.name.to_ascii_lowercase().as_str(),
        "bash" | "shell" | "execute" | "terminal" | "run_shell_command"
    );
    let pattern = grant.pattern.as_deref().map(str::trim);
    (grant.name == "*")
        || (shell
            && matches!(
                pattern,
                Some("*" | ":*" | "*:*" | "**" | "" | "sh:*" | "bash:*" | "sudo:*" | "eval:*")
            ))
}

/// Commands that other tools run for the skill, by the usual names of their keys.
fn tool_commands(data: &Data, depth: usize) -> Vec<String> {
    const KEYS: [&str; 9] =
        ["command", "cmd", "run", "script", "shell", "exec", "setup", "install", "postinstall"];
    match data {
        Data::Map(pairs) if depth < 8 => pairs
            .iter()
            .flat_map(|(key, value)| match value {
                Data::Text(command) if KEYS.contains(&key.as_str()) => vec![command.clone()],
                _ => tool_commands(value, depth + 1),
            })
            .collect(),
        Data::List(items) if depth < 8 => {
            items.iter().flat_map(|item| tool_commands(item, depth + 1)).collect()
        }
        _ => Vec::new(),
    }
}

/// Every command anywhere in hooks.
pub(crate) fn commands(data: &Data) -> Vec<String> {
    match data {
        Data::Map(pairs) => pairs
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                ("command" | "run" | "bash" | "script", Data::Text(command)) => vec![command.clone()],
                ("command", Data::List(words)) => {
                    let words: Vec<&str> = words
                        .iter()
                        .filter_map(
                            |word| if let Data::Text(word) = word { Some(word.as_str()) } else { None },
                        )
                        .collect();
                    vec![words.join(" ")]
                }
                _ => commands(value),
            })
            .collect(),
        Data::List(items) => items.iter().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}
