//! Arguments of the commands about what is remembered: sessions, and skills that models wrote.

use clap::{ArgGroup, Args, Subcommand};

/// Sessions that are listed when nobody says how many.
pub(crate) const LISTED: usize = 50;

const REVIEW_HELP: &str = "\
What waits: skills that came from another machine or that an audit would block (`skillful add`), for this \
project and for you; and skills that models proposed. None of them is used before you decide.
Accepting puts an added skill where it was meant to go, and moves a proposed one to your own skills \
($SKILLFUL_HOME/skills, else ~/.skillful/skills). Rejecting forgets an added one and archives a proposed one.
`project:NAME`, `personal:NAME` and `proposed:NAME` tell apart skills that share a name.";

const CURATE_HELP: &str = "\
Only skills that a model wrote and you accepted are looked at. One that was not used for 30 days is stale, \
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
#[command(after_help = REVIEW_HELP)]
pub struct ReviewArgs {
    /// Show this one whole, and ask
    #[arg(conflicts_with_all = ["accept", "reject"])]
    pub skill: Option<String>,
    /// Accept a skill without being asked (repeatable)
    #[arg(long, value_name = "NAME")]
    pub accept: Vec<String>,
    /// Reject a skill without being asked (repeatable)
    #[arg(long, value_name = "NAME")]
    pub reject: Vec<String>,
    /// Accept also what an audit would block
    #[arg(long, requires = "accept")]
    pub despite_findings: bool,
}

/// `curate`.
#[derive(Debug, Args)]
#[command(after_help = CURATE_HELP)]
#[command(group(ArgGroup::new("one").args(["dry_run", "daily", "pin", "unpin", "restore"])))]
pub struct CurateArgs {
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Only if nobody did so within a day, for scripts that run often
    #[arg(long)]
    pub daily: bool,
    /// Keep a skill, used or not
    #[arg(long, value_name = "NAME")]
    pub pin: Option<String>,
    /// No longer keep a skill that is not used
    #[arg(long, value_name = "NAME")]
    pub unpin: Option<String>,
    /// Bring a skill back from the archive
    #[arg(long, value_name = "NAME")]
    pub restore: Option<String>,
}
