//! Arguments of `sessions` and `review`.

use clap::{ArgGroup, Args, Subcommand};

/// Default number of sessions in a list.
pub(crate) const LISTED: usize = 50;

const REVIEW_HELP: &str = "\
Pending are skills from another machine or with blocking findings (`skillful add`), installed skills \
whose files you have not approved, and skills that the assistant proposed. None of them is used before \
you approve it.
Approving installs a pending skill, records the edits of an installed one in skillful.lock, and moves a proposed one \
to your own skills ($SKILLFUL_HOME/skills, else ~/.skillful/skills). Rejecting deletes a pending one and archives a \
proposed one.
`project:NAME`, `user:NAME` and `proposed:NAME` name one of several skills with the same name.

`--unused` is about skills that the assistant wrote and you approved. One that was not used for 30 days is stale, \
after 90 days it is moved to the archive; nothing is deleted. Any use counts, and pinned skills stay.";

/// `sessions`. Without a subcommand it lists.
#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
}

/// Subcommands of `sessions`.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions of this folder, the newest first
    #[command(visible_alias = "ls")]
    List {
        /// Also those of other folders
        #[arg(long, short, help_heading = "Which sessions")]
        all: bool,
        /// Most sessions to list
        #[arg(long, value_name = "COUNT", default_value_t = LISTED, help_heading = "Which sessions")]
        limit: usize,
    },
    /// Show the messages, tool calls and skills of a session
    Show {
        /// The ID, or its beginning
        session: String,
    },
    /// Delete sessions
    #[command(alias = "remove")]
    Rm(RmArgs),
}

/// `sessions rm`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true).multiple(true).args(["sessions", "older_than"])))]
pub struct RmArgs {
    /// IDs, or their beginnings
    #[arg(value_name = "SESSION", conflicts_with = "older_than")]
    pub sessions: Vec<String>,
    /// Sessions of this folder that were not used for this many days
    #[arg(long, value_name = "DAYS", help_heading = "Which sessions")]
    pub older_than: Option<u32>,
    /// Also those of other folders
    #[arg(long, short, requires = "older_than", help_heading = "Which sessions")]
    pub all: bool,
}

/// `review`.
#[derive(Debug, Args)]
#[command(after_help = REVIEW_HELP, args_conflicts_with_subcommands = true)]
pub struct ReviewArgs {
    /// The decision.
    #[command(subcommand)]
    pub command: Option<ReviewCommand>,
    /// Show this skill with its files, and ask
    pub skill: Option<String>,
    /// Archive approved skills of the assistant that are not used
    #[arg(long, conflicts_with = "skill", help_heading = "Unused skills")]
    pub unused: bool,
    /// Options for unused skills.
    #[command(flatten)]
    pub curate: CurateArgs,
}

/// Decisions of a review.
#[derive(Debug, Subcommand)]
pub enum ReviewCommand {
    /// Approve skills without a question; an installed one as it is now, with your edits
    Approve {
        /// Names, qualified names (`project:NAME`) or folders
        #[arg(required = true, value_name = "NAME")]
        skills: Vec<String>,
        /// Only files with this digest
        #[arg(long, value_name = "SHA256", help_heading = "How")]
        digest: Option<String>,
        /// Also approve skills with blocking findings
        #[arg(long, help_heading = "How")]
        despite_findings: bool,
    },
    /// Reject skills without a question
    Reject {
        /// Names or qualified names (`project:NAME`)
        #[arg(required = true, value_name = "NAME")]
        skills: Vec<String>,
    },
}

/// Options of `review --unused`.
#[derive(Debug, Default, Args)]
#[command(group(ArgGroup::new("one").args(["dry_run", "daily", "pin", "unpin", "restore"])))]
pub struct CurateArgs {
    /// Print what would be done, and change nothing
    #[arg(long, requires = "unused", help_heading = "Unused skills")]
    pub dry_run: bool,
    /// Only if this was not done within a day, for scripts that run often
    #[arg(long, requires = "unused", help_heading = "Unused skills")]
    pub daily: bool,
    /// Never archive this skill
    #[arg(long, requires = "unused", value_name = "NAME", help_heading = "Unused skills")]
    pub pin: Option<String>,
    /// Archive this skill again when it is unused
    #[arg(long, requires = "unused", value_name = "NAME", help_heading = "Unused skills")]
    pub unpin: Option<String>,
    /// Restore a skill from the archive
    #[arg(long, requires = "unused", value_name = "NAME", help_heading = "Unused skills")]
    pub restore: Option<String>,
}
