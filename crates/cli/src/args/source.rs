//! Arguments of `source`.

use clap::{Args, Subcommand};

const SOURCE_HELP: &str = "\
A source is anything that `add` accepts, with a label of yours. Sources are in sources.toml beside config.toml, \
which you can edit: `enabled = false` disables one, `hosts = [\"cdn.example.org\"]` lets indexes redirect to that \
host, and `loopback = true` allows plain http to this machine.";

/// `source`. Without a subcommand it lists.
#[derive(Debug, Args)]
#[command(after_help = SOURCE_HELP)]
pub struct SourceArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Option<SourceCommand>,
}

/// Subcommands of `source`.
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// List your sources, without network
    #[command(visible_alias = "ls")]
    List,
    /// Add a source
    Add {
        /// Your name for it: lower-case letters, digits, `-` and `_`
        #[arg(required_unless_present = "defaults")]
        label: Option<String>,
        /// A source that `skillful add` accepts
        #[arg(required_unless_present = "defaults")]
        source: Option<String>,
        /// The public collections of the makers of Claude Code and Codex
        #[arg(long, conflicts_with_all = ["label", "registry"], help_heading = "What")]
        defaults: bool,
        /// The source is a registry with versions; `registry:NAME` searches it
        #[arg(long, help_heading = "What")]
        registry: bool,
    },
    /// Remove a source from the list; installed skills stay
    #[command(alias = "rm")]
    Remove {
        /// Its label
        label: String,
    },
    /// List the skills of sources, and which are installed or have an update
    Browse {
        /// Only this source
        label: Option<String>,
        /// Ask again instead of using the cached list
        #[arg(long, help_heading = "How")]
        refresh: bool,
    },
}
