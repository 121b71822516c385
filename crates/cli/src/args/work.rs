//! Arguments of the commands that run skills.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

const PROXY_HELP: &str = "\
Without a command the proxy prints the path of its socket and serves until it is interrupted. With one, it runs
the command in an environment without secrets, with the socket in SKILLFUL_PROXY_SOCKET, and ends with it.

The socket reads one line of JSON and answers with one:
  {\"skill\":\"mail\",\"program\":\"send\",\"args\":[\"--to\",\"me\"],\"stdin\":\"text\"}
  {\"type\":\"credential\",\"name\":\"MAIL_TOKEN\"}        (only variables named by --readable)

`skillful exec SKILL PROGRAM …` uses the socket when SKILLFUL_PROXY_SOCKET is set. `[run]` in the configuration
says what programs may access.

The proxy runs programs in the sandbox. --sandboxed also runs the command in one: it can write in the project,
except in the skills whose programs it can run and in what instructs git, agents, editors and shells (what it
makes of that is renamed), and read only what `[run]` grants. It has no network and no terminal; `skillful exec`
works in it. This needs bubblewrap. Without --sandboxed the command can read your
files, and so the key of your secrets.";

/// `use`.
#[derive(Debug, Args)]
pub struct UseArgs {
    /// Name or qualified name, or `skill://name/file` for one of its files
    pub skill: String,
    /// Arguments of the skill; after `--` also words that begin with a dash
    pub arguments: Vec<String>,
    /// Only if this agent loads the skill
    #[arg(long, value_name = "AGENT", help_heading = "For whom")]
    pub agent: Option<String>,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "For whom")]
    pub user: Option<String>,
    /// Leave the skill's commands as written instead of running them
    #[arg(long, help_heading = "Commands of the skill")]
    pub no_run: bool,
    /// Sandbox of the commands.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// Options of commands of skills.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct WorkArgs {
    /// Run commands of the skill without a sandbox; they can then do everything that you can
    #[arg(long, help_heading = "Commands of the skill")]
    pub allow_unsandboxed: bool,
    /// Grant the tools that the skill requests beyond yours, where `run.manifests` allows requests
    #[arg(long, help_heading = "Commands of the skill")]
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
    /// Time limit in seconds
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = "Commands of the skill")]
    pub timeout: u64,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "For whom")]
    pub user: Option<String>,
    /// Sandbox of the program.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// `mcp tools`.
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// Name or qualified name
    pub skill: String,
    /// The tool to call [default: list the tools]
    pub tool: Option<String>,
    /// Its arguments, as a JSON object
    #[arg(value_name = "JSON")]
    pub arguments: Option<String>,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "For whom")]
    pub user: Option<String>,
    /// Sandbox of the server.
    #[command(flatten)]
    pub work: WorkArgs,
}

/// `mcp allow` and `mcp deny`.
#[derive(Debug, Args)]
pub struct ServerArgs {
    /// Name or qualified name
    pub skill: String,
}

/// `secret`.
#[derive(Debug, Args)]
pub struct SecretArgs {
    /// The subcommand.
    #[command(subcommand)]
    pub command: SecretCommand,
    /// Use the keyring of the system instead of the encrypted file
    #[arg(long, global = true, hide = !cfg!(feature = "keyring"), help_heading = "Where")]
    pub keyring: bool,
}

