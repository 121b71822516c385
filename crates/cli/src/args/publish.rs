//! Arguments of `publish`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

const PUBLISH_HELP: &str = "\
The folder gets a reproducible archive per version, the files of a registry (index.json, skills/NAME.json) and an \
index at .well-known/agent-skills/index.json. Any server of static files can offer it; docs/registry.md says how.

A version never changes: the same files again are no change, other files need a new version. Nothing is published \
that breaks the specification, holds links, or holds a secret that the audit knows.";

/// `publish`.
#[derive(Debug, Args)]
#[command(after_help = PUBLISH_HELP, disable_version_flag = true)]
pub struct PublishArgs {
    /// Skills by name, or folders that hold some; the working folder when none is given
    #[arg(value_name = "FOLDER|NAME", value_hint = ValueHint::AnyPath)]
    pub skills: Vec<String>,
    /// The folder that a web server offers
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub to: PathBuf,
    /// The version of all of them [default: `version` of their header's `metadata`]
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// Withdraw a published version instead
    #[arg(long, value_name = "NAME@VERSION", conflicts_with_all = ["skills", "version"], requires = "why")]
    pub withdraw: Option<String>,
    /// Why it is withdrawn; whoever asks for it reads this
    #[arg(long, value_name = "TEXT", requires = "withdraw")]
    pub why: Option<String>,
    /// Only say what would be written
    #[arg(long)]
    pub dry_run: bool,
}
