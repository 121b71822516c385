//! Arguments of the commands about a turn.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// A turn: message, user, session.
#[derive(Debug, Args)]
pub struct TurnArgs {
    /// The message; `-` reads it from standard input
    #[arg(required = true)]
    pub message: Vec<String>,
    /// A file to attach (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Message")]
    pub attach: Vec<String>,
    /// Kind of turn: talk, email, repl, web, briefing, …
    #[arg(long, value_name = "KIND", help_heading = "Message")]
    pub source_type: Option<String>,
    /// A skill to select, by its path (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Message")]
    pub skill: Vec<String>,
    /// The session; skills of its last turns stay selected
    #[arg(long, value_name = "ID", help_heading = "For whom")]
    pub session: Option<String>,
    /// Only the skills that this agent loads
    #[arg(long, value_name = "AGENT", help_heading = "For whom")]
    pub agent: Option<String>,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "For whom")]
    pub user: Option<String>,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// Show every skill, not only the first ones
    #[arg(long, help_heading = "Output")]
    pub all: bool,
}

/// The budget of a menu.
#[derive(Clone, Copy, Debug, Args)]
pub struct RoomArgs {
    /// Context window of the model in tokens; the menu gets 2 % of it
    #[arg(long, value_name = "TOKENS", help_heading = "Menu")]
    pub window: Option<usize>,
    /// Characters for the menu
    #[arg(long, value_name = "CHARACTERS", conflicts_with = "window", help_heading = "Menu")]
    pub budget: Option<usize>,
    /// How tokens are counted
    #[arg(long, value_enum, default_value = "estimate", hide = !cfg!(feature = "tokenizer"), help_heading = "Menu")]
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

/// `menu`.
#[derive(Debug, Args)]
pub struct MenuArgs {
    /// In the form and with the budget of this agent
    #[arg(long, value_name = "AGENT", help_heading = "For whom")]
    pub agent: Option<String>,
    /// The message: when the budget is short, skills that match it keep their descriptions
    #[arg(long = "for", value_name = "MESSAGE", help_heading = "For whom")]
    pub message: Option<String>,
    /// The budget of the menu.
    #[command(flatten)]
    pub room: RoomArgs,
    /// Print the size and what was shortened, instead of the text
    #[arg(long, help_heading = "Output")]
    pub report: bool,
}

/// `search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The task, in your own words
    #[arg(required = true)]
    pub query: Vec<String>,
    /// Most results
    #[arg(long, short, default_value_t = 10, value_name = "NUMBER", help_heading = "Output")]
    pub top: usize,
    /// Also search your sources (see `skillful source`)
    #[arg(long, help_heading = "Where")]
    pub sources: bool,
    /// Ask the sources again instead of using cached lists
    #[arg(long, requires = "sources", help_heading = "Where")]
    pub refresh: bool,
}

/// `eval`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Judged requests: JSON lines, a trigger set, evals.json, or folders with such files
    #[arg(required = true, value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Use every skill below this folder, instead of the skills here
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = "Which skills")]
    pub skills: Option<PathBuf>,
    /// The skill that a trigger set is about [default: the skill whose folder contains it]
    #[arg(long, value_name = "NAME", help_heading = "Which skills")]
    pub skill: Option<String>,
    /// Also ask the configured model, or the one named with `--model=NAME`, which skill it would load
    #[arg(long, value_name = "MODEL", num_args = 0..=1, require_equals = true, conflicts_with = "skills", help_heading = "Model")]
    pub model: Option<Option<String>>,
    /// Exit with 1 when the router makes a mistake
    #[arg(long, help_heading = "Output")]
    pub strict: bool,
    /// Most confused pairs and mistakes to show
    #[arg(long, default_value_t = 10, value_name = "NUMBER", help_heading = "Output")]
    pub confused: usize,
}
