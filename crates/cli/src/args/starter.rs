//! Arguments of `starter` and `tour`.

use super::WhereArgs;
use clap::{Args, Subcommand};

const STARTER_HELP: &str = "\
Skillful offers these skills without an installation; `system = false` in config.toml turns them off. `starter install` \
copies them into the folders of an agent, so that the agent loads them by itself.";

/// `starter`. Without a subcommand it lists.
#[derive(Debug, Args)]
#[command(after_help = STARTER_HELP)]
pub struct StarterArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Option<StarterCommand>,
}

/// Subcommands of `starter`.
#[derive(Debug, Subcommand)]
pub enum StarterCommand {
    /// List the starter skills
    #[command(visible_alias = "ls")]
    List,
    /// Install starter skills for an agent
    Install(StarterInstallArgs),
}

/// `starter install`.
#[derive(Debug, Args)]
pub struct StarterInstallArgs {
    /// Names of starter skills [default: all]
    #[arg(value_name = "SKILL")]
    pub skills: Vec<String>,
    /// Install for this agent (repeatable; see `skillful agents`) [default: .agents/skills, which many read]
    #[arg(long, short, value_name = "AGENT", help_heading = "For whom")]
    pub agent: Vec<String>,
    /// For this project, instead of for you in every project
    #[arg(long, help_heading = "For whom")]
    pub project: bool,
    /// Apply the plan without a question
    #[arg(long, short, help_heading = "How")]
    pub yes: bool,
    /// Print the plan and stop
    #[arg(long, conflicts_with = "yes", help_heading = "How")]
    pub dry_run: bool,
}

impl StarterInstallArgs {
    /// The same as arguments of `add`.
    pub(crate) fn place(&self) -> WhereArgs {
        WhereArgs { global: !self.project, yes: self.yes, dry_run: self.dry_run }
    }
}

/// `tour`.
#[derive(Debug, Args)]
pub struct TourArgs {
    /// Go on by itself after eight seconds per step
    #[arg(long, help_heading = "How")]
    pub auto: bool,
}
