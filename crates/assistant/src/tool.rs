//! A tool: what a model may have done. First a plan, which changes nothing and says what would
//! happen; then, when policy and person agree, the work.

use crate::scene::Scene;
use serde_json::{Map, Value};
use skillful_llm::ToolSpec;
use std::path::PathBuf;

/// Bytes of a result that a model reads; the rest is counted.
pub const RESULT_LIMIT: usize = 48 << 10;

/// What a call does to the world, known before it does it. The policy judges each of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads a file or a folder, by its real path.
    Read(PathBuf),
    /// Makes or changes a file, by its real path.
    Write(PathBuf),
    /// Runs a command in the sandbox.
    Command {
        /// As a shell gets it.
        text: String,
        /// Whether it asks for the network.
        network: bool,
    },
    /// Reaches an address.
    Fetch(String),
    /// Something else that only the name of the tool and these words tell.
    Other(String),
}

/// How far a call reaches. The greatest of its effects counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Changes nothing and tells nobody: reading in the project, finding skills.
    Nothing,
    /// Can be undone within the project: an edit there, a command that the sandbox keeps there.
    Project,
    /// Leaves it: the network, other folders, tools of other programs.
    Beyond,
    /// Changes what agents are told to do: a folder of skills. A person is asked in every mode.
    Guarded,
}

/// What a person may see before they agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preview {
    /// A change of a file as a unified difference.
    Diff(String),
    /// Anything else, such as a command.
    Text(String),
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// What the model reads.
    pub text: String,
    /// Whether it failed.
    pub failed: bool,
    /// Bytes that were left out of the text, which says so.
    pub cut: usize,
    /// Whether it is the word of somebody whom nobody vouches for.
    pub untrusted: bool,
}

impl Output {
    /// It went well.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// It did not.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { text: text.into(), failed: true, ..Self::default() }
    }
}

/// The work of a call that was agreed to.
pub type Work<'a> = Box<dyn FnOnce() -> Output + Send + 'a>;

/// A call that can be judged.
pub struct Plan<'a> {
    /// In a few words, for a person: `read src/main.rs`. Empty when what happens tells itself.
    pub summary: String,
    /// What it does, one by one.
    pub effects: Vec<Effect>,
    /// How far that reaches.
    pub reach: Reach,
    /// What to show before a person agrees.
    pub preview: Option<Preview>,
    /// Whether it may run beside others of its kind: it changes nothing.
    pub parallel: bool,
    /// Does it.
    pub work: Work<'a>,
}

/// Something a model may have done.
pub trait Tool: Send + Sync {
    /// Its name, its words for a model, and the schema of its arguments.
    fn spec(&self) -> ToolSpec;

    /// Looks at a call and changes nothing. The error is for the model and says what to do.
    fn plan<'a>(&'a self, arguments: &Map<String, Value>, scene: &'a Scene<'a>) -> Result<Plan<'a>, String>;
}
