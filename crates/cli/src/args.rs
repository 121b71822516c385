//! The command line.

use crate::output::ColorWhen;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0  done, nothing to report
  1  done with findings, or the thing asked for is not there
  2  the command line, or a file it names, is not usable
  4  nothing was run, since no sandbox holds on this machine

Files:
  configuration  $XDG_CONFIG_HOME/skillful/config.toml   (or $SKILLFUL_HOME/config.toml)
  repository     .skillful/config.toml                   (can disable, never enable)
  `skillful config` shows every value in effect and where it comes from.";

/// Finds, checks, chooses, runs, limits and serves the skills of every AI agent on this machine.
#[derive(Debug, Parser)]
#[command(name = "skillful", version, after_help = EXIT_CODES, max_term_width = 100)]
#[command(propagate_version = true, arg_required_else_help = true, infer_subcommands = true)]
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
    /// Say which skills apply to a message, and what a model would read
    Ask(AskArgs),
    /// Find skills by what you want to do
    Search(SearchArgs),
    /// Print a skill as a model that loads it would read it, companions included
    Use(UseArgs),
    /// Run a program that a skill brings, in a sandbox
    Exec(ExecArgs),
    /// List the tools of the MCP server that a skill brings, or call one
    Tools(ToolsArgs),
    /// Offer skills to any agent over the Model Context Protocol
    Mcp(McpArgs),
    /// Run programs of skills with their secrets, for an agent that has none
    Proxy(ProxyArgs),
    /// Keep secrets for the programs of skills, encrypted
    Secret(SecretArgs),
    /// List every skill, who shadows whom, and what is broken
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show one skill: what it says, where it comes from, who may use it
    Show(ShowArgs),
    /// Check skills and report every problem with its line and its fix
    Check(CheckArgs),
    /// Create a new skill that passes every check
    New(NewArgs),
    /// Rewrite headers in canonical form
    Fmt(FmtArgs),
    /// Bring in a skill from a folder, a SKILL.md, a .zip, a .skill or a .tar.gz
    Import(ImportArgs),
    /// Accept an installed skill as it is now, after it changed
    Accept(AcceptArgs),
    /// Write a skill as one file: SKILL.md, or a reproducible .zip or .tar.gz
    Export(ExportArgs),
    /// Show where skills are looked for, and in which order
    Roots(RootsArgs),
    /// Show what one agent would load from this folder, and why not the rest
    View(ViewArgs),
    /// Say which skills apply to a message, and every rule that decided
    Explain(ExplainArgs),
    /// Print the catalogue that a model would get
    Prompt(PromptArgs),
    /// Show the variables a skill declares, where their values come from, and what is missing
    Vars(VarsArgs),
    /// List the agents Skillful knows
    Hosts,
    /// Switch a skill on
    Enable(SwitchArgs),
    /// Switch a skill off
    Disable(SwitchArgs),
    /// Measure how well requests find their skills
    Eval(EvalArgs),
    /// Trust a repository, after seeing what its skills could do
    Trust(TrustArgs),
    /// Take trust back
    Untrust(UntrustArgs),
    /// Look for trouble: configuration, roots, broken skills, catalogue sizes; or what one skill lacks
    Doctor(DoctorArgs),
    /// Say which sandboxes hold on this machine, and what keeps each limit
    Sandbox,
    /// Print skills as they are added, changed and removed
    Watch(WatchArgs),
    /// Show every setting in effect and where it comes from
    Config,
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Write manual pages
    Man(ManArgs),
}

/// `list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only skills whose name or description holds this text
    pub filter: Option<String>,
    /// Only this scope: project, user, custom, managed, plugin, integration, system
    #[arg(long)]
    pub scope: Option<String>,
    /// Only this state: ready, shadowed, disabled, untrusted, invalid
    #[arg(long)]
    pub state: Option<String>,
    /// Only skills in folders that this agent reads
    #[arg(long, value_name = "AGENT")]
    pub host: Option<String>,
    /// Print names only, one a line
    #[arg(long)]
    pub names: bool,
}

/// `show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Name, qualified name (`plugin:skill`, `user:skill`) or path
    pub skill: String,
    /// Print the instructions only
    #[arg(long)]
    pub body: bool,
}

/// `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Skills, or folders to search for skills; the working folder when none is given
    #[arg(value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// What to check against: `lenient`, `spec`, or an agent such as `codex`
    #[arg(long, short, default_value = "lenient")]
    pub profile: String,
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
    pub profile: Option<String>,
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

/// `import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Folder, SKILL.md, .zip, .skill or .tar.gz
    #[arg(value_hint = ValueHint::AnyPath)]
    pub source: PathBuf,
    /// Folder to put it in [default: ~/.agents/skills]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub to: Option<PathBuf>,
    /// Put it in .agents/skills of the repository
    #[arg(long, conflicts_with = "to")]
    pub project: bool,
    /// Name of the folder, when another than the skill's own is wanted
    #[arg(long = "as", value_name = "NAME")]
    pub rename: Option<String>,
    /// Only say what would be written
    #[arg(long)]
    pub dry_run: bool,
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

