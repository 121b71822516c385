//! Judges what a skill's MCP servers receive, and what a sidecar asks to be allowed.
//!
//! A key of a service belongs to that service. A remote server of another owner that gets it, in its address or in
//! a header, gets the account.

use crate::{
    frontmatter::Declared,
    hosts,
    pattern::pattern,
    purpose::{self, Purpose},
    report::Severity,
    rule::Rule,
    sensitive,
};
use regex::Regex;
use skillful_format::{Data, Span};
use std::sync::LazyLock;

/// Levels of data that are searched.
const DEPTH: usize = 8;

/// A reference to a variable, in the notations of agents.
static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"\$\{?(?:env:|input:)?([A-Za-z_]\w{2,60})|\{(?:env:|\{\s*)([A-Za-z_]\w{2,60})|%([A-Z_]\w{2,60})%",
    )
});

/// Judges the address and the headers of a remote server.
pub(crate) fn keys(
    url: &str,
    beside: &[&Data],
    purpose: &Purpose,
    span: Option<Span>,
    found: &mut Vec<Declared>,
) {
    let addresses = hosts::addresses(url);
    let host = addresses.first().map(|address| address.host.as_str()).unwrap_or_default();
    let mut texts = vec![(url.to_owned(), true)];
    for data in beside {
        values(data, 0, &mut texts);
    }
    for (text, in_address) in texts {
        for name in names(&text) {
            if let Some(severity) = weigh(&name, host, in_address, purpose) {
                let evidence = format!("{name} is sent to {url}");
                found.push(Declared { rule: Rule::ServerKey, severity, span, evidence });
            }
        }
    }
}

/// The severity of giving a variable to the server at a host.
fn weigh(name: &str, host: &str, in_address: bool, purpose: &Purpose) -> Option<Severity> {
    let local = hosts::kind_of(host, "") == hosts::HostKind::Local;
    match () {
        () if local && !host.is_empty() => None,
        () if is_for(name, host, purpose) => None,
        () if sensitive::is_vendor_key(name) || purpose.is_of_other(name, host) => Some(Severity::Block),
        // Logs and proxies keep addresses.
        () if in_address && sensitive::is_secret_name(name) => Some(Severity::Note),
        () => None,
    }
}

/// Whether a key belongs to the owner of a host.
pub(crate) fn is_for(name: &str, host: &str, purpose: &Purpose) -> bool {
    const OWNERS: [(&str, &[&str]); 11] = [
        ("GITHUB_TOKEN", &["github", "githubcopilot", "githubusercontent", "ghcr"]),
        ("GH_TOKEN", &["github", "githubcopilot", "githubusercontent", "ghcr"]),
        ("AWS_SECRET_ACCESS_KEY", &["amazonaws", "amazon", "aws"]),
        ("AWS_SESSION_TOKEN", &["amazonaws", "amazon", "aws"]),
        ("AWS_ACCESS_KEY_ID", &["amazonaws", "amazon", "aws"]),
        ("GOOGLE_API_KEY", &["google", "googleapis"]),
        ("GEMINI_API_KEY", &["google", "googleapis", "gemini"]),
        ("HF_TOKEN", &["huggingface", "hf"]),
        ("NPM_TOKEN", &["npmjs"]),
        ("AZURE_CLIENT_SECRET", &["azure", "microsoft", "microsoftonline", "windows"]),
        ("DATABASE_URL", &[]),
    ];
    let labels: Vec<&str> = host.split('.').collect();
    let own = labels.get(labels.len().saturating_sub(2)).copied().unwrap_or_default();
    if let Some((_, owners)) = OWNERS.iter().find(|(known, _)| *known == name) {
        return owners.contains(&own);
    }
    let service = name.split('_').next().unwrap_or(name).to_ascii_lowercase();
    service.len() >= 3 && (own == service || purpose.service_of(name).is_some_and(|known| known == own))
}

/// The variables that a text names.
pub(crate) fn names(text: &str) -> Vec<String> {
    let Some(regex) = VARIABLE.as_ref().filter(|_| text.contains(['$', '{', '%'])) else { return Vec::new() };
    let found = regex.captures_iter(text).take(16);
    found
        .filter_map(|hit| (1..=3).find_map(|group| hit.get(group)))
        .map(|name| name.as_str().to_owned())
        .collect()
}

