//! Audits configuration files of a skill: servers, hooks, commands of package managers.

use crate::{
    file::{File, Text},
    flow::{Flow, Origin},
    frontmatter, hosts, lines,
    report::Severity,
    rule::Rule,
    script, shell,
};
use skillful_format::Data;
use std::ops::Range;

/// Judges a data file.
pub(crate) fn look(file: &mut File<'_>, text: &Text<'_>) {
    if crate::kind::ending(file.path) == "ipynb" {
        notebook(file, text);
        return;
    }
    let name = file.path.rsplit('/').next().unwrap_or(file.path).to_ascii_lowercase();
    if std::path::Path::new(&name).extension().is_none_or(|ending| ending != "json") {
        return;
    }
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text.plain) else { return };
    let data = Data::from_json(&json);
    let mut found = Vec::new();
    for key in ["mcpServers", "servers", "mcp_servers"] {
        if let Some(servers) = data.get(key) {
            frontmatter::servers(servers, file.purpose, &mut found, file.capabilities);
        }
    }
    if let Some(hooks) = data.get("hooks") {
        for command in frontmatter::commands(hooks) {
            frontmatter::declared(&mut found, file.purpose, Rule::HookRuns, &command, None);
            crate::report::Capabilities::add(&mut file.capabilities.hooks, command);
        }
    }
    if name == "package.json"
        && let Some(Data::Map(scripts)) = data.get("scripts")
    {
        for (event, command) in scripts {
            if let ("preinstall" | "install" | "postinstall" | "prepare", Data::Text(command)) =
                (event.as_str(), command)
            {
                let mut flow = Flow::new(Origin::Auto, file.purpose);
                shell::read(command, &mut flow);
                // An unknown package runs without a question.
                let weigh = |hit: &crate::flow::Hit| match hit.rule {
                    Rule::UnknownPackage => Severity::Block,
                    _ => hit.severity,
                };
                let severity = flow.hits.iter().map(weigh).max().unwrap_or(Severity::Note);
                found.push(frontmatter::Declared {
                    rule: Rule::HookRuns,
                    severity,
                    span: None,
                    evidence: format!("{event}: {command}"),
                });
            }
        }
    }
    for one in found {
        file.add(one.rule, one.severity, one.span, lines::evidence(&one.evidence));
    }
}

/// Files in which package managers read where packages come from.
fn names_packages(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    matches!(
        name,
        "pom.xml"
            | "go.mod"
            | "package.json"
            | "package-lock.json"
            | "composer.json"
            | "pyproject.toml"
            | "pip.conf"
            | "pip.ini"
            | "nuget.config"
            | "gemfile"
            | "podfile"
            | "cargo.toml"
            | ".npmrc"
            | ".yarnrc"
            | ".yarnrc.yml"
            | "uv.toml"
    ) || lower.ends_with(".cargo/config.toml")
        || name.contains(".gradle")
        || name.starts_with("requirements")
}

/// The places from which packages come that no honest project uses: bare IP addresses, tunnels, paste sites.
pub(crate) fn package_sources(path: &str, text: &str) -> Vec<Range<usize>> {
    let is_cargo = text.contains("[source.") || text.contains("[registries");
    if !names_packages(path) && !is_cargo {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = hosts::addresses(&text.replace("sparse+http", "sparse http"))
        .into_iter()
        .filter(|address| address.kind.is_suspicious())
        .map(|address| address.range)
        .collect();
    // `replace module => host/path version` has no scheme.
    for (at, _) in text.match_indices("=> ") {
        let place = text[at + 3..].split(char::is_whitespace).next().unwrap_or_default();
        let host = place.split('/').next().unwrap_or_default();
        if path.ends_with("go.mod") && host.contains('.') && hosts::kind_of(host, "").is_suspicious() {
            found.push(at + 3..at + 3 + place.len());
        }
    }
    found
}

/// Judges the code of a notebook, cell by cell; its text is judged with the other data.
fn notebook(file: &mut File<'_>, text: &Text<'_>) {
    let Ok(json) = serde_json::from_str::<serde_json::Value>(text.plain) else { return };
    let mut code = String::new();
    for cell in json.get("cells").and_then(serde_json::Value::as_array).into_iter().flatten() {
        if cell.get("cell_type").and_then(serde_json::Value::as_str) != Some("code") {
            continue;
        }
        match cell.get("source") {
            Some(serde_json::Value::String(source)) => code.push_str(source),
            Some(serde_json::Value::Array(lines)) => {
                lines.iter().filter_map(serde_json::Value::as_str).for_each(|line| code.push_str(line));
            }
            _ => {}
        }
        code.push('\n');
    }
    let mut flow = Flow::new(Origin::Script, file.purpose);
    let shell: Vec<&str> = code.lines().filter_map(|line| line.trim_start().strip_prefix('!')).collect();
    for line in shell {
        shell::nested(line, &mut flow, Some(0..1), 0, &shell::Out::default());
    }
    script::nested(&code, script::Language::Python, &mut flow, 0..1);
    file.flow(text, &flow, |hit| (hit.severity, 0..1));
}