/// `roots`.
#[derive(Debug, Args)]
pub struct RootsArgs {
    /// Show folders that do not exist, too
    #[arg(long, short)]
    pub all: bool,
}

/// `view`.
#[derive(Debug, Args)]
pub struct ViewArgs {
    /// The agent: `codex`, `claude-code`, `opencode`, … (see `skillful hosts`)
    #[arg(long = "as", value_name = "AGENT")]
    pub host: String,
    /// Show only what the agent does not see
    #[arg(long)]
    pub unseen: bool,
}

/// A turn: what is said, by whom, in which conversation.
#[derive(Debug, Args)]
pub struct TurnArgs {
    /// What somebody says to an agent; `-` reads it from standard input
    #[arg(required = true)]
    pub message: Vec<String>,
    /// A file that comes with it (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub attach: Vec<String>,
    /// Kind of turn: talk, email, repl, web, briefing, …
    #[arg(long, value_name = "KIND")]
    pub source_type: Option<String>,
    /// A skill that comes with it, by its path (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub skill: Vec<String>,
    /// The conversation it belongs to: skills of its last turns stay on
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// As this agent, which reads only its own folders
    #[arg(long = "as", value_name = "AGENT")]
    pub host: Option<String>,
    /// Who says it
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
}

/// `ask`.
#[derive(Debug, Args)]
pub struct AskArgs {
    /// The turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// The room of the catalogue.
    #[command(flatten)]
    pub room: RoomArgs,
    /// Print exactly what a model would read, and nothing else
    #[arg(long)]
    pub raw: bool,
}

/// `use`.
#[derive(Debug, Args)]
pub struct UseArgs {
    /// Name or qualified name, or `skill://name/file` for one of its files
    pub skill: String,
    /// What the skill is to do
    #[arg(trailing_var_arg = true)]
    pub arguments: Vec<String>,
    /// As this agent
    #[arg(long = "as", value_name = "AGENT")]
    pub host: Option<String>,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Leave the skill's commands as written instead of running them
    #[arg(long)]
    pub no_run: bool,
    /// How commands are held.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// How commands of skills are held.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct WorkArgs {
    /// Run commands of the skill without a sandbox; it can then do all that you can
    #[arg(long)]
    pub allow_unsandboxed: bool,
    /// Say yes to the tools that the skill asks for beyond yours, where `run.manifests` lets it ask
    #[arg(long)]
    pub grant: bool,
}

/// `exec`.
#[derive(Debug, Args)]
pub struct ExecArgs {
    /// Name or qualified name
    pub skill: String,
    /// A file of its `scripts` folder, with or without ending, then its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
    /// Seconds after which it is ended
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// How it is held.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// `tools`.
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// Name or qualified name
    pub skill: String,
    /// The tool to call; without it they are listed
    pub tool: Option<String>,
    /// Its arguments, as a JSON object
    #[arg(value_name = "JSON")]
    pub arguments: Option<String>,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// How the server is held.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// `accept`.
#[derive(Debug, Args)]
pub struct AcceptArgs {
    /// Name, qualified name or path
    pub skill: String,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Only this skill: everything it needs, and what is missing
    pub skill: Option<String>,
}

/// `vars`.
#[derive(Debug, Args)]
pub struct VarsArgs {
    /// Name, qualified name or path
    pub skill: String,
}

/// `secret`.
#[derive(Debug, Args)]
pub struct SecretArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: SecretCommand,
    /// Use the keyring of the system instead of the encrypted file
    #[arg(long, global = true, hide = !cfg!(feature = "keyring"))]
    pub keyring: bool,
}

/// What can be done with secrets.
#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Keep a secret; its value is typed unseen, or comes in by a pipe
    Set {
        /// The service, as the `env` of a skill names it
        service: String,
        /// The key within the service
        key: String,
    },
    /// List the names of secrets, never their values
    #[command(visible_alias = "ls")]
    List,
    /// Forget a secret
    Rm {
        /// The service
        service: String,
        /// The key within the service
        key: String,
    },
}

const PROXY_HELP: &str = "\
Without a command it prints the path of its socket and serves until it is interrupted. With one, the command
gets an environment without any secret, with the socket in SKILLFUL_PROXY_SOCKET, and its end is the end.

