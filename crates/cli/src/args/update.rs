//! Arguments of the commands about newer versions.

use super::WhereArgs;
use clap::{Args, ValueEnum};

const UPDATE_HELP: &str = "\
Your edits are kept: the changes of the new version are merged into them, line by line. Where both changed
the same lines you are asked; `--keep` answers for all, and a version that is replaced is saved first.
`--yes` does not cover a conflict, a skill that can do more, a new finding or another signer. Name such a
skill with `--approve`, such a signer with `--signer`. A skill without an answer is not changed, and the
exit code is 1.";

/// Which version wins a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeepWord {
    /// Yours
    Mine,
    /// The new one; yours is saved first
    Theirs,
}

/// `update`.
#[derive(Debug, Args)]
#[command(after_help = UPDATE_HELP)]
pub struct UpdateArgs {
    /// Names in `skillful.lock` [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List newer versions, and change nothing
    #[arg(long, conflicts_with_all = ["approve", "keep", "signer", "yes", "dry_run"], help_heading = "How")]
    pub check: bool,
    /// Approve that this skill can do more, or has new findings (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Decisions")]
    pub approve: Vec<String>,
    /// Which version wins where you and the new version changed the same lines
    #[arg(long, value_name = "SIDE", help_heading = "Decisions")]
    pub keep: Option<KeepWord>,
    /// Refuse versions that this key did not sign, and accept it as a new signer (a name of
    /// `skillful sign keys`, a fingerprint, or `unsigned`)
    #[arg(long, value_name = "WHO", requires = "names", help_heading = "Decisions")]
    pub signer: Option<String>,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Names in `skillful.lock` [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Show what the source changed, instead of what you changed
    #[arg(long, short, help_heading = "What")]
    pub upstream: bool,
    /// Your skills, instead of those of this project
    #[arg(long, short, help_heading = "For whom")]
    pub global: bool,
}

/// `clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Remove without a question
    #[arg(long, short, help_heading = "How")]
    pub yes: bool,
    /// Print what would be removed, and change nothing
    #[arg(long, conflicts_with = "yes", help_heading = "How")]
    pub dry_run: bool,
}
