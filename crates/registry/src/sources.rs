//! Where a user looks for skills: sources with a label, kept in a file that they can read and edit.
//!
//! ```toml
//! hosts = ["cdn.example.org"]     # other hosts that these may lead to
//! loopback = true                 # plain http to this machine, for tests and local servers
//!
//! [source.team]
//! source = "https://skills.example.org"
//! enabled = true
//! registry = true                 # `registry:NAME` looks here, too
//! team = true                     # a team server that the user signed in to: it gets the user's token
//! ```

mod browse;
mod cache;

pub use browse::{Browsing, Listing, OfferState, Offered, browse_all, score, state};

use crate::{
    atomic_write::AtomicWriter,
    fetch::{Registry, Web},
    source::{Source, SourceError, SourceLocation},
};
use cap_std::{ambient_authority, fs::Dir};
use secrecy::SecretString;
use serde::Deserialize;
use skillful_catalog::bounded::{self, ReadError};
use skillful_net::{NamedOrigin, Net, Reach};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};
use toml_edit::{DocumentMut, Item, Table, value};
use url::Url;

/// The file, in the folder of the configuration.
pub const SOURCES_FILE: &str = "sources.toml";
/// Public collections that a user can add at once, by label.
pub const DEFAULT_SOURCES: &[(&str, &str)] =
    &[("anthropic", "github:anthropics/skills"), ("openai", "github:openai/skills")];
/// A larger file is refused.
const LIMIT: u64 = 1 << 20;
/// Sources of one user; all are asked at once.
const SOURCES: usize = 64;
/// Characters of a label.
const LABEL: usize = 40;

/// All sources of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// By label.
    pub sources: BTreeMap<String, SourceEntry>,
    /// Other hosts that they may lead to.
    pub hosts: BTreeSet<String>,
    /// Whether this machine may be asked, with plain http.
    pub loopback: bool,
}

/// One source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceEntry {
    /// Where its skills are.
    pub source: Source,
    /// Whether it is asked.
    pub enabled: bool,
    /// Whether it is a registry, with versions.
    pub registry: bool,
    /// Whether it is a team server that the user signed in to.
    pub team: bool,
}

/// What a registry of a team server is below its address.
const TEAM_REGISTRY: &str = "/registry";

/// Why the file of sources cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SourcesError {
    /// The disk refused.
    #[error("`{}` cannot be {action}: {error}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// The error of the system.
        error: io::Error,
    },
    /// Its text is wrong. Nothing of it is used.
    #[error("`{}` cannot be used: {why}; repair it", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A label that is not allowed.
    #[error("`{0}` is not a label; use up to {LABEL} small letters, digits, `-` and `_`")]
    Label(String),
    /// It is there already.
    #[error("there is a source `{0}` already; remove it first")]
    There(String),
    /// It is not there.
    #[error("no source named `{label}`; configured: {there}")]
    Missing {
        /// What was asked for.
        label: String,
        /// What there is.
        there: String,
    },
    /// A registry is an address of the web.
    #[error("a registry is an https address of a folder, and `{0}` is not")]
    NotARegistry(String),
    /// A team server is a registry with one address.
    #[error(
        "`{0}` is not the registry of a team server; remove `team`, or sign in again with `skillful login ADDRESS`"
    )]
    NotATeam(String),
    /// The limit is reached.
    #[error("there are {SOURCES} sources, which is the limit; remove one first")]
    TooMany,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    #[serde(default)]
    source: BTreeMap<String, EntryText>,
    #[serde(default)]
    hosts: BTreeSet<String>,
    #[serde(default)]
    loopback: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryText {
    source: String,
    #[serde(default = "yes")]
    enabled: bool,
    #[serde(default)]
    registry: bool,
    #[serde(default)]
    team: bool,
}

fn yes() -> bool {
    true
}

impl Sources {
    /// Reads the file; a missing file has no sources.
    pub fn load(path: &Path) -> Result<Self, SourcesError> {
        let text = text(path)?;
        let wrong = |why: String| SourcesError::Text { path: path.to_path_buf(), why };
        let file: FileText = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if file.source.len() > SOURCES {
            return Err(SourcesError::TooMany);
        }
        let mut sources = BTreeMap::new();
        for (label, entry) in file.source {
            checked(&label).map_err(|error| wrong(error.to_string()))?;
            let source = entry.source.parse().map_err(|error| wrong(format!("source `{label}`: {error}")))?;
            let entry =
                SourceEntry { source, enabled: entry.enabled, registry: entry.registry, team: entry.team };
            entry.address().map_err(|error| wrong(format!("source `{label}`: {error}")))?;
            sources.insert(label, entry);
        }
        Ok(Self { sources, hosts: file.hosts, loopback: file.loopback })
    }

