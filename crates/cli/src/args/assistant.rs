//! Arguments of the commands that ask a model.

use super::turn::{RoomArgs, TurnArgs};
use clap::{Args, ValueEnum, ValueHint};
use skillful_assistant::approval::ApprovalMode;

const MODELS_HELP: &str = "\
Models
  Set ANTHROPIC_API_KEY, or OPENAI_API_KEY, or OPENAI_BASE_URL=http://127.0.0.1:11434/v1 for Ollama,
  :8080/v1 for llama.cpp, :8000/v1 for vLLM. The model is named by the first of --model, SKILLFUL_MODEL,
  `assistant.model` in the configuration, ANTHROPIC_MODEL or OPENAI_MODEL; else by the server.
  `skillful doctor` shows which model would answer.

Sessions are recorded in the data folder; `skillful chat --continue` continues the last one.";

/// Options of the assistant.
#[derive(Clone, Debug, Default, Args)]
pub struct AssistantArgs {
    /// The model: a name, a class or alias of `[models]`, or `provider/model`
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub model: Option<String>,
    /// Reasoning effort of the model
    #[arg(long, value_enum, help_heading = "Model")]
    pub effort: Option<EffortWord>,
    /// When a tool call needs your approval
    #[arg(long, value_enum, help_heading = "Approval")]
    pub mode: Option<ModeWord>,
    /// Most requests to the model per turn
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Model")]
    pub max_steps: Option<u32>,
    /// Run commands without a sandbox; they can then do everything that you can
    #[arg(long, help_heading = "Approval")]
    pub allow_unsandboxed: bool,
    /// Do not record the session
    #[arg(long, help_heading = "For whom")]
    pub no_session: bool,
}

/// Reasoning effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EffortWord {
    /// Little
    Low,
    /// Normal
    Medium,
    /// Much
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

/// When a tool call needs approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeWord {
    /// For every call that changes the project or leaves it
    Ask,
    /// For every call that leaves the project
    AutoSafe,
    /// Only for changes of what agents and tools run or outside the project, reads of keys, and commands with the network
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
    /// The budget of the menu.
    #[command(flatten)]
    pub room: RoomArgs,
    /// Options of the assistant.
    #[command(flatten)]
    pub assistant: AssistantArgs,
    /// Do not ask a model; show which skills match and what a model would read, and record nothing
    #[arg(long, help_heading = "Without a model")]
    pub compose: bool,
    /// Do not ask a model; print exactly the text that it would read, for a model of yours; `--session` records the turn
    #[arg(long, help_heading = "Without a model")]
    pub raw: bool,
}

/// `run`.
#[derive(Debug, Args)]
#[command(after_help = MODELS_HELP)]
pub struct RunArgs {
    /// Name or qualified name of a skill that you may call
    pub skill: String,
    /// The task, as you would type it after the name; after `--` also words that begin with a dash
    pub arguments: Vec<String>,
    /// A file to attach (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Message")]
    pub attach: Vec<String>,
    /// The session to continue, or to create under this name
    #[arg(long, value_name = "ID", help_heading = "For whom")]
    pub session: Option<String>,
    /// Only the skills that this agent loads
    #[arg(long, value_name = "AGENT", help_heading = "For whom")]
    pub agent: Option<String>,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "For whom")]
    pub user: Option<String>,
    /// Options of the assistant.
    #[command(flatten)]
    pub assistant: AssistantArgs,
}

/// `chat`.
#[derive(Debug, Args)]
#[command(after_help = MODELS_HELP)]
pub struct ChatArgs {
    /// The first message
    pub message: Vec<String>,
    /// Continue this session; without an ID, the last one of this folder
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = false, help_heading = "Session")]
    pub resume: Option<Option<String>>,
    /// Continue the last session of this folder
    #[arg(long = "continue", conflicts_with = "resume", help_heading = "Session")]
    pub go_on: bool,
    /// A file to attach to the first message (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Message")]
    pub attach: Vec<String>,
    /// Only the skills that this agent loads
    #[arg(long, value_name = "AGENT", help_heading = "For whom")]
    pub agent: Option<String>,
    /// The user who asks
    #[arg(long, value_name = "NAME", help_heading = "For whom")]
    pub user: Option<String>,
    /// Options of the assistant.
    #[command(flatten)]
    pub assistant: AssistantArgs,
}
