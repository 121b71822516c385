//! The state of a session: which skills are active, which tool lists are in effect, how far a
//! pipeline went. Events go in, outcomes come out; the caller does the work.
//!
//! Invariants: no more than [`DEPTH_LIMIT`] transitions in a turn, of both kinds together; a fork is
//! started once for a call; an untrusted run stays untrusted; the same events through the same gate
//! give the same state. No disk, no clock, no model.

mod event;
mod history;
mod skill;
mod transition;

pub use event::{Event, Outcome, Stay, Undirected};
pub use history::{ANSWER_LIMIT, HISTORY_LIMIT, History, Record, TransitionCause};
pub use skill::Skill;

use crate::policy::ToolLists;
use serde::{Deserialize, Serialize};
use skillful_format::ToolGrant;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Transitions in one turn, both kinds together.
pub const DEPTH_LIMIT: u32 = 5;
/// Skills that are active at once; the oldest leaves.
pub const ACTIVE_LIMIT: usize = 32;
/// Forks of one run. They are never forgotten, or a retry could start one twice.
pub const FORK_LIMIT: usize = 256;

/// The tools that a run loses once it has read untrusted content: those that act on the machine, reach the network,
/// or read what could be sent out.
pub const HIGH_PRIVILEGE_TOOLS: [&str; 28] = [
    "run_command",
    "run_skill_program",
    "read_file",
    "write_file",
    "edit_file",
    "delete_file",
    "list_dir",
    "glob",
    "grep",
    "file_search",
    "web_fetch",
    "web_search",
    "memory_write",
    "save_memory",
    "send_mail",
    "send_email",
    "send_message",
    "phone_call",
    "control_device",
    "delegate",
    "spawn_agent",
    "task",
    "fan_out",
    "save_skill",
    "save_workflow",
    "skill_management",
    "schedule",
    "discover_mcp_server",
];

/// Most hooks with `once` that a session remembers.
const SPENT_LIMIT: usize = 256;

/// Most files that a session remembers.
const TOUCHED_LIMIT: usize = 512;

/// Most skills whose texts a session knows.
const TEXTS_LIMIT: usize = 512;

/// What a run can do; fixed when it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Abilities {
    /// Whether sub-agents can be started.
    pub sub_agents: bool,
    /// Whether this run is a sub-agent itself.
    pub nested: bool,
    /// Whether only the targets that a skill names can be gone to.
    pub strict_targets: bool,
}

/// Decides whether the session can go on to a skill: the skill, or the message for the caller. The caller asks
/// `access::reach` with `Way::Transition`.
pub type Gate<'a> = dyn Fn(&str) -> Result<Skill, String> + 'a;

/// The state of a run. It can be stored and read back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    abilities: Abilities,
    /// Oldest first; the last one leads.
    active: Vec<Skill>,
    lists: ToolLists,
    depth: u32,
    turn: u64,
    untrusted: bool,
    pending: Option<transition::Pending>,
    forks: BTreeSet<String>,
    /// Hooks with `once` that succeeded.
    #[serde(default)]
    spent_hooks: BTreeSet<String>,
    /// Files that were touched, relative to the folder.
    #[serde(default)]
    touched: BTreeSet<PathBuf>,
    /// The digests of the texts of skills as they were loaded last, by address.
    #[serde(default)]
    texts: BTreeMap<String, u64>,
    history: History,
}

impl Session {
    /// A run that has not begun.
    pub fn new(abilities: Abilities) -> Self {
        Self { abilities, ..Self::default() }
    }

    /// The skills that are active, the leading one last.
    pub fn active(&self) -> &[Skill] {
        &self.active
    }

    /// The skill whose pipeline goes on.
    pub fn leading(&self) -> Option<&Skill> {
        self.active.last()
    }

    /// The digest of the text of a skill as it was loaded last.
    pub fn text_of(&self, skill: &str) -> Option<u64> {
        self.texts.get(skill).copied()
    }

    /// Transitions of this turn.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether the run has read untrusted content.
    pub fn is_untrusted(&self) -> bool {
        self.untrusted
    }

    /// What happened, oldest first.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Whether a hook with `once` succeeded in this session.
    pub fn is_spent(&self, hook: &str) -> bool {
        self.spent_hooks.contains(hook)
    }

    /// Keeps the hooks with `once` that succeeded, up to a limit.
    pub fn spend_hooks(&mut self, hooks: impl IntoIterator<Item = String>) {
        let room = SPENT_LIMIT.saturating_sub(self.spent_hooks.len());
        self.spent_hooks.extend(hooks.into_iter().take(room));
    }

