//! Arguments of `source`.

use clap::{Args, Subcommand};

const SOURCE_HELP: &str = "\
A source is anything that `add` takes, under a label of yours. Sources are kept in sources.toml beside config.toml, \
which you may edit: `enabled = false` leaves one out, `hosts = [\"cdn.example.org\"]` lets indexes lead to that \
host, and `loopback = true` allows plain http to this machine.";

/// `source`. Without a subcommand it lists.
#[derive(Debug, Args)]
#[command(after_help = SOURCE_HELP)]
pub struct SourceArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<SourceCommand>,
}

/// What can be done with sources.
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// List your sources, without asking them
    #[command(visible_alias = "ls")]
    List,
    /// Add a source
    Add {
        /// What you call it: small letters, digits, `-` and `_`
        label: String,
        /// A source, as `skillful add` takes it
        source: String,
        /// It is a registry, with versions: `registry:NAME` looks there, too
        #[arg(long)]
        registry: bool,
    },
    /// Remove a source from the list; what was installed from it stays
    #[command(alias = "rm")]
    Remove {
        /// Its label
        label: String,
    },
    /// Show what sources offer, what of it is installed, and what has an update
    Browse {
        /// Only this one
        label: Option<String>,
        /// Ask again instead of using the cached list
        #[arg(long)]
        refresh: bool,
    },
}
