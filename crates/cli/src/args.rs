//! The command line.

mod assistant;
mod audit;
mod memory;
mod publish;
mod registry;
mod sign;
mod source;
mod turn;
mod update;
mod work;

pub use assistant::{AskArgs, AssistantArgs, ChatArgs, EffortWord, ModeWord, RunArgs};
pub use audit::{AuditArgs, Weight};
pub(crate) use memory::LISTED;
pub use memory::{CurateArgs, ReviewArgs, ReviewCommand, RmArgs, SessionsArgs, SessionsCommand};
pub use publish::PublishArgs;
pub use registry::{AddArgs, RemoveArgs, SyncArgs, VerifyArgs, WhereArgs};
pub use sign::{KeysArgs, KeysCommand, SignArgs, SignCommand};
pub use source::{SourceArgs, SourceCommand};
pub use turn::{Counter, EvalArgs, ExplainArgs, MenuArgs, RoomArgs, SearchArgs, TurnArgs};
pub use update::{CleanArgs, DiffArgs, KeepWord, UpdateArgs};
pub use work::{
    ExecArgs, McpArgs, McpCommand, ProxyArgs, SecretArgs, SecretCommand, ToolsArgs, UseArgs, WorkArgs,
};

use crate::output::ColorWhen;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// `skillful help exit-codes`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes
  0    done
  1    findings, not found, refused, or confirmation needed
  2    wrong usage
  3    something could not be inspected
  4    no sandbox works, nothing was run
  130  interrupted
  `exec` returns the code of the program.

Files
  configuration  $XDG_CONFIG_HOME/skillful/config.toml   (or $SKILLFUL_HOME/config.toml)
  repository     .skillful/config.toml                   (can disable, never enable)
  `skillful config` shows every value in effect and where it comes from.
";

/// Finds, checks, installs and runs the skills of every AI agent.
#[derive(Debug, Parser)]
#[command(name = "skillful", version, max_term_width = 100, override_help = include_str!("args/help.txt"))]
#[command(propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Act as if started in this folder
    #[arg(short = 'C', long, global = true, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub directory: Option<PathBuf>,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorWhen,
    /// Read one more folder of skills, for this call (absolute; repeatable)
    #[arg(long, global = true, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub root: Vec<PathBuf>,
    /// Count this repository as trusted, for this call
    #[arg(long, global = true)]
    pub trust_project: bool,
    /// A file being worked on: skills of folders around it join (repeatable)
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub touch: Vec<PathBuf>,
    /// Neither read nor write the cache
    #[arg(long, global = true)]
    pub no_cache: bool,
}

/// What Skillful can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask a model, with the skills that apply; without a model, say what one would read
    Ask(AskArgs),
    /// Talk with a model that uses your skills and tools
    Chat(ChatArgs),
    /// Have a model do what a skill says
    Run(RunArgs),
    /// Find skills by what you want to do
    Search(SearchArgs),
    /// Print a skill as a model that loads it would read it, companions included
    Use(UseArgs),
    /// Run a program that a skill brings, in a sandbox
    Exec(ExecArgs),
    /// Offer skills to any agent over the Model Context Protocol
    Mcp(McpArgs),
    /// Run programs of skills with their secrets, for an agent that has none
    Proxy(ProxyArgs),
    /// Keep secrets for the programs of skills, encrypted
    Secret(SecretArgs),
    /// List every skill, who shadows whom, and what is broken
    List(ListArgs),
    /// Show one skill: what it says, where it comes from, who may use it
    Show(ShowArgs),
    /// Check skills and report every problem with its line and its fix
    Check(CheckArgs),
    /// Say what skills could do to you: findings with their lines, and what they may use
    Audit(AuditArgs),
    /// Create a new skill that passes every check
    New(NewArgs),
    /// Rewrite headers in canonical form
    Fmt(FmtArgs),
    /// Install skills from a path, an archive, a git repository, a URL or a source
    Add(AddArgs),
    /// Remove what was installed
    Remove(RemoveArgs),
    /// Install exactly what skillful.lock names; --frozen for CI
    Sync(SyncArgs),
    /// Compare installed files with the lock
    Verify(VerifyArgs),
    /// Install newer versions, keep your edits; --check lists
    Update(UpdateArgs),
    /// Show what you changed in installed skills, or what their sources changed
    Diff(DiffArgs),
    /// Remove content that no lock names
    Clean(CleanArgs),
    /// Sign a skill with an SSH key, or check who signed it
    Sign(SignArgs),
    /// Write a skill as one file: SKILL.md, or a reproducible .zip or .tar.gz
    Export(ExportArgs),
    /// Write skills into a folder that any web server can offer: archives, an index, a registry
    Publish(PublishArgs),
    /// Manage sources and see what they offer
    Source(SourceArgs),
    /// Show what one agent would load from this folder, and why not the rest
    View(ViewArgs),
    /// Say which skills apply to a message, and every rule that decided
    Explain(ExplainArgs),
    /// Print the menu that a model would get
    Menu(MenuArgs),
    /// List the agents Skillful knows, or the folders that are read
    Agents(AgentsArgs),
    /// Turn a skill on
    Enable(SwitchArgs),
    /// Turn a skill off
    Disable(SwitchArgs),
    /// List, show and forget sessions
    Sessions(SessionsArgs),
    /// Approve or reject pending, changed and proposed skills
    Review(ReviewArgs),
    /// Measure how well requests find their skills
    Eval(EvalArgs),
    /// Allow the skills of a repository, after seeing what they can do
    Trust(TrustArgs),
    /// Take trust back
    Untrust(UntrustArgs),
    /// Look for trouble: configuration, roots, broken skills, catalogue sizes; or what one skill lacks
    Doctor(DoctorArgs),
    /// Say which sandboxes hold on this machine, and what keeps each limit
    Sandbox,
    /// Show every setting in effect and where it comes from
    Config,
    /// Print shell completions, or write manual pages
    Completions(CompletionsArgs),
}

