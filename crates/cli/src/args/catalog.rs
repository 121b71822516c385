//! Arguments of `catalog`.

use clap::{Args, Subcommand};

const CATALOG_HELP: &str = "\
A catalog is any source that `add` takes; its label is yours. They are kept in catalogs.toml beside config.toml, \
which you may edit: `enabled = false` leaves one out, `hosts = [\"cdn.example.org\"]` lets indexes lead to that \
host, and `loopback = true` allows plain http to this machine.";

/// `catalog`. Without a word it lists.
#[derive(Debug, Args)]
#[command(after_help = CATALOG_HELP)]
pub struct CatalogArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<CatalogCommand>,
}

/// What can be done with catalogs.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// List your catalogs; nobody is asked
    #[command(visible_alias = "ls")]
    List,
    /// Add a catalog
    Add {
        /// What you call it: small letters, digits, `-` and `_`
        label: String,
        /// A source, as `skillful add` takes it
        source: String,
        /// It is a registry, with versions: `registry:NAME` looks there, too
        #[arg(long)]
        registry: bool,
    },
    /// Remove a catalog from the list; what was installed from it stays
    #[command(visible_alias = "remove")]
    Rm {
        /// Its label
        label: String,
    },
    /// Show what catalogs offer, what of it is installed, and what has an update
    Browse {
        /// Only this one
        label: Option<String>,
        /// Ask again, whatever is remembered
        #[arg(long)]
        refresh: bool,
    },
}
