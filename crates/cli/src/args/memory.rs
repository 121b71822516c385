//! Arguments of the commands about what is remembered: sessions, and skills that models wrote.

use clap::{ArgGroup, Args, Subcommand};

/// Sessions that are listed when nobody says how many.
pub(crate) const LISTED: usize = 50;

const REVIEW_HELP: &str = "\
What waits: skills that came from another machine or have blocking findings (`skillful add`), installed skills \
whose files changed since you approved them, and skills that the assistant proposed. None of them is used before \
you approve it.
Approving installs a pending skill, records the edits of an installed one in skillful.lock, and moves a proposed one \
to your own skills ($SKILLFUL_HOME/skills, else ~/.skillful/skills). Rejecting forgets a pending one and archives a \
proposed one.
`project:NAME`, `user:NAME` and `proposed:NAME` tell apart skills that share a name.

`--unused` looks at skills that the assistant wrote and you approved. One that was not used for 30 days is stale, \
after 90 days it is moved to the archive; nothing is deleted. Any use counts, and pinned skills stay.";

/// `sessions`. Without a word it lists.
#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions of this folder, the newest first
    #[command(visible_alias = "ls")]
    List {
        /// Of every folder
        #[arg(long, short)]
        all: bool,
        /// At most as many
        #[arg(long, value_name = "COUNT", default_value_t = LISTED)]
        limit: usize,
    },
    /// Show what was said in a session, which tools were called and which skills loaded
    Show {
        /// The id, or the beginning of it
        session: String,
    },
    /// Forget sessions, with all that was said in them
    Rm(RmArgs),
}

/// `sessions rm`.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").required(true).multiple(true).args(["sessions", "older_than"])))]
pub struct RmArgs {
    /// The ids, or the beginnings of them
    #[arg(value_name = "SESSION", conflicts_with = "older_than")]
    pub sessions: Vec<String>,
    /// Those of this folder to which nothing was added for so many days
    #[arg(long, value_name = "DAYS")]
    pub older_than: Option<u32>,
    /// Those of every folder
    #[arg(long, short, requires = "older_than")]
    pub all: bool,
}

/// `review`.
#[derive(Debug, Args)]
#[command(after_help = REVIEW_HELP, args_conflicts_with_subcommands = true)]
pub struct ReviewArgs {
    /// The answers.
    #[command(subcommand)]
    pub command: Option<ReviewCommand>,
    /// Show this one with its files, and ask
    pub skill: Option<String>,
    /// Archive approved skills of the assistant that are not used
    #[arg(long, conflicts_with = "skill")]
    pub unused: bool,
    /// What is done about unused skills.
    #[command(flatten)]
    pub curate: CurateArgs,
}

/// The answers to a review.
#[derive(Debug, Subcommand)]
pub enum ReviewCommand {
    /// Approve skills without being asked; an installed one as it is now, with your edits
    Approve {
        /// Names, qualified names (`project:NAME`) or folders
        #[arg(required = true, value_name = "NAME")]
        skills: Vec<String>,
        /// Only exactly these files
        #[arg(long, value_name = "SHA256")]
        digest: Option<String>,
        /// Approve also what has blocking findings
        #[arg(long)]
        despite_findings: bool,
    },
    /// Reject skills without being asked
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
    /// Only say what would be done
    #[arg(long, requires = "unused")]
    pub dry_run: bool,
    /// Only if nobody did so within a day, for scripts that run often
    #[arg(long, requires = "unused")]
    pub daily: bool,
    /// Keep a skill, used or not
    #[arg(long, requires = "unused", value_name = "NAME")]
    pub pin: Option<String>,
    /// No longer keep a skill that is not used
    #[arg(long, requires = "unused", value_name = "NAME")]
    pub unpin: Option<String>,
    /// Bring a skill back from the archive
    #[arg(long, requires = "unused", value_name = "NAME")]
    pub restore: Option<String>,
}
