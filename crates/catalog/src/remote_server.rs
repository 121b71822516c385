//! The server on the network that a skill connects to: its address, and the variables that it receives.

use skillful_format::{Data, Manifest, manifest::McpServer};
use std::collections::BTreeSet;

/// A server on the network, as its user is asked about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteServer {
    /// Its address. Secrets in it stand as `${NAME}`.
    pub address: String,
    /// The variables that it receives, in its address or with its requests.
    pub variables: BTreeSet<String>,
}

impl RemoteServer {
    /// The server of a frontmatter, as its author wrote it; none when it starts a process or has no server.
    pub fn written(manifest: &Manifest) -> Option<Self> {
        let server = manifest.mcp.as_ref()?;
        if server.command.as_ref().is_some_and(|text| !text.trim().is_empty()) {
            return None;
        }
        let address = server.url.as_ref().map(|text| text.trim()).filter(|text| !text.is_empty())?.to_owned();
        Some(Self { variables: variables(server), address })
    }
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
