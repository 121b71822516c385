//! Arguments of the commands that ask a model: who answers, how far it goes, what is kept.

use super::turn::{RoomArgs, TurnArgs};
use clap::{Args, ValueEnum, ValueHint};
use skillful_assistant::approval::ApprovalMode;

const MODELS_HELP: &str = "\
Models:
  Set ANTHROPIC_API_KEY, or OPENAI_API_KEY, or OPENAI_BASE_URL=http://127.0.0.1:11434/v1 for Ollama,
  :8080/v1 for llama.cpp, :8000/v1 for vLLM. Without a name the first model of such a server answers.
  --model names one, then SKILLFUL_MODEL, then `assistant.model` of the configuration, then ANTHROPIC_MODEL
  or OPENAI_MODEL. `skillful doctor` says who would answer.

Sessions are kept in the data folder; `skillful chat --continue` goes on with the last one.";

/// How an agent works.
#[derive(Clone, Debug, Default, Args)]
pub struct AssistantArgs {
    /// Who answers: a model, a class or alias of `[models]`, or `provider/model`
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// How hard the model thinks
    #[arg(long, value_enum)]
    pub effort: Option<EffortWord>,
    /// When you are asked before a tool is used
    #[arg(long, value_enum)]
    pub mode: Option<ModeWord>,
    /// Times that the model is asked in a turn, at most
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub max_steps: Option<u32>,
    /// Run commands without a sandbox; they can then do all that you can
    #[arg(long)]
    pub allow_unsandboxed: bool,
    /// Keep nothing of the conversation
    #[arg(long)]
    pub no_session: bool,
}

/// How hard a model thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EffortWord {
    /// A little
    Low,
    /// As usual
    Medium,
    /// Hard
    High,
}

impl EffortWord {
    /// As skills write it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// When a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeWord {
    /// Before anything that changes or leaves the project
    Ask,
    /// Before anything that leaves the project
    AutoSafe,
    /// Only before a change of what agents are told to do
    Autonomous,
}

impl From<ModeWord> for ApprovalMode {
    fn from(word: ModeWord) -> Self {
        match word {
            ModeWord::Ask => Self::Ask,
            ModeWord::AutoSafe => Self::AutoSafe,
            ModeWord::Autonomous => Self::Autonomous,
        }
    }
}

/// `ask`.
#[derive(Debug, Args)]
#[command(after_help = MODELS_HELP)]
pub struct AskArgs {
    /// The turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// The room of the catalogue.
    #[command(flatten)]
    pub room: RoomArgs,
    /// How the agent works.
    #[command(flatten)]
    pub assistant: AssistantArgs,
    /// Ask no model; say which skills apply and what one would read
    #[arg(long)]
    pub compose: bool,
    /// Ask no model; print exactly what one would read, and nothing else
    #[arg(long)]
    pub raw: bool,
}

/// `run`.
#[derive(Debug, Args)]
#[command(after_help = MODELS_HELP)]
pub struct RunArgs {
    /// Name or qualified name of a skill that you may call
    pub skill: String,
    /// What it is to do, as you would type it behind the name
    #[arg(trailing_var_arg = true)]
    pub arguments: Vec<String>,
    /// A file that comes with it (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub attach: Vec<String>,
    /// The session to go on with, or to begin under this name
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
    /// As this agent, which reads only its own folders
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// How the agent works.
    #[command(flatten)]
    pub assistant: AssistantArgs,
}

/// `chat`.
#[derive(Debug, Args)]
#[command(after_help = MODELS_HELP)]
pub struct ChatArgs {
    /// What to say first
    pub message: Vec<String>,
    /// Go on with this session; without an ID, the last one of this folder
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = false)]
    pub resume: Option<Option<String>>,
    /// Go on with the last session of this folder
    #[arg(long = "continue", conflicts_with = "resume")]
    pub go_on: bool,
    /// A file that comes with the first message (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub attach: Vec<String>,
    /// As this agent, which reads only its own folders
    #[arg(long, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Who talks
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// How the agent works.
    #[command(flatten)]
    pub assistant: AssistantArgs,
}
