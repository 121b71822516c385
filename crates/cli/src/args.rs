//! The command line.

mod assistant;
mod audit;
mod examples;
mod memory;
mod publish;
mod registry;
mod serve;
mod sign;
mod source;
mod starter;
mod team;
mod turn;
mod update;
mod work;

pub use assistant::{AskArgs, AssistantArgs, ChatArgs, EffortWord, ModeWord, RunArgs};
pub use audit::{AuditArgs, Weight};
pub(crate) use examples::examples;
#[cfg(test)]
pub(crate) use examples::named as named_examples;
pub(crate) use memory::LISTED;
pub use memory::{CurateArgs, ReviewArgs, ReviewCommand, RmArgs, SessionsArgs, SessionsCommand};
pub use publish::PublishArgs;
pub use registry::{AddArgs, RemoveArgs, SyncArgs, VerifyArgs, WhereArgs};
pub use serve::{ServeArgs, ServeCommand};
pub use sign::{KeysArgs, KeysCommand, SignArgs, SignCommand};
pub use source::{SourceArgs, SourceCommand};
pub use starter::{StarterArgs, StarterCommand, StarterInstallArgs, TourArgs};
pub use team::{LoginArgs, LogoutArgs, PushArgs};
pub use turn::{Counter, EvalArgs, ExplainArgs, MenuArgs, RoomArgs, SearchArgs, TurnArgs};
pub use update::{CleanArgs, DiffArgs, KeepWord, UpdateArgs};
pub use work::{
    ExecArgs, InstallServerArgs, McpArgs, McpCommand, ProxyArgs, SecretArgs, SecretCommand, ServerArgs,
    ToolsArgs, UseArgs, WorkArgs,
};

use crate::output::ColorWhen;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Finds, checks, installs and runs the skills of every AI agent.
#[derive(Debug, Parser)]
#[command(name = "skillful", version, max_term_width = 100, override_help = include_str!("args/help.txt"))]
#[command(propagate_version = true)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// The command; without one, the overview is printed.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Every command")]
pub struct Global {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Act as if started in this folder
    #[arg(short = 'C', long, global = true, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub directory: Option<PathBuf>,
    /// Colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorWhen,
    /// Search one more folder, absolute (repeatable); its skills need trust
    #[arg(long, global = true, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub root: Vec<PathBuf>,
    /// Trust this repository and what --root or a path names, for this call
    #[arg(long, global = true)]
    pub trust_project: bool,
    /// Also skills of folders around this file (repeatable)
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub touch: Vec<PathBuf>,
    /// Do not read or write the cache
    #[arg(long, global = true)]
    pub no_cache: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask a model with your skills; without a model, show which skills match
    Ask(AskArgs),
    /// Hold a session with a model that uses your skills and tools
    Chat(ChatArgs),
    /// Let a model carry out one skill
    Run(RunArgs),
    /// Find skills by task, here and in sources
    Search(SearchArgs),
    /// Print a skill as a model reads it, companions included
    Use(UseArgs),
    /// Run a program of a skill in a sandbox
    Exec(ExecArgs),
    /// Serve skills to any agent over the Model Context Protocol
    Mcp(McpArgs),
    /// Run a server that shares, reviews and pins the skills of a team
    Serve(ServeArgs),
    /// Sign in to a team server; its skills become a source
    Login(LoginArgs),
    /// Sign out of a team server, and revoke the token
    Logout(LogoutArgs),
    /// Run programs of skills with their secrets, for an agent that does not get them
    Proxy(ProxyArgs),
    /// Store secrets for the programs of skills, encrypted
    Secret(SecretArgs),
    /// List the skills of every agent, with their state
    List(ListArgs),
    /// Show one skill: state, agents, capabilities, files, problems
    Show(ShowArgs),
    /// Browse, enable, trust, review and update skills in a full-screen view
    Ui(UiArgs),
    /// Check skills and report every problem with its line and its fix
    Check(CheckArgs),
    /// Report what skills can do to you: findings with file and line, and capabilities
    Audit(AuditArgs),
    /// Create a new skill, ready to be edited; with a description it passes every check
    New(NewArgs),
    /// Rewrite frontmatter in canonical form
    Fmt(FmtArgs),
    /// Serve editors over the Language Server Protocol: problems, fixes, completion, hover
    Lsp(LspArgs),
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
    /// Write a skill as one file: SKILL.md, a reproducible .zip or .tar.gz
    Export(ExportArgs),
    /// Write skills as a registry into a folder that any web server can serve
    Publish(PublishArgs),
    /// Send skills to the Skills API of a model vendor or a team server
    Push(PushArgs),
    /// Manage the sources that skills are installed from, and list what they offer
    Source(SourceArgs),
    /// List the starter skills, or install them for an agent
    Starter(StarterArgs),
    /// Show everything in one minute, in a temporary folder
    Tour(TourArgs),
    /// Show what one agent loads from this folder, and why not the rest
    View(ViewArgs),
    /// Show which skills are selected for a message, and why
    Explain(ExplainArgs),
    /// Print the menu that a model reads
    Menu(MenuArgs),
    /// List the supported agents, or the folders that are searched for skills
    Agents(AgentsArgs),
    /// Enable a skill
    Enable(SwitchArgs),
    /// Disable a skill
    Disable(SwitchArgs),
    /// List, show and delete sessions
    Sessions(SessionsArgs),
    /// Approve or reject pending, changed and proposed skills
    Review(ReviewArgs),
    /// Measure which requests select which skill
    Eval(EvalArgs),
    /// Trust the skills of a repository, after seeing what they can do
    Trust(TrustArgs),
    /// Stop trusting the skills of a repository
    Untrust(UntrustArgs),
    /// Report problems of this machine, or what one skill needs
    Doctor(DoctorArgs),
    /// Show which sandboxes work on this machine, and how limits are enforced
    Sandbox,
    /// Show every setting in effect and where it comes from; get, set or edit one
    Config(ConfigArgs),
    /// Print shell completions, or write manual pages
    Completions(CompletionsArgs),
}