The socket takes one line of JSON and gives one back:
  {\"skill\":\"mail\",\"program\":\"send\",\"args\":[\"--to\",\"me\"],\"stdin\":\"text\"}
  {\"type\":\"credential\",\"name\":\"MAIL_TOKEN\"}        (only what --readable lets through)

`skillful exec SKILL PROGRAM …` asks the socket when SKILLFUL_PROXY_SOCKET is set. What programs may reach is
said by `[run]` of the configuration.

The proxy confines the programs it runs. The command is confined by --sandboxed: it may then write in the
project, but not in the skills there whose programs may be run, and reads nothing else of yours but what
`[run]` grants. `skillful exec` in it works. It has no network, since nothing yet could keep it to single
hosts, and no terminal. This needs bubblewrap. Without --sandboxed the command can read your files, and with
them the key of your secrets.";

/// `proxy`.
#[derive(Debug, Args)]
#[command(after_help = PROXY_HELP)]
pub struct ProxyArgs {
    /// Run programs of this skill only (repeatable) [default: of every skill that may be used]
    #[arg(long, value_name = "NAME")]
    pub skill: Vec<String>,
    /// Run programs of the skills that this message chooses
    #[arg(long = "for", value_name = "MESSAGE")]
    pub message: Option<String>,
    /// Let a skill, and so the model, read the value of one of its secrets (repeatable)
    #[arg(long, value_name = "SKILL=VARIABLE")]
    pub readable: Vec<String>,
    /// Lend a variable of yours to skills that name it as their `fallback_var` (repeatable)
    #[arg(long, value_name = "VARIABLE")]
    pub lend: Vec<String>,
    /// Run the command in the sandbox, with the socket and the project but without a network
    #[arg(long, requires = "command")]
    pub sandboxed: bool,
    /// Pass a variable of yours on to the command, unless it is secret (repeatable)
    #[arg(long, value_name = "VARIABLE")]
    pub pass: Vec<String>,
    /// The socket, in a folder that only you can enter [default: one in a new folder]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub socket: Option<PathBuf>,
    /// Seconds that a program may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: u64,
    /// As this agent, which reads only its own folders
    #[arg(long = "as", value_name = "AGENT")]
    pub host: Option<String>,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Run programs without a sandbox; they can then do all that you can
    #[arg(long)]
    pub allow_unsandboxed: bool,
    /// Read secrets from the keyring of the system instead of the encrypted file
    #[arg(long, hide = !cfg!(feature = "keyring"))]
    pub keyring: bool,
    /// A command that gets the socket, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// `search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What you want to do, in your own words
    #[arg(required = true)]
    pub query: Vec<String>,
    /// How many to show
    #[arg(long, short, default_value_t = 10, value_name = "NUMBER")]
    pub top: usize,
}

/// `eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Judged requests: JSON lines, a trigger set, evals.json, or folders that hold such files
    #[arg(required = true, value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Judge over every skill below this folder, instead of the skills in use here
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub skills: Option<PathBuf>,
    /// The skill that a trigger set is about [default: the skill whose folder it lies in]
    #[arg(long, value_name = "NAME")]
    pub skill: Option<String>,
    /// How many confused pairs to show
    #[arg(long, default_value_t = 10, value_name = "NUMBER")]
    pub confused: usize,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// Show only what was chosen, refused or excluded, not the menu
    #[arg(long)]
    pub short: bool,
}

/// The room of a catalogue.
#[derive(Clone, Copy, Debug, Args)]
pub struct RoomArgs {
    /// Tokens of the model's window; the catalogue gets 2 % of them
    #[arg(long, value_name = "TOKENS")]
    pub window: Option<usize>,
    /// Characters for the catalogue
    #[arg(long, value_name = "CHARACTERS", conflicts_with = "window")]
    pub budget: Option<usize>,
    /// How tokens are counted
    #[arg(long, value_enum, default_value = "estimate", hide = !cfg!(feature = "tokenizer"))]
    pub counter: Counter,
}

/// How tokens are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Counter {
    /// A quarter of the bytes, rounded up
    Estimate,
    /// With the vocabulary `o200k_base`
    #[cfg(feature = "tokenizer")]
    O200k,
}

/// `prompt`.
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// In the form, and with the room, of this agent
    #[arg(long = "as", value_name = "AGENT")]
    pub host: Option<String>,
    /// What the turn is about: under pressure, what serves it keeps its description
    #[arg(long = "for", value_name = "MESSAGE")]
    pub message: Option<String>,
    /// The room of the catalogue.
    #[command(flatten)]
    pub room: RoomArgs,
    /// Say what it costs and what was lost, instead of the text
    #[arg(long)]
    pub report: bool,
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

/// `watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Stop after this many seconds
    #[arg(long = "for", value_name = "SECONDS")]
    pub seconds: Option<u64>,
}

/// `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Serve over HTTP at this address, such as 127.0.0.1:8765, instead of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    pub http: Option<String>,
    /// Let other machines in, too; needs a token of your own
    #[arg(long, requires = "http", conflicts_with = "no_token")]
    pub public: bool,
    /// A name under which clients may reach this server, besides localhost (repeatable)
    #[arg(long, value_name = "NAME", requires = "http")]
    pub allow_host: Vec<String>,
    /// A web page that may call this server, such as `https://app.example:443` (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub allow_origin: Vec<String>,
    /// File with the token that clients must send [default: `$SKILLFUL_MCP_TOKEN`, else a new one is printed]
    #[arg(long, value_name = "FILE", requires = "http", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,
    /// Ask for no token: every program on this machine may call
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    pub no_token: bool,
    /// As this agent, which reads only its own folders
    #[arg(long = "as", value_name = "AGENT")]
    pub host: Option<String>,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Run no commands of skills; they stand in the text as written
    #[arg(long)]
    pub no_run: bool,
}

/// `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder for the pages
    #[arg(long, short, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
}
