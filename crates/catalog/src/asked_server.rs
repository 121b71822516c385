//! The MCP server of a skill, as its user is asked about it: where it is, and the variables that it receives.

use skillful_format::{Data, Manifest, manifest::McpServer};
use std::collections::BTreeSet;

/// What a process needs to find itself at home. Every server that is a process has these, without an answer.
pub const HOUSEHOLD: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CACHE_HOME"];

/// A server on the network, or a process that receives variables.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskedServer {
    /// Its address, where secrets stand as `${NAME}`; of a process the command that starts it, as it is written.
    pub address: String,
    /// The variables that it receives.
    pub variables: BTreeSet<String>,
    /// Whether it is a process.
    pub is_process: bool,
}

impl AskedServer {
    /// The server of a frontmatter, as its author wrote it; none when there is nothing to ask about.
    pub fn written(manifest: &Manifest) -> Option<Self> {
        Self::of(manifest.mcp.as_ref()?)
    }

    /// The same of any server.
    pub fn of(server: &McpServer) -> Option<Self> {
        if command(server).is_some() {
            return Self::process(server);
        }
        let address = server.url.as_ref().map(|text| text.trim()).filter(|text| !text.is_empty())?.to_owned();
        Some(Self { variables: variables(server), address, is_process: false })
    }

    /// A process that receives variables; none when it receives only what every process has.
    pub fn process(server: &McpServer) -> Option<Self> {
        let command = command(server)?;
        let texts = server.args.iter().chain(server.env.iter().map(|(_, value)| value));
        let received = texts.flat_map(|text| names(text)).filter(|name| !HOUSEHOLD.contains(name));
        let variables: BTreeSet<String> = received.map(str::to_owned).collect();
        let address = std::iter::once(command).chain(server.args.iter().map(String::as_str));
        let address = address.collect::<Vec<_>>().join(" ");
        (!variables.is_empty()).then_some(Self { address, variables, is_process: true })
    }
}

fn command(server: &McpServer) -> Option<&str> {
    server.command.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// The variables that a server on the network receives: those of its address and of what is sent with each request.
pub fn variables(server: &McpServer) -> BTreeSet<String> {
    let headers = server.rest.iter().filter(|(key, _)| key == "headers");
    let headers =
        headers.filter_map(|(_, value)| if let Data::Map(pairs) = value { Some(pairs) } else { None });
    let values = headers.flatten().filter_map(|(_, value)| match value {
        Data::Text(text) => Some(text.as_str()),
        _ => None,
    });
    server.url.as_deref().into_iter().chain(values).flat_map(names).map(str::to_owned).collect()
}

/// The name, the default and the length of the placeholder that a text starts with: `${NAME}` or `${NAME:-default}`.
pub fn placeholder(text: &str) -> Option<(&str, Option<&str>, usize)> {
    let inner = text.strip_prefix("${")?;
    let (inner, _) = inner.split_once('}')?;
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inner, None),
    };
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_name = starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, default, inner.len() + "${}".len()))
}

/// The names of the placeholders of a text.
fn names(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("${") {
        let from = &rest[at..];
        match placeholder(from) {
            Some((name, _, length)) => {
                found.push(name);
                rest = &from[length..];
            }
            None => rest = &from[2..],
        }
    }
    found
}