/// `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only skills whose name or description contains this text
    pub filter: Option<String>,
    /// Only this scope: project, user, custom, managed, plugin, integration, system
    #[arg(long, help_heading = "Which skills")]
    pub scope: Option<String>,
    /// Only this state: available, unavailable, shadowed, invalid, disabled, untrusted, pending
    #[arg(long, help_heading = "Which skills")]
    pub state: Option<String>,
    /// Only skills that this agent loads
    #[arg(long, value_name = "AGENT", help_heading = "Which skills")]
    pub agent: Option<String>,
    /// Only skills that this agent misses: another agent found here loads them
    #[arg(long, value_name = "AGENT", help_heading = "Which skills")]
    pub missing_in: Option<String>,
    /// Only skills that were installed from this source: a label, or a source as `show` prints it
    #[arg(long, help_heading = "Which skills")]
    pub source: Option<String>,
    /// Print names only, one per line
    #[arg(long, help_heading = "Output")]
    pub names: bool,
    /// Print skills as they are added, changed and removed
    #[arg(long, help_heading = "Output")]
    pub watch: bool,
    /// With --watch: stop after this many seconds
    #[arg(long = "for", value_name = "SECONDS", requires = "watch", help_heading = "Output")]
    pub seconds: Option<u64>,
}

/// `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Name, qualified name (`plugin:skill`, `user:skill`) or path
    pub skill: String,
    /// Print the instructions only
    #[arg(long, help_heading = "Output")]
    pub body: bool,
    /// Show its variables, where their values come from, and which are missing
    #[arg(long, conflicts_with = "body", help_heading = "Output")]
    pub variables: bool,
}

/// `ui`.
#[derive(Debug, Args)]
pub struct UiArgs {
    /// Leave the mouse to the terminal
    #[arg(long, help_heading = "How")]
    pub no_mouse: bool,
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Skills, or folders to search for skills; every skill found here and every SKILL.md below this folder when none
    /// is given
    #[arg(value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// The rules: `lenient` or `spec`
    #[arg(long, short, default_value = "lenient", help_heading = "Rules")]
    pub profile: String,
    /// Also report what this agent refuses
    #[arg(long, value_name = "AGENT", help_heading = "Rules")]
    pub agent: Option<String>,
    /// Leave out findings of this code (repeatable)
    #[arg(long, value_name = "CODE", help_heading = "Rules")]
    pub ignore: Vec<String>,
    /// How to print findings
    #[arg(long, value_enum, default_value = "text", help_heading = "Output")]
    pub format: Format,
    /// Print the table of codes alone
    #[arg(long, help_heading = "Output")]
    pub summary: bool,
    /// Lowest severity that makes the exit code 1
    #[arg(long, value_enum, default_value = "warning", help_heading = "Output")]
    pub fail_on: FailOn,
    /// Write repairs that do not change what a skill means, after showing the difference
    #[arg(long, conflicts_with_all = ["format", "summary", "ignore"], help_heading = "Fix")]
    pub fix: bool,
    /// With --fix: also repairs that change a name or a text
    #[arg(long, requires = "fix", help_heading = "Fix")]
    pub all: bool,
    /// With --fix: write without a question
    #[arg(long, short, requires = "fix", help_heading = "Fix")]
    pub yes: bool,
    /// With --fix: print the difference and stop
    #[arg(long, requires = "fix", conflicts_with = "yes", help_heading = "Fix")]
    pub dry_run: bool,
}

/// Arguments of `lsp`.
#[derive(Debug, Args)]
pub struct LspArgs {
    /// The rules: `lenient` or `spec`
    #[arg(long, short, default_value = "lenient", help_heading = "Rules")]
    pub profile: String,
    /// Also report what this agent refuses
    #[arg(long, value_name = "AGENT", help_heading = "Rules")]
    pub agent: Option<String>,
    /// Accepted and ignored: the server always uses standard input and output
    #[arg(long, hide = true, help_heading = "Rules")]
    pub stdio: bool,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text with the source line
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
    #[arg(long, short, help_heading = "What")]
    pub description: Option<String>,
    /// Folder to create it in [default: .agents/skills of the repository, which most agents read]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = "Where")]
    pub to: Option<PathBuf>,
    /// Create it in ~/.agents/skills, for every project
    #[arg(long, conflicts_with = "to", help_heading = "Where")]
    pub user: bool,
    /// Create it where this agent reads it, and apply the agent's limits
    #[arg(long, value_name = "AGENT", help_heading = "What")]
    pub agent: Option<String>,
}

