//! A run: a conversation with everything that is active in it, and the world a turn happens in.

use crate::{
    approval::{ApprovalMode, Approve},
    conversation::Item,
    event::{Event, Watch},
    journal::{Entry, Journal},
    roster::{Roster, Wanted},
    scene::Scene,
    servers::Bridge,
    tool::{Reach, Tool},
};
use skillful_catalog::AgentProfile;
use skillful_llm::{Cancel, Usage};
use skillful_mcp::client::Tool as ServerTool;
use skillful_render::{Budget, Unit, news::Seen};
use skillful_runtime::{
    BodyExecution, Engine,
    compose::{Composition, Ranked},
    hooks::Live,
    session::{Abilities, Session},
};
use std::collections::{BTreeMap, BTreeSet};

/// How far a turn may go. Reaching one ends the turn with words that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Times that the model is asked in a turn.
    pub steps: u32,
    /// Calls of one answer that are done; the others are told that they were too many.
    pub calls: usize,
    /// Times that the model of a sub-agent is asked.
    pub fork_steps: u32,
    /// Bytes of a sub-agent's answer that its parent reads.
    pub fork_answer: usize,
    /// Sub-agents that work at a time.
    pub forks: usize,
    /// Tokens that a turn may use, sub-agents included; without a bound when `None`.
    pub tokens: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: skillful::config::assistant::DEFAULT_STEPS,
            calls: 64,
            fork_steps: 30,
            fork_answer: 16 << 10,
            forks: 4,
            tokens: None,
        }
    }
}

/// Finds skills by what somebody wants to do. Asked only when it is needed, so that nothing is opened before.
pub trait Finder: Sync {
    /// Skills in the order of their worth for a message.
    fn rank(&self, message: &str, menu: &[usize]) -> Ranked;

    /// The skills that serve a task, best first, among those that are open.
    fn search(&self, query: &str, limit: usize, open: &dyn Fn(usize) -> bool) -> Vec<usize>;
}

/// Everything around a turn.
pub struct World<'a> {
    /// The skills, who asks, and how their commands run.
    pub engine: Engine<'a>,
    /// Our own agent: names of tools, form of the catalogue.
    pub agent: &'a AgentProfile,
    /// How commands of skills run, and the tools in effect before any skill.
    pub work: BodyExecution<'a>,
    /// The room of the catalogue.
    pub budget: Budget,
    /// What costs are counted in.
    pub unit: Unit,
    /// Finds skills by what somebody wants to do.
    pub finder: &'a dyn Finder,
    /// The models.
    pub roster: &'a Roster,
    /// Tools besides those about skills.
    pub tools: &'a [Box<dyn Tool>],
    /// What they work in.
    pub scene: Scene<'a>,
    /// Servers of skills; `None` when they are switched off.
    pub servers: Option<&'a Bridge>,
    /// Who is asked.
    pub approve: &'a dyn Approve,
    /// When.
    pub mode: ApprovalMode,
    /// What keeps.
    pub journal: &'a dyn Journal,
    /// Who watches.
    pub watch: &'a dyn Watch,
    /// Says that the step is not wanted any more.
    pub cancel: Cancel,
    /// Bounds.
    pub limits: Limits,
    /// What the person wants above what skills want: `--model`, `--effort`.
    pub wanted: Wanted,
    /// What the project tells every agent, such as its AGENTS.md; empty when there is nothing.
    pub instructions: String,
    /// The date, as a model should know it; empty when it should not.
    pub today: String,
    /// Whether a page of the web makes the run untrusted, so that it loses what acts on the world.
    pub distrust_web: bool,
}

/// A conversation with everything that is active in it.
#[derive(Default)]
pub struct Run {
    /// What was said.
    pub(crate) items: Vec<Item>,
    /// What is active.
    pub(crate) session: Session,
    /// Hooks of active skills.
    pub(crate) hooks: Live,
    /// Tools of the servers of active skills.
    pub(crate) served: Vec<ServerTool>,
    /// Variables that active skills show to commands.
    pub(crate) environment: BTreeMap<String, String>,
    /// Whether skills are active that have not taken effect in this process yet.
    pub(crate) resumed: bool,
    /// What a person agreed to for the rest of the conversation.
    pub(crate) agreed: BTreeSet<(String, Reach)>,
    /// Tokens of the last request as its server counted them, and as we did.
    pub(crate) counted: Option<(usize, usize)>,
    /// What all turns used.
    pub(crate) usage: Usage,
}

impl<'a> World<'a> {
    /// What activates skills, with their commands.
    pub(crate) fn engine(&self) -> Engine<'a> {
        Engine { work: Some(self.work), ..self.engine }
    }

    /// Something happened.
    pub(crate) fn see(&self, event: &Event) {
        self.watch.see(event);
    }
}

impl Run {
    /// A conversation that begins.
    pub fn new() -> Self {
        let abilities = Abilities { sub_agents: true, nested: false, strict_targets: false };
        Self { session: Session::new(abilities), ..Self::default() }
    }

    /// A conversation that goes on, from what its journal holds.
    pub fn resume(entries: impl IntoIterator<Item = Entry>, session: Session) -> Self {
        let mut items = Vec::new();
        for entry in entries {
            match entry {
                Entry::Item(item) => items.push(item),
                Entry::Compacted { items: now } => items = now,
                Entry::Note { .. } => {}
            }
        }
        Self { items, session, resumed: true, ..Self::default() }
    }

    /// What was said.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// What is active.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What all turns used.
    pub fn usage(&self) -> Usage {
        self.usage
    }
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With an answer.
    Answered,
    /// The model or a filter refused.
    Refused,
    /// The answer was cut at its longest length.
    Cut,
    /// A bound was reached; in words.
    Bound(String),
    /// A person or a hook stopped it; in words.
    Stopped(String),
}

/// What a turn came to.
#[derive(Clone, Debug)]
pub struct Turned {
    /// The last answer.
    pub text: String,
    /// How it ended.
    pub end: End,
    /// What was chosen and what it cost.
    pub composition: Composition,
    /// What the person can see now; to be kept, since the turn came to its end.
    pub seen: Seen,
    /// Skills that stay on.
    pub roots: Vec<String>,
    /// What it used, sub-agents included.
    pub usage: Usage,
    /// What that cost, when prices are known.
    pub cost: Option<f64>,
}

/// Why a turn did not come to its end. What was journaled stays.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// No answer of the model.
    #[error(transparent)]
    Model(#[from] skillful_llm::Error),
    /// Nobody wants it any more.
    #[error("the step was cancelled")]
    Cancelled,
    /// It could not be kept, and an agent that forgets what it did is worse than none.
    #[error("what happened could not be kept: {0}")]
    Journal(String),
    /// A hook of a skill refused the message.
    #[error("the message was not taken: {0}")]
    Blocked(String),
}

impl Finder for skillful::Workspace {
    fn rank(&self, message: &str, menu: &[usize]) -> Ranked {
        skillful::turn::rank(&self.index(), message, menu)
    }

    fn search(&self, query: &str, limit: usize, open: &dyn Fn(usize) -> bool) -> Vec<usize> {
        self.index().search(query, limit, open).into_iter().map(|found| found.entry).collect()
    }
}
