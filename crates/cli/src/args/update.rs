//! Arguments of the commands about newer versions.

use super::WhereArgs;
use clap::{Args, ValueEnum};

const UPDATE_HELP: &str = "\
What you changed stays: the new version's changes are merged into it, line by line. Where both changed the
same, you are asked; `--keep` answers for all, and what gives way is saved first.
`--yes` covers none of these: a conflict, a skill that may do more, a new finding, another signer. Name
such a skill with `--approve`, such a signer with `--signer`. Whatever is not answered stays exactly as it
is, and the exit code is 1.";

/// Whose version a conflict gets.
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
    /// Names as `skillful.lock` has them [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List what has newer versions, and change nothing
    #[arg(long, conflicts_with_all = ["approve", "keep", "signer", "yes", "dry_run"])]
    pub check: bool,
    /// Approve that this skill can do more, or has new findings (repeatable)
    #[arg(long, value_name = "NAME")]
    pub approve: Vec<String>,
    /// Whose version a file gets that you and the new version changed in the same place
    #[arg(long, value_name = "SIDE")]
    pub keep: Option<KeepWord>,
    /// Take only what this one signed, and agree to them where somebody else signed before (a name of
    /// `skillful sign keys`, a fingerprint, or `unsigned`)
    #[arg(long, value_name = "WHO", requires = "names")]
    pub signer: Option<String>,
    /// For whom and where.
    #[command(flatten)]
    pub place: WhereArgs,
}

/// `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Names as `skillful.lock` has them [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// What the source changed since, instead of what you changed
    #[arg(long, short)]
    pub upstream: bool,
    /// Of you, instead of this project
    #[arg(long, short)]
    pub global: bool,
}

/// `clean`.
#[derive(Debug, Args)]
pub struct CleanArgs {
    /// Act without asking
    #[arg(long, short)]
    pub yes: bool,
    /// Only say what would be done
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
}
