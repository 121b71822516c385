//! Arguments of the commands that put a skill to work: what it gets, and how it is held.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

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
agents, and no terminal. This needs bubblewrap. Without --sandboxed the command can read your files, and with
them the key of your secrets.";

/// `use`.
#[derive(Debug, Args)]
pub struct UseArgs {
    /// Name or qualified name, or `skill://name/file` for one of its files
    pub skill: String,
    /// What the skill is to do
    #[arg(trailing_var_arg = true)]
    pub arguments: Vec<String>,
    /// As this agent
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
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

/// `mcp tools`.
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
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
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

/// `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Instead of serving skills
    #[command(subcommand)]
    pub command: Option<McpCommand>,
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
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Run no commands of skills; they stand in the text as written
    #[arg(long)]
    pub no_run: bool,
}

/// Other things about MCP servers.
#[derive(Debug, clap::Subcommand)]
pub enum McpCommand {
    /// List the tools of the MCP server that a skill brings, or call one
    Tools(ToolsArgs),
}
