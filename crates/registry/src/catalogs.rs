//! Where a person looks for skills: sources with a label, kept in a file that they can read and edit.
//!
//! ```toml
//! hosts = ["cdn.example.org"]     # other hosts that these may lead to
//! loopback = true                 # plain http to this machine, for tests and local servers
//!
//! [catalog.team]
//! source = "https://skills.example.org"
//! enabled = true
//! registry = true                 # `registry:NAME` looks here, too
//! ```

mod browse;
mod cache;

pub use browse::{Browsing, Listing, Offered, State, browse_all, score, state};

use crate::{
    fetch::{Registry, Web},
    hand::Hand,
    source::{Place, Source},
};
use cap_std::{ambient_authority, fs::Dir};
use serde::Deserialize;
use skillful_net::{Net, Reach};
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read},
    path::{Path, PathBuf},
};
use toml_edit::{DocumentMut, Item, Table, value};

/// The file, in the folder of the configuration.
pub const CATALOGS_FILE: &str = "catalogs.toml";
/// A larger file is none of ours.
const LIMIT: u64 = 1 << 20;
/// Catalogs of one person; all are asked at once.
const CATALOGS: usize = 64;
/// Characters of a label.
const LABEL: usize = 40;

/// All catalogs of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogs {
    /// By label.
    pub catalogs: BTreeMap<String, CatalogSource>,
    /// Other hosts that they may lead to.
    pub hosts: BTreeSet<String>,
    /// Whether this machine may be asked, with plain http.
    pub loopback: bool,
}

/// One catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogSource {
    /// Where its skills are.
    pub source: Source,
    /// Whether it is asked.
    pub enabled: bool,
    /// Whether it is a registry, with versions.
    pub registry: bool,
}

/// Why the file of catalogs cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogsError {
    /// The disk refused.
    #[error("`{}` cannot be {action}: {error}", path.display())]
    Disk {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        action: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// Its text is wrong. Nothing of it is used.
    #[error("`{}` cannot be used: {why}; mend it", path.display())]
    Text {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A label that nobody could write again.
    #[error("`{0}` is no label; use up to {LABEL} small letters, digits, `-` and `_`")]
    Label(String),
    /// It is there already.
    #[error("there is a catalog `{0}` already; remove it first")]
    There(String),
    /// It is not there.
    #[error("there is no catalog `{label}`; there are: {there}")]
    Missing {
        /// What was asked for.
        label: String,
        /// What there is.
        there: String,
    },
    /// A registry is an address of the web.
    #[error("a registry is an https address of a folder, and `{0}` is not")]
    NotARegistry(String),
    /// More than one person reads.
    #[error("there are {CATALOGS} catalogs, which is the limit; remove one first")]
    TooMany,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    #[serde(default)]
    catalog: BTreeMap<String, EntryText>,
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
}

fn yes() -> bool {
    true
}

impl Catalogs {
    /// Reads the file; none is no catalog.
    pub fn load(path: &Path) -> Result<Self, CatalogsError> {
        let text = text(path)?;
        let wrong = |why: String| CatalogsError::Text { path: path.to_path_buf(), why };
        let file: FileText = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if file.catalog.len() > CATALOGS {
            return Err(CatalogsError::TooMany);
        }
        let mut catalogs = BTreeMap::new();
        for (label, entry) in file.catalog {
            checked(&label).map_err(|error| wrong(error.to_string()))?;
            let source =
                entry.source.parse().map_err(|error| wrong(format!("catalog `{label}`: {error}")))?;
            let catalog = CatalogSource { source, enabled: entry.enabled, registry: entry.registry };
            catalog.address().map_err(|error| wrong(format!("catalog `{label}`: {error}")))?;
            catalogs.insert(label, catalog);
        }
        Ok(Self { catalogs, hosts: file.hosts, loopback: file.loopback })
    }

    /// Adds a catalog to the file, and leaves everything else in it as it is.
    pub fn add(
        &self,
        path: &Path,
        label: &str,
        catalog: &CatalogSource,
        hand: &Hand,
    ) -> Result<(), CatalogsError> {
        checked(label)?;
        catalog.address()?;
        if self.catalogs.contains_key(label) {
            return Err(CatalogsError::There(label.to_owned()));
        }
        if self.catalogs.len() >= CATALOGS {
            return Err(CatalogsError::TooMany);
        }
        edit(path, hand, |document| {
            let tables = document.entry("catalog").or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            });
            let mut table = Table::new();
            table.insert("source", value(catalog.source.to_string()));
            table.insert("enabled", value(catalog.enabled));
            if catalog.registry {
                table.insert("registry", value(true));
            }
            if let Some(tables) = tables.as_table_like_mut() {
                tables.insert(label, Item::Table(table));
            }
        })
    }

    /// Removes a catalog from the file.
    pub fn remove(&self, path: &Path, label: &str, hand: &Hand) -> Result<(), CatalogsError> {
        self.get(label)?;
        edit(path, hand, |document| {
            if let Some(tables) = document.get_mut("catalog").and_then(Item::as_table_like_mut) {
                tables.remove(label);
            }
        })
    }

    /// One of them.
    pub fn get(&self, label: &str) -> Result<&CatalogSource, CatalogsError> {
        self.catalogs.get(label).ok_or_else(|| {
            let there: Vec<&str> = self.catalogs.keys().map(String::as_str).collect();
            let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
            CatalogsError::Missing { label: label.to_owned(), there }
        })
    }

    /// The way to everything that may be downloaded by these.
    pub fn web(&self) -> Web {
        let reach = if self.loopback { Reach::Loopback } else { Reach::Public };
        let registries = self.catalogs.iter().filter(|(_, catalog)| catalog.enabled && catalog.registry);
        let registries = registries.filter_map(|(label, catalog)| match &catalog.source.place {
            Place::WellKnown(address) => Some(Registry { label: label.clone(), address: address.clone() }),
            _ => None,
        });
        let net = Net::new(reach, self.hosts.clone());
        Web { net, registries: registries.collect(), ..Web::default() }
    }
}

impl CatalogSource {
    fn address(&self) -> Result<(), CatalogsError> {
        if self.registry && !matches!(self.source.place, Place::WellKnown(_)) {
            return Err(CatalogsError::NotARegistry(self.source.to_string()));
        }
        Ok(())
    }
}

fn checked(label: &str) -> Result<(), CatalogsError> {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    let is_good =
        (1..=LABEL).contains(&label.len()) && label.bytes().all(is_plain) && !label.starts_with('-');
    if is_good { Ok(()) } else { Err(CatalogsError::Label(label.to_owned())) }
}

fn text(path: &Path) -> Result<String, CatalogsError> {
    let failed = |error| CatalogsError::Disk { path: path.to_path_buf(), action: "read", error };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    file.take(LIMIT + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > LIMIT {
        return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large")));
    }
    Ok(text)
}

fn edit(path: &Path, hand: &Hand, change: impl FnOnce(&mut DocumentMut)) -> Result<(), CatalogsError> {
    let mut document: DocumentMut = text(path)?.parse().map_err(|error: toml_edit::TomlError| {
        CatalogsError::Text { path: path.to_path_buf(), why: error.to_string() }
    })?;
    change(&mut document);
    let write = || {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or(CATALOGS_FILE);
        hand.write_file(&dir, name, document.to_string().as_bytes())
    };
    write().map_err(|error| CatalogsError::Disk { path: path.to_path_buf(), action: "written", error })
}