/// Subcommands of `secret`.
#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Store a secret; its value is typed without echo, or read from standard input
    Set {
        /// The service, as the `env` of a skill names it
        service: String,
        /// The key within the service
        key: String,
        /// Let this skill have it, with the files that the skill has now
        #[arg(long, value_name = "NAME", help_heading = "For whom")]
        skill: Option<String>,
    },
    /// Let a skill have a secret, with the files that the skill has now
    Allow {
        /// The service
        #[arg(required_unless_present = "variable", conflicts_with = "variable")]
        service: Option<String>,
        /// The key within the service
        #[arg(required_unless_present = "variable")]
        key: Option<String>,
        /// A secret variable of the environment or of variables.json, instead of a secret of the vault
        #[arg(long, value_name = "VARIABLE", help_heading = "What")]
        variable: Option<String>,
        /// The skill
        #[arg(long, value_name = "NAME", help_heading = "For whom")]
        skill: String,
    },
    /// Deny a secret to a skill; its programs run without it
    Deny {
        /// The service
        #[arg(required_unless_present = "variable", conflicts_with = "variable")]
        service: Option<String>,
        /// The key within the service
        #[arg(required_unless_present = "variable")]
        key: Option<String>,
        /// A secret variable of the environment or of variables.json, instead of a secret of the vault
        #[arg(long, value_name = "VARIABLE", help_heading = "What")]
        variable: Option<String>,
        /// The skill
        #[arg(long, value_name = "NAME", help_heading = "For whom")]
        skill: String,
    },
    /// List the names of secrets and the skills that may have them, never their values
    #[command(visible_alias = "ls")]
    List,
    /// Remove a secret
    #[command(alias = "remove")]
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
    /// Run programs of this skill only (repeatable) [default: every available skill]
    #[arg(long, value_name = "NAME", help_heading = "Which skills")]
    pub skill: Vec<String>,
    /// Run programs of the skills that are selected for this message
    #[arg(long = "for", value_name = "MESSAGE", help_heading = "Which skills")]
    pub message: Option<String>,
    /// Let a skill, and so the model, read the value of one of its secrets (repeatable)
    #[arg(long, value_name = "SKILL=VARIABLE", help_heading = "Secrets and variables")]
    pub readable: Vec<String>,
    /// Lend a variable of your environment to skills that name it as their `fallback_var` (repeatable)
    #[arg(long, value_name = "VARIABLE", help_heading = "Secrets and variables")]
    pub lend: Vec<String>,
    /// Run the command in the sandbox, with the socket and the project, without network
    #[arg(long, requires = "command", help_heading = "Sandbox and socket")]
    pub sandboxed: bool,
    /// With --sandboxed: let the command change what instructs git, agents, editors and shells in the project (.git/config,
    /// .claude, AGENTS.md, …)
    #[arg(long, requires = "sandboxed", help_heading = "Sandbox and socket")]
    pub change_guarded: bool,
    /// Pass a variable of your environment to the command, unless it is secret (repeatable)
    #[arg(long, value_name = "VARIABLE", help_heading = "Secrets and variables")]
    pub pass: Vec<String>,
    /// The socket, in a folder that only you can enter [default: one in a new folder]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Sandbox and socket")]
    pub socket: Option<PathBuf>,
    /// Time limit of a program in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = "Sandbox and socket")]
    pub timeout: u64,
    /// Only the skills that this agent loads
    #[arg(long, value_name = "AGENT", help_heading = "Which skills")]
    pub agent: Option<String>,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "Which skills")]
    pub user: Option<String>,
    /// Run programs without a sandbox; they can then do everything that you can
    #[arg(long, help_heading = "Sandbox and socket")]
    pub allow_unsandboxed: bool,
    /// Read secrets from the keyring of the system instead of the encrypted file
    #[arg(long, hide = !cfg!(feature = "keyring"), help_heading = "Secrets and variables")]
    pub keyring: bool,
    /// A command to run with the socket, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// The subcommand
    #[command(subcommand)]
    pub command: Option<McpCommand>,
    /// Serve over HTTP at this address, such as 127.0.0.1:8765, instead of standard input and output
    #[arg(long, value_name = "ADDRESS", help_heading = "Over HTTP")]
    pub http: Option<String>,
    /// Accept connections from other machines; needs a token of your own
    #[arg(long, requires = "http", conflicts_with = "no_token", help_heading = "Over HTTP")]
    pub public: bool,
    /// A host name of this server besides localhost (repeatable)
    #[arg(long, value_name = "NAME", requires = "http", help_heading = "Over HTTP")]
    pub allow_host: Vec<String>,
    /// The origin of a web page that may call this server, such as `https://app.example:443` (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http", help_heading = "Over HTTP")]
    pub allow_origin: Vec<String>,
    /// File with the token that clients must send [default: `$SKILLFUL_MCP_TOKEN`, else a new one is printed]
    #[arg(long, value_name = "FILE", requires = "http", value_hint = ValueHint::FilePath, help_heading = "Over HTTP")]
    pub token_file: Option<PathBuf>,
    /// Require no token: every program on this machine can call
    #[arg(long, requires = "http", conflicts_with = "token_file", help_heading = "Over HTTP")]
    pub no_token: bool,
    /// Only the skills that this agent loads
    #[arg(long, value_name = "AGENT", help_heading = "Which skills")]
    pub agent: Option<String>,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "Which skills")]
    pub user: Option<String>,
    /// Do not run commands of skills; leave them in the text as written
    #[arg(long, help_heading = "Which skills")]
    pub no_run: bool,
}

/// Subcommands of `mcp`.
#[derive(Debug, clap::Subcommand)]
pub enum McpCommand {
    /// List the tools of a skill's MCP server, or call one
    Tools(ToolsArgs),
    /// Let a skill have its MCP server: a connection, or the variables that its process gets
    Allow(ServerArgs),
    /// Deny a skill its MCP server
    Deny(ServerArgs),
    /// Sign in to the MCP server of a skill, in a browser
    SignIn(ServerArgs),
    /// Forget the sign-in to the MCP server of a skill
    SignOut(ServerArgs),
    /// Add Skillful's server to the settings of an agent
    Install(InstallServerArgs),
    /// Take Skillful's server out of the settings of an agent
    Uninstall(InstallServerArgs),
}

/// `mcp install` and `mcp uninstall`.
#[derive(Debug, Args)]
pub struct InstallServerArgs {
    /// The agent: `codex`, `claude-code`, `opencode`, `gemini-cli`, `cursor`, …
    #[arg(long, value_name = "AGENT", help_heading = "For whom")]
    pub agent: String,
    /// Write without a question
    #[arg(long, short, help_heading = "How")]
    pub yes: bool,
    /// Print the change and stop
    #[arg(long, conflicts_with = "yes", help_heading = "How")]
    pub dry_run: bool,
}