/// `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only skills whose name or description holds this text
    pub filter: Option<String>,
    /// Only this scope: project, user, custom, managed, plugin, integration, system
    #[arg(long)]
    pub scope: Option<String>,
    /// Only this state: available, unavailable, shadowed, invalid, disabled, untrusted, pending
    #[arg(long)]
    pub state: Option<String>,
    /// Only skills that this agent loads
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Print names only, one a line
    #[arg(long)]
    pub names: bool,
    /// Print skills as they are added, changed and removed
    #[arg(long)]
    pub watch: bool,
    /// With --watch: stop after this many seconds
    #[arg(long = "for", value_name = "SECONDS", requires = "watch")]
    pub seconds: Option<u64>,
}

/// `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Name, qualified name (`plugin:skill`, `user:skill`) or path
    pub skill: String,
    /// Print the instructions only
    #[arg(long)]
    pub body: bool,
    /// Show the variables it declares, where their values come from, and what is missing
    #[arg(long, conflicts_with = "body")]
    pub variables: bool,
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Skills, or folders to search for skills; the working folder when none is given
    #[arg(value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// What to check against: `lenient` or `spec`
    #[arg(long, short, default_value = "lenient")]
    pub profile: String,
    /// Report also what this agent refuses
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// How to print findings
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// From which severity on the exit code is 1
    #[arg(long, value_enum, default_value = "warning")]
    pub fail_on: FailOn,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, with the source line
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

/// Which findings make the exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// Everything
    Note,
}

/// `new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    /// Name of the skill: lower-case letters, digits and hyphens
    pub name: String,
    /// What it does and when to use it
    #[arg(long, short)]
    pub description: Option<String>,
    /// Folder to create it in [default: .agents/skills of the repository]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
    /// Create it in ~/.agents/skills, for all your work
    #[arg(long, conflicts_with = "to")]
    pub user: bool,
    /// Keep to what this agent asks of new skills, too
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
}

/// `fmt`.
#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Skills, or folders to search for skills; the working folder when none is given
    #[arg(value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Change nothing; list what would change and exit with 1
    #[arg(long)]
    pub check: bool,
}

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Name, qualified name or path
    pub skill: String,
    /// File to write: .md, .zip, .skill or .tar.gz; `-` for standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Overwrite the file if it is there
    #[arg(long)]
    pub force: bool,
}

/// `agents`.
#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// List the folders that are read here instead, in order of precedence
    #[arg(long)]
    pub folders: bool,
    /// With --folders: also folders that do not exist
    #[arg(long, short, requires = "folders")]
    pub all: bool,
}

/// `view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// The agent: `codex`, `claude-code`, `opencode`, … (see `skillful agents`)
    #[arg(long, value_name = "AGENT")]
    pub agent: String,
    /// Show only what the agent does not load
    #[arg(long)]
    pub unseen: bool,
    /// One skill per line, with its description
    #[arg(long)]
    pub long: bool,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only this skill: everything it needs, and what is missing
    pub skill: Option<String>,
    /// Only what this agent loads
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
}

/// `enable` and `disable`.
#[derive(Debug, Args)]
pub struct SwitchArgs {
    /// Names, qualified names or paths
    #[arg(required = true)]
    pub skills: Vec<String>,
    /// Write the repository's configuration instead of your own (disable only)
    #[arg(long)]
    pub project: bool,
    /// Every skill of that name, now and later
    #[arg(long)]
    pub all: bool,
}

/// `trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The folder [default: the repository around the working folder]
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// List trusted folders
    #[arg(long, conflicts_with_all = ["folder", "yes"])]
    pub list: bool,
}

/// `untrust`.
#[derive(Debug, Args)]
pub struct UntrustArgs {
    /// The folder [default: the repository around the working folder]
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}

/// `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(required_unless_present = "man")]
    pub shell: Option<clap_complete::Shell>,
    /// Write manual pages into this folder instead
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with = "shell")]
    pub man: Option<PathBuf>,
}
