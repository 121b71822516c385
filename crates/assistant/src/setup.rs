//! Everything a turn needs from outside: skills, models, tools, limits, and the receivers of questions, events and records.

use crate::{
    agent_definitions::AgentDefinitions,
    approval::{ApprovalMode, Approver},
    event::{Event, Observer},
    journal::Journal,
    model_set::{ModelRequest, ModelSet},
    servers::SkillServers,
    tool::Tool,
    tool_environment::ToolEnvironment,
    touched_files::NearbySkills,
};
use skillful_catalog::{AgentProfile, Entry, asked_server::AskedServer};
use skillful_format::{ToolGrant, manifest::McpServer};
use skillful_llm::Cancel;
use skillful_render::{Budget, Unit};
use skillful_runtime::{BodyExecution, Engine, compose::Ranked};
use std::collections::BTreeSet;

/// Limits of a turn. A turn that reaches one ends and reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests to the model per turn.
    pub steps: u32,
    /// Calls of one answer that run; the others get an error.
    pub calls: usize,
    /// Requests to the model per sub-agent.
    pub fork_steps: u32,
    /// Bytes of a sub-agent's answer that its parent reads.
    pub fork_answer: usize,
    /// Sub-agents that run at the same time.
    pub forks: usize,
    /// Tokens per turn, sub-agents included; unlimited when `None`.
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

/// Finds skills by task. Called only when needed, so that the search index is not opened before.
pub trait Finder: Sync {
    /// Skills ranked for a message.
    fn rank(&self, message: &str, menu: &[usize]) -> Ranked;

    /// The skills for a task, best first, among those that are available.
    fn search(&self, query: &str, limit: usize, open: &dyn Fn(usize) -> bool) -> Vec<usize>;
}

/// The answers of the user about servers on the network that skills connect to.
pub trait ServerAnswers: Sync {
    /// The servers that a skill may connect to.
    fn servers(&self, entry: &Entry) -> BTreeSet<AskedServer>;

    /// The answer about one server, when there is one.
    fn answer(&self, entry: &Entry, server: &AskedServer) -> Option<bool>;

    /// The servers that a skill depends on and that the user configured, and the names of those that are missing.
    fn dependencies(&self, entry: &Entry) -> (Vec<McpServer>, Vec<String>);
}

impl ServerAnswers for skillful::Workspace {
    fn servers(&self, entry: &Entry) -> BTreeSet<AskedServer> {
        self.allowed_servers(entry)
    }

    fn answer(&self, entry: &Entry, server: &AskedServer) -> Option<bool> {
        self.server_answer(entry, server)
    }

    fn dependencies(&self, entry: &Entry) -> (Vec<McpServer>, Vec<String>) {
        self.server_dependencies(entry)
    }
}

/// Everything a turn needs from outside.
pub struct TurnSetup<'a> {
    /// The skills and the principal who asks.
    pub engine: Engine<'a>,
    /// The assistant's own agent profile: names of tools, form of the menu.
    pub agent: &'a AgentProfile,
    /// How commands of skills run, and the tool lists before any skill is active.
    pub work: BodyExecution<'a>,
    /// The budget of the menu.
    pub budget: Budget,
    /// The unit of the budget.
    pub unit: Unit,
    /// Finds skills by task.
    pub finder: &'a dyn Finder,
    /// The models.
    pub models: &'a ModelSet,
    /// Tools other than those about skills.
    pub tools: &'a [Box<dyn Tool>],
    /// The environment of the tools.
    pub env: ToolEnvironment<'a>,
    /// MCP servers of skills; `None` when they are off.
    pub servers: Option<&'a SkillServers>,
    /// The servers on the network that the user allowed to skills.
    pub answers: &'a dyn ServerAnswers,
    /// Knows which skills are near a file; `None` when none can join.
    pub nearby: Option<&'a dyn NearbySkills>,
    /// What a sub-agent can be.
    pub definitions: &'a AgentDefinitions,
    /// The tools of a sub-agent; all of them when `None`.
    pub only_tools: Option<&'a [ToolGrant]>,
    /// Asks the user.
    pub approver: &'a dyn Approver,
    /// When the user is asked.
    pub mode: ApprovalMode,
    /// Records the session.
    pub journal: &'a dyn Journal,
    /// Receives events.
    pub observer: &'a dyn Observer,
    /// Set when the user cancels the step.
    pub cancel: Cancel,
    /// Limits of the turn.
    pub limits: Limits,
    /// The user's request, which overrides those of skills: `--model`, `--effort`.
    pub wanted: ModelRequest,
    /// The project's instructions, such as its AGENTS.md; empty when there are none.
    pub instructions: String,
    /// The date for the system prompt; empty to leave it out.
    pub today: String,
    /// Whether the first turn of a session describes the state of the repository.
    pub describes_repository: bool,
    /// Whether a web page makes the session untrusted, so that it loses tools that change things.
    pub distrust_web: bool,
}

impl<'a> TurnSetup<'a> {
    /// The engine that activates skills and runs their commands.
    pub(crate) fn engine(&self) -> Engine<'a> {
        Engine { work: Some(self.work), ..self.engine }
    }

    /// Sends an event to the observer.
    pub(crate) fn observe(&self, event: &Event) {
        self.observer.observe(event);
    }
}

impl Finder for skillful::Workspace {
    fn rank(&self, message: &str, menu: &[usize]) -> Ranked {
        skillful::turn::rank(&self.index(), message, menu)
    }

    fn search(&self, query: &str, limit: usize, open: &dyn Fn(usize) -> bool) -> Vec<usize> {
        self.index().search(query, limit, open).into_iter().map(|found| found.entry).collect()
    }
}
