//! The command line of `audit`.

use super::Format;
use clap::{Args, ValueEnum};

/// `audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Skills by name or path, archives, or folders to search; the working folder when none is given
    pub skills: Vec<String>,
    /// How to print findings
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: Format,
    /// Lowest severity that makes the exit code 1
    #[arg(long, value_enum, default_value = "warn", help_heading = "Output")]
    pub fail_on: Weight,
    /// Let a model read the files, too: the connected one, or the named one. It can only add findings
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "", help_heading = "Model")]
    pub model: Option<String>,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Weight {
    /// Blocking findings
    Block,
    /// Blocking findings and warnings
    Warn,
    /// All findings
    Note,
}