fn values(data: &Data, depth: usize, texts: &mut Vec<(String, bool)>) {
    match data {
        Data::Text(text) => texts.push((text.clone(), false)),
        Data::Map(pairs) if depth < DEPTH => {
            for (_, value) in pairs {
                values(value, depth + 1, texts);
            }
        }
        Data::List(items) if depth < DEPTH => {
            for item in items {
                values(item, depth + 1, texts);
            }
        }
        _ => {}
    }
}

/// Judges a server as settings of agents write it: its address and its headers.
pub(crate) fn written(server: &Data, purpose: &Purpose, found: &mut Vec<Declared>) {
    let url = ["url", "serverUrl", "endpoint", "httpUrl"].iter().find_map(|key| match server.get(key) {
        Some(Data::Text(url)) => Some(url.clone()),
        _ => None,
    });
    let Some(url) = url else { return };
    let headers = ["headers", "http_headers", "env_http_headers", "bearer_token_env_var", "requestInit"];
    let beside: Vec<&Data> = headers.iter().filter_map(|key| server.get(key)).collect();
    keys(&url, &beside, purpose, None, found);
}

/// Judges the permissions that a sidecar asks for.
pub(crate) fn permissions(data: &Data, found: &mut Vec<Declared>) {
    let mut asked = Vec::new();
    permitted(data, "", 0, &mut asked);
    for (key, value) in asked {
        let lower = key.to_ascii_lowercase();
        let writes = ["write", "modify", "edit", "full"].iter().any(|word| lower.contains(word));
        let path = value.trim_end_matches(['/', '*']);
        let whole =
            matches!(value.as_str(), "/" | "~" | "~/" | "*" | "/*" | "/**" | "~/**" | "$HOME" | "C:\\")
                || path.is_empty() && value.starts_with('/');
        let guarded = sensitive::is_start(&value)
            || sensitive::is_agent(&value)
            || sensitive::is_credential(&value)
            || [".ssh", ".aws", ".gnupg", ".kube", ".git"].iter().any(|name| path.ends_with(name));
        let severity = match () {
            () if writes && (whole || guarded) => Severity::Block,
            () if guarded || whole && lower.contains("read") => Severity::Warn,
            () if is_switch(&lower, &value) => Severity::Warn,
            () => continue,
        };
        let evidence = format!("permissions {key}: {value}");
        found.push(Declared { rule: Rule::Permissions, severity, span: None, evidence });
    }
}

/// Whether a permission is more than files: the network, other programs, no sandbox.
fn is_switch(key: &str, value: &str) -> bool {
    let on = matches!(
        value.to_ascii_lowercase().as_str(),
        "true" | "yes" | "all" | "full" | "*" | "allow" | "always"
    );
    on && ["network", "automation", "accessibility", "sandbox", "unsandboxed", "exec", "admin", "root"]
        .iter()
        .any(|word| key.contains(word))
}

/// The values of permissions, with the keys above them.
fn permitted(data: &Data, above: &str, depth: usize, asked: &mut Vec<(String, String)>) {
    if depth > DEPTH || asked.len() > 200 {
        return;
    }
    match data {
        Data::Map(pairs) => {
            for (key, value) in pairs {
                let key = if above.is_empty() { key.clone() } else { format!("{above}.{key}") };
                permitted(value, &key, depth + 1, asked);
            }
        }
        Data::List(items) => {
            for item in items {
                permitted(item, above, depth + 1, asked);
            }
        }
        Data::Text(text) => asked.push((above.to_owned(), text.clone())),
        other => asked.push((above.to_owned(), other.to_json().to_string())),
    }
}

/// Addresses in a data file that carry a key of another service.
pub(crate) fn in_lines(text: &str, purpose: &Purpose) -> Vec<(std::ops::Range<usize>, Severity)> {
    let mut found = Vec::new();
    for address in hosts::addresses(text) {
        // The address pattern ends before a closing brace.
        let end = text[address.range.end..].find(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
        let end = end.map_or(text.len(), |end| address.range.end + end);
        let whole = &text[address.range.start..end];
        for name in names(whole) {
            if weigh(&name, &address.host, true, purpose) == Some(Severity::Block)
                && !purpose::is_placeholder(&address.host)
            {
                found.push((address.range.start..end, Severity::Block));
            }
        }
    }
    found
}
