//! Tools for a model. A call is planned first, which changes nothing and describes the effects; it runs when
//! policy and user allow it.

use crate::{image::Image, tool_environment::ToolEnvironment};
use serde_json::{Map, Value};
use skillful_llm::ToolSpec;
use std::path::PathBuf;

/// Most bytes of a result that a model reads.
pub const RESULT_LIMIT: usize = 48 << 10;

/// An effect of a call, known before it runs. The policy judges each effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads a file or a folder, by its real path.
    Read(PathBuf),
    /// Creates or changes a file, by its real path.
    Write(PathBuf),
    /// Runs a command in the sandbox.
    Command {
        /// The command line for the shell.
        text: String,
        /// Whether it requests the network.
        network: bool,
    },
    /// Runs a program of a skill.
    Program {
        /// The skill, by address.
        skill: String,
        /// The same as a command line.
        command: String,
    },
    /// Fetches an address.
    Fetch(String),
    /// Another effect, described by text.
    Other(String),
}

/// How far a call reaches; the widest of its effects counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Changes nothing and sends nothing: reading in the project, finding skills.
    Nothing,
    /// Stays in the project: an edit there, a command in the sandbox.
    Project,
    /// Leaves the project: the network, other folders, tools of other programs.
    Beyond,
    /// Changes files outside the project, or reaches everything that this machine reaches, its own services and
    /// private networks included: a command with the network. Needs approval in every mode.
    Machine,
    /// Changes what instructs agents or makes tools of the user run code, or reads keys. Needs approval in every
    /// mode, each time.
    Guarded,
}

/// What the user sees before approving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preview {
    /// A change of a file as a unified diff.
    Diff(String),
    /// Anything else, such as a command.
    Text(String),
}

/// The result of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// What the model reads.
    pub text: String,
    /// Whether it failed.
    pub failed: bool,
    /// Bytes that were removed from the text; the text reports them.
    pub cut: usize,
    /// Whether the text comes from an untrusted source such as the web.
    pub untrusted: bool,
    /// An image that the model sees with the text.
    pub image: Option<Image>,
}

impl Output {
    /// A successful result.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A failed result.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: true, ..Self::default() }
    }
}

/// Runs an allowed call.
pub type Work<'a> = Box<dyn FnOnce() -> Output + Send + 'a>;

/// A planned call.
pub struct ToolPlan<'a> {
    /// A few words for the user: `read src/main.rs`. Empty when the call reports its own events.
    pub summary: String,
    /// The effects.
    pub effects: Vec<Effect>,
    /// The reach.
    pub reach: Reach,
    /// What to show before approval.
    pub preview: Option<Preview>,
    /// Whether it may run in parallel: it changes nothing.
    pub parallel: bool,
    /// Runs the call.
    pub work: Work<'a>,
}

/// A tool that a model can call.
pub trait Tool: Send + Sync {
    /// Name, description and schema of the arguments.
    fn spec(&self) -> ToolSpec;

    /// Plans a call without changing anything. The error is for the model and names the fix.
    fn plan<'a>(
        &'a self,
        arguments: &Map<String, Value>,
        env: &'a ToolEnvironment<'a>,
    ) -> Result<ToolPlan<'a>, String>;
}
