//! Arguments of `publish`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

const PUBLISH_HELP: &str = "\
Writes a reproducible archive per version, the files of a registry (index.json, skills/NAME.json) and an \
index at .well-known/agent-skills/index.json. Any server of static files can serve the folder; see docs/registry.md.

A version never changes: publishing the same files again does nothing, other files need a new version. Skills that \
violate the specification, contain links, or contain a secret that the audit recognises are refused.";

/// `publish`.
#[derive(Debug, Args)]
#[command(after_help = PUBLISH_HELP, disable_version_flag = true)]
pub struct PublishArgs {
    /// Skills by name, or folders to search; the working folder when none is given
    #[arg(value_name = "FOLDER|NAME", value_hint = ValueHint::AnyPath)]
    pub skills: Vec<String>,
    /// The folder that a web server serves
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = "Where")]
    pub to: PathBuf,
    /// The version of all of them [default: `metadata.version` of the frontmatter]
    #[arg(long, value_name = "VERSION", help_heading = "What")]
    pub version: Option<String>,
    /// Withdraw a published version instead
    #[arg(long, value_name = "NAME@VERSION", conflicts_with_all = ["skills", "version"], requires = "why", help_heading = "What")]
    pub withdraw: Option<String>,
    /// Why it is withdrawn; users who install it read this
    #[arg(long, value_name = "TEXT", requires = "withdraw", help_heading = "What")]
    pub why: Option<String>,
    /// Also publish this skill, which has blocking findings (repeatable)
    #[arg(long, value_name = "NAME", conflicts_with = "withdraw", help_heading = "How")]
    pub despite_findings: Vec<String>,
    /// Print what would be written, and change nothing
    #[arg(long, help_heading = "How")]
    pub dry_run: bool,
}
