//! Arguments of the commands about a turn: what is asked, by whom, within which room.

use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

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
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Who says it
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// Show every skill, not only the first ones
    #[arg(long)]
    pub all: bool,
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

/// `menu`.
#[derive(Debug, Args)]
pub struct MenuArgs {
    /// In the form, and with the room, of this agent
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
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

/// `search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What you want to do, in your own words
    #[arg(required = true)]
    pub query: Vec<String>,
    /// How many to show
    #[arg(long, short, default_value_t = 10, value_name = "NUMBER")]
    pub top: usize,
    /// Search your sources as well (see skillful source)
    #[arg(long)]
    pub sources: bool,
    /// Ask the sources again instead of using cached lists
    #[arg(long, requires = "sources")]
    pub refresh: bool,
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
