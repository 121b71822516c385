//! The command line of `audit`.

use super::Format;
use clap::{Args, ValueEnum};

/// `audit`.
#[derive(Debug, Args)]
pub struct AuditArgs {
    /// Names of skills, skills, archives, or folders to search; the working folder when none is given
    pub skills: Vec<String>,
    /// How to print findings
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// From which weight on the exit code is 1
    #[arg(long, value_enum, default_value = "warn")]
    pub fail_on: Weight,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Weight {
    /// What an honest skill has no reason for
    Block,
    /// What is worth a look, too
    Warn,
    /// Everything
    Note,
}