    /// Remembers a file that was touched, up to a limit. Returns whether it is new.
    pub fn touch(&mut self, file: &Path) -> bool {
        self.touched.len() < TOUCHED_LIMIT && self.touched.insert(file.to_path_buf())
    }

    /// Files that were touched, relative to the folder.
    pub fn touched(&self) -> impl Iterator<Item = &PathBuf> {
        self.touched.iter()
    }

    /// Sets whether only the targets that a skill names can be gone to.
    pub fn set_strict_targets(&mut self, strict: bool) {
        self.abilities.strict_targets = strict;
    }

    /// The lists to make a policy of: those of the last activation, and what an untrusted run lost.
    pub fn lists(&self) -> ToolLists {
        let mut lists = self.lists.clone();
        if self.untrusted {
            let lost =
                HIGH_PRIVILEGE_TOOLS.iter().map(|name| ToolGrant { name: (*name).to_owned(), pattern: None });
            lists.disallowed.extend(lost);
        }
        lists
    }

    /// Where the leading skill may go on to, in words for a model; `None` when it names nothing.
    pub fn targets(&self) -> Option<String> {
        let skill = self.leading()?;
        let mut lines: Vec<String> =
            skill.conditional.iter().map(|(label, target)| format!("- {label}: `{target}`")).collect();
        if let Some(next) = &skill.next {
            lines.push(format!("- after the final answer: `{next}`"));
        }
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Takes an event in.
    pub fn apply(&mut self, event: &Event, gate: &Gate<'_>) -> Outcome {
        match event {
            Event::TurnStarted => self.start_turn(),
            Event::Activate { skill, call } => self.activate(skill, call),
            Event::Transition { target, reason } => self.ask_transition(target, reason.as_deref(), gate),
            Event::Step => self.take_pending().unwrap_or(Outcome::Nothing),
            Event::FinalAnswer { text, tool_calls } => self.answer(text, *tool_calls, gate),
            Event::MarkUntrusted { source } => {
                if !self.untrusted {
                    self.untrusted = true;
                    self.history.push(Record::Untrusted { source: source.clone() });
                }
                Outcome::Nothing
            }
        }
    }

    /// A turn begins: the lists of the last one end, and its transitions no longer count.
    fn start_turn(&mut self) -> Outcome {
        self.turn = self.turn.saturating_add(1);
        self.depth = 0;
        self.lists = ToolLists::default();
        self.history.push(Record::Turn { number: self.turn });
        match self.pending.take() {
            Some(pending) => self.stay(Stay::TurnEnded { target: pending.skill.name }),
            None => Outcome::Nothing,
        }
    }

    fn activate(&mut self, skill: &Skill, call: &str) -> Outcome {
        if !skill.fork {
            self.lead(skill.clone());
            self.history.push(Record::Activated { skill: skill.name.clone() });
            return Outcome::Activated { skill: skill.name.clone() };
        }
        if self.forks.contains(call) {
            return Outcome::AlreadyForked { call: call.to_owned() };
        }
        let why = if self.abilities.nested {
            Some(Undirected::Nested)
        } else if self.untrusted {
            Some(Undirected::Untrusted)
        } else if !self.abilities.sub_agents {
            Some(Undirected::NoSubAgents)
        } else if call.trim().is_empty() {
            Some(Undirected::NoCall)
        } else if self.forks.len() >= FORK_LIMIT {
            Some(Undirected::TooMany)
        } else {
            None
        };
        if let Some(why) = why {
            self.lead(skill.clone());
            self.history.push(Record::Directed { skill: skill.name.clone(), why });
            return Outcome::Directive { skill: skill.name.clone(), why };
        }
        // The list goes with the child; the parent's stays as it is.
        self.forks.insert(call.to_owned());
        self.history.push(Record::Forked { skill: skill.name.clone(), call: call.to_owned() });
        Outcome::Fork { skill: skill.name.clone(), call: call.to_owned(), lists: skill.lists.clone() }
    }

    /// Makes a skill the leading one and its lists the ones in force.
    fn lead(&mut self, skill: Skill) {
        self.lists = skill.lists.clone();
        if self.texts.len() < TEXTS_LIMIT || self.texts.contains_key(&skill.name) {
            self.texts.insert(skill.name.clone(), skill.content);
        }
        self.active.retain(|other| other.name != skill.name);
        self.active.push(skill);
        if self.active.len() > ACTIVE_LIMIT {
            self.active.remove(0);
        }
    }
}
