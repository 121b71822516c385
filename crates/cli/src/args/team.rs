//! Arguments of `login`, `logout` and `push`.

use clap::Args;

const LOGIN_HELP: &str = "\
The program prints a code and an address; you sign in there and confirm the code. The token is kept in your vault and is sent \
to this server alone. The server becomes a source: `skillful add team:pdf`, `skillful search --sources`, `skillful sync --team`.";

/// `login`.
#[derive(Debug, Args)]
#[command(after_help = LOGIN_HELP)]
pub struct LoginArgs {
    /// The address of the team server
    #[arg(required_unless_present = "status")]
    pub address: Option<String>,
    /// Your name for it among the sources [default: team]
    #[arg(long, value_name = "LABEL", help_heading = "What")]
    pub label: Option<String>,
    /// What the token may be used for, separated by commas
    #[arg(
        long,
        value_name = "SCOPES",
        value_delimiter = ',',
        default_value = "skills:read,usage",
        help_heading = "What"
    )]
    pub scope: Vec<String>,
    /// How long the token lasts, 1 to 366
    #[arg(long, value_name = "DAYS", default_value_t = 90, help_heading = "What")]
    pub days: u32,
    /// Read a token from standard input instead, for CI
    #[arg(long, conflicts_with_all = ["scope", "days"], help_heading = "How")]
    pub token: bool,
    /// Do not open a browser
    #[arg(long, help_heading = "How")]
    pub no_browser: bool,
    /// Show the servers that you are signed in to, and whether each sign-in works
    #[arg(long, conflicts_with_all = ["address", "label", "token", "no_browser"], help_heading = "How")]
    pub status: bool,
}

const PUSH_HELP: &str = "\
A skill is sent once for each state of its files; its id and version there are kept in skillful.lock. The key comes from the \
vault (`skillful secret set push-key TARGET`), from your sign-in when the address is on a team server, or from \
ANTHROPIC_API_KEY or OPENAI_API_KEY. It is sent to that API alone.";

/// `push`.
#[derive(Debug, Args)]
#[command(after_help = PUSH_HELP)]
pub struct PushArgs {
    /// Names or paths; every skill of this project when none is given
    pub skills: Vec<String>,
    /// `anthropic`, `openai`, or the address of such an API
    #[arg(long, value_name = "TARGET", help_heading = "Where")]
    pub to: String,
    /// What an address speaks: `anthropic` or `openai` [default: from the end of the address]
    #[arg(long, value_name = "API", help_heading = "Where")]
    pub api: Option<String>,
    /// Keep ids and versions in your own lock, instead of this project's
    #[arg(long, short, help_heading = "For whom")]
    pub global: bool,
    /// Also send this skill, which has blocking findings (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "How")]
    pub despite_findings: Vec<String>,
    /// Print what would be sent and stop
    #[arg(long, help_heading = "How")]
    pub dry_run: bool,
}

/// `logout`.
#[derive(Debug, Args)]
pub struct LogoutArgs {
    /// The label or the address; the only server when none is given
    pub server: Option<String>,
}