    /// Adds a source to the file, and leaves everything else in it as it is.
    pub fn add(
        &self,
        path: &Path,
        label: &str,
        entry: &SourceEntry,
        writer: &AtomicWriter,
    ) -> Result<(), SourcesError> {
        checked(label)?;
        entry.address()?;
        if self.sources.contains_key(label) {
            return Err(SourcesError::There(label.to_owned()));
        }
        if self.sources.len() >= SOURCES {
            return Err(SourcesError::TooMany);
        }
        edit(path, writer, |document| {
            let tables = document.entry("source").or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            let mut table = Table::new();
            table.insert("source", value(entry.source.to_string()));
            table.insert("enabled", value(entry.enabled));
            if entry.registry {
                table.insert("registry", value(true));
            }
            if entry.team {
                table.insert("team", value(true));
            }
            if let Some(tables) = tables.as_table_like_mut() {
                tables.insert(label, Item::Table(table));
            }
        })
    }

    /// Removes a source from the file.
    pub fn remove(&self, path: &Path, label: &str, writer: &AtomicWriter) -> Result<(), SourcesError> {
        self.get(label)?;
        edit(path, writer, |document| {
            if let Some(tables) = document.get_mut("source").and_then(Item::as_table_like_mut) {
                tables.remove(label);
            }
        })
    }

    /// One of them.
    pub fn get(&self, label: &str) -> Result<&SourceEntry, SourcesError> {
        self.sources.get(label).ok_or_else(|| {
            let there: Vec<&str> = self.sources.keys().map(String::as_str).collect();
            let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
            SourcesError::Missing { label: label.to_owned(), there }
        })
    }

    /// The team servers that are enabled: label and address.
    pub fn team_servers(&self) -> impl Iterator<Item = (&str, &str)> {
        let enabled = self.sources.iter().filter(|(_, entry)| entry.enabled);
        enabled.filter_map(|(label, entry)| Some((label.as_str(), entry.team_address()?)))
    }

    /// The way to everything that may be downloaded by these, without a token.
    pub fn web(&self) -> Web {
        self.web_with(|_| None)
    }

    /// The same with the token of each team server, by its address. A token is sent to its own server alone.
    pub fn web_with(&self, token: impl Fn(&str) -> Option<SecretString>) -> Web {
        let reach = if self.loopback { Reach::Loopback } else { Reach::Public };
        let registries = self.sources.iter().filter(|(_, entry)| entry.enabled && entry.registry);
        let registries = registries.filter_map(|(label, entry)| match &entry.source.place {
            SourceLocation::WellKnown(address) => {
                Some(Registry { label: label.clone(), address: address.clone() })
            }
            _ => None,
        });
        let origins = self
            .team_servers()
            .filter_map(|(_, address)| NamedOrigin::new(&Url::parse(address).ok()?, token(address)));
        let net = Net::with_origins(reach, self.hosts.clone(), origins.collect());
        Web { net, registries: registries.collect(), ..Web::default() }
    }
}

impl SourceEntry {
    /// The entry of a team server.
    pub fn team_server(address: &str) -> Result<Self, SourceError> {
        let source = format!("{}{TEAM_REGISTRY}", address.trim_end_matches('/')).parse()?;
        Ok(Self { source, enabled: true, registry: true, team: true })
    }

    /// The address of a team server.
    pub fn team_address(&self) -> Option<&str> {
        match &self.source.place {
            SourceLocation::WellKnown(address) if self.team => address.as_str().strip_suffix(TEAM_REGISTRY),
            _ => None,
        }
    }

    fn address(&self) -> Result<(), SourcesError> {
        if self.team && (!self.registry || self.team_address().is_none()) {
            return Err(SourcesError::NotATeam(self.source.to_string()));
        }
        if self.registry && !matches!(self.source.place, SourceLocation::WellKnown(_)) {
            return Err(SourcesError::NotARegistry(self.source.to_string()));
        }
        Ok(())
    }
}

fn checked(label: &str) -> Result<(), SourcesError> {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    let is_good =
        (1..=LABEL).contains(&label.len()) && label.bytes().all(is_plain) && !label.starts_with('-');
    if is_good { Ok(()) } else { Err(SourcesError::Label(label.to_owned())) }
}

fn text(path: &Path) -> Result<String, SourcesError> {
    let failed = |error| SourcesError::Disk { path: path.to_path_buf(), action: "read", error };
    match bounded::read_text(path, LIMIT, None) {
        Ok(text) => Ok(text),
        Err(ReadError::Missing) => Ok(String::new()),
        Err(error) => Err(failed(error.into())),
    }
}

fn edit(
    path: &Path,
    writer: &AtomicWriter,
    change: impl FnOnce(&mut DocumentMut),
) -> Result<(), SourcesError> {
    let mut document: DocumentMut = text(path)?.parse().map_err(|error: toml_edit::TomlError| {
        SourcesError::Text { path: path.to_path_buf(), why: error.to_string() }
    })?;
    change(&mut document);
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(SOURCES_FILE);
        writer.write_file(&dir, name, document.to_string().as_bytes())
    };
    write().map_err(|error| SourcesError::Disk { path: path.to_path_buf(), action: "written", error })
}