/// `fmt`.
#[derive(Debug, Args)]
pub struct FmtArgs {
    /// Skills, or folders to search for skills; the working folder when none is given
    #[arg(value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Change nothing; list the files that would change and exit with 1
    #[arg(long, help_heading = "How")]
    pub check: bool,
}

/// `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Name, qualified name or path
    pub skill: String,
    /// File to write: .md, .zip, .skill or .tar.gz; `-` for standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Where")]
    pub output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long, help_heading = "Where")]
    pub force: bool,
}

/// `agents`.
#[derive(Debug, Args)]
pub struct AgentsArgs {
    /// List the folders that are searched here, in order of precedence
    #[arg(long, help_heading = "Output")]
    pub folders: bool,
    /// With --folders: also folders that do not exist
    #[arg(long, short, requires = "folders", help_heading = "Output")]
    pub all: bool,
}

/// `view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// The agent: `codex`, `claude-code`, `opencode`, … (see `skillful agents`)
    #[arg(long, value_name = "AGENT", required_unless_present = "undo", help_heading = "Which agent")]
    pub agent: Option<String>,
    /// Show only the skills that the agent does not load
    #[arg(long, help_heading = "Output")]
    pub unseen: bool,
    /// One skill per line, with its description
    #[arg(long, help_heading = "Output")]
    pub long: bool,
    /// Link the skills that another agent loads and this one misses, after showing the plan
    #[arg(long, conflicts_with_all = ["unseen", "long"], help_heading = "Fix")]
    pub fix: bool,
    /// With --fix: copy instead of linking
    #[arg(long, requires = "fix", help_heading = "Fix")]
    pub copy: bool,
    /// With --fix: apply the plan without a question
    #[arg(long, short, requires = "fix", help_heading = "Fix")]
    pub yes: bool,
    /// With --fix: print the plan and stop
    #[arg(long, requires = "fix", conflicts_with = "yes", help_heading = "Fix")]
    pub dry_run: bool,
    /// Remove what a --fix linked, by the word that it printed
    #[arg(long, value_name = "WORD", conflicts_with_all = ["agent", "fix"], help_heading = "Fix")]
    pub undo: Option<String>,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only this skill: what it needs, and what is missing
    pub skill: Option<String>,
    /// Only what this agent loads
    #[arg(long, value_name = "AGENT", help_heading = "Which skills")]
    pub agent: Option<String>,
}

/// `enable` and `disable`.
#[derive(Debug, Args)]
pub struct SwitchArgs {
    /// Names, qualified names or paths
    #[arg(required = true)]
    pub skills: Vec<String>,
    /// In the repository's configuration instead of your own; enable removes its rule
    #[arg(long, help_heading = "Where")]
    pub project: bool,
    /// Every skill of that name, also future ones
    #[arg(long, help_heading = "Which skills")]
    pub all: bool,
    /// In the settings of this agent instead of Skillful's
    #[arg(long, value_name = "AGENT", conflicts_with_all = ["project", "all"], help_heading = "Where")]
    pub agent: Option<String>,
}

/// `trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// A repository, a folder of skills, or one skill [default: the repository around the working folder]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub folder: Option<PathBuf>,
    /// Trust without a question; skills with blocking findings stay untrusted
    #[arg(long, short, help_heading = "How")]
    pub yes: bool,
    /// You write these skills: changed text needs no new answer; changed code, names and capabilities do
    #[arg(long, conflicts_with = "list", help_heading = "How")]
    pub own: bool,
    /// List trusted folders
    #[arg(long, conflicts_with_all = ["folder", "yes"], help_heading = "How")]
    pub list: bool,
}

/// `untrust`.
#[derive(Debug, Args)]
pub struct UntrustArgs {
    /// A trusted folder, or one skill of it [default: the repository around the working folder]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub folder: Option<PathBuf>,
}

/// `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// The subcommand
    #[command(subcommand)]
    pub command: Option<ConfigCommand>,
}

/// Subcommands of `config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the value of a setting, or of all settings below a key
    Get {
        /// The key, such as `system` or `run.commands`
        key: String,
    },
    /// Set a setting in your configuration file; comments are kept
    Set {
        /// The key, such as `system` or `run.commands`
        key: String,
        /// The value as TOML; a word that is not TOML is text
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Remove a setting from your configuration file, so that its default counts
    Unset {
        /// The key
        key: String,
    },
    /// Open your configuration file in `$VISUAL` or `$EDITOR`
    Edit,
}

/// `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(required_unless_present = "man")]
    pub shell: Option<clap_complete::Shell>,
    /// Write manual pages into this folder instead
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with = "shell", help_heading = "Where")]
    pub man: Option<PathBuf>,
}
