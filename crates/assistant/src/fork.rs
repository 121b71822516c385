//! Sub-agents: a skill with its own session, tools and limits. Only its last answer comes back.

use crate::{
    agent_definitions::AgentDefinition,
    approval::DenyAll,
    event::{Event, ForkPhase, Observer},
    history::{Item, ItemKind},
    journal::{Journal, NoJournal},
    prompts,
    session::ChatSession,
    setup::{Limits, TurnSetup},
    skills,
    tool::Output,
    turn::TurnEnd,
    turn_loop::{Spent, TurnLoop, system},
};
use skillful_llm::Usage;
use skillful_render::escape;
use skillful_runtime::{
    BodyExecution,
    compose::{Manner, MenuFor, disclose},
    policy::ToolLists,
    session::{Abilities, Event as Happens, Session, Skill},
};
use skillful_select::{
    access::{Admitted, Way},
    turn::Turn,
};
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// The task of a sub-agent.
pub(crate) struct SubAgentTask {
    /// The gate's proof for the skill.
    pub(crate) proof: Admitted,
    /// The skill that leads it.
    pub(crate) skill: String,
    /// Its instructions with its folder and its files, as a model reads them.
    pub(crate) instructions: String,
    /// The tools it may use.
    pub(crate) lists: ToolLists,
}

/// The result of a sub-agent.
pub(crate) struct SubAgentResult {
    pub(crate) output: Output,
    pub(crate) spent: Spent,
}

/// Runs a sub-agent to its end. Calls that need the user's approval are denied.
pub(crate) fn run(setup: &TurnSetup<'_>, task: &SubAgentTask) -> SubAgentResult {
    run_as(setup, task, false)
}

fn run_as(setup: &TurnSetup<'_>, task: &SubAgentTask, background: bool) -> SubAgentResult {
    let phase = |phase| setup.observe(&Event::Fork { skill: task.skill.clone(), phase });
    phase(ForkPhase::Started { background });
    let observer = ForwardingObserver { setup, skill: &task.skill };
    let own = match setup.journal.sub_agent(&task.skill) {
        Ok(own) => own,
        Err(why) => {
            setup.observe(&Event::Note(format!("the sub-agent of {} is not recorded: {why}", task.skill)));
            None
        }
    };
    let journal = SubAgentJournal { parent: setup.journal, own };
    let entry = &setup.engine.catalog.entries[task.proof.entry()];
    let wanted = entry.loaded.manifest.agent.as_deref().map(|name| setup.definitions.get(name));
    let unknown = wanted.as_ref().and_then(|found| found.as_ref().err());
    if let Some(why) = unknown {
        let why = format!("{}: {why}; its sub-agent has no definition", task.skill);
        setup.observe(&Event::Note(why));
    }
    let usual = AgentDefinition::default();
    let definition = wanted.and_then(Result::ok).unwrap_or(&usual);
    let mut in_effect = setup.work.in_effect.clone();
    in_effect.lists.disallowed.extend(definition.disallowed.iter().cloned());
    let inner = TurnSetup {
        work: BodyExecution { in_effect: &in_effect, ..setup.work },
        approver: &DenyAll,
        nearby: None,
        only_tools: definition.tools.as_deref(),
        observer: &observer,
        journal: &journal,
        limits: Limits { steps: setup.limits.fork_steps, ..setup.limits },
        env: setup.env.clone(),
        wanted: setup.wanted.clone(),
        instructions: [prompts::SUB_AGENT.trim_end(), &definition.instructions, &setup.instructions]
            .map(|part| if part.is_empty() { String::new() } else { format!("{part}\n\n") })
            .concat(),
        today: setup.today.clone(),
        cancel: setup.cancel.clone(),
        ..*setup
    };
    let mut child = ChatSession {
        state: Session::new(Abilities { nested: true, ..Abilities::default() }),
        ..ChatSession::default()
    };
    let done = thread::scope(|scope| {
        let turn = Turn { folder: setup.env.folder.clone(), ..Turn::default() };
        let manner = Manner {
            unit: inner.unit,
            menu: MenuFor::Session,
            ..Manner::plain(Some(inner.agent), inner.budget)
        };
        let menu = disclose(&inner.engine(), &turn, &manner).text;
        let mut turn_loop = TurnLoop::new(&inner, &mut child, scope, system(&inner, &menu));
        turn_loop.wanted.model.clone_from(&definition.model);
        let mut skill = Skill::of(entry);
        skill.fork = false;
        skill.lists = task.lists.clone();
        let outcome = turn_loop.apply(&Happens::Activate { skill, call: String::new() });
        skills::apply_effects(&mut turn_loop, &task.proof, None, "sub-agent", &outcome);
        // The skills that it begins with lead nothing, so that their model does not count.
        let wanted = turn_loop.wanted.clone();
        let mut items = Vec::new();
        for name in &definition.skills {
            match skills::enter(&mut turn_loop, name, Way::Load) {
                Ok(text) => items.push(Item::user(ItemKind::Skill { name: name.clone() }, text)),
                Err(why) => setup.observe(&Event::NotActivated { skill: name.clone(), why }),
            }
        }
        turn_loop.wanted = wanted;
        let kind = ItemKind::Skill { name: task.skill.clone() };
        items.push(Item::user(kind, task.instructions.clone()));
        let ended = turn_loop.push(items).and_then(|()| turn_loop.steps());
        let output = match ended {
            Ok((text, TurnEnd::Answered)) => Output::ok(compact(&text, setup.limits.fork_answer)),
            Ok((text, end)) => Output::failed(format!(
                "It did not finish: {}\n\n{}",
                ending(&end),
                compact(&text, setup.limits.fork_answer)
            )),
            Err(error) => Output::failed(format!("It failed: {error}")),
        };
        SubAgentResult { output, spent: turn_loop.spent }
    });
    phase(ForkPhase::Finished { failed: done.output.failed });
    done
}

fn ending(end: &TurnEnd) -> String {
    match end {
        TurnEnd::Answered | TurnEnd::Joined => "it answered".to_owned(),
        TurnEnd::Refused => "its model refused".to_owned(),
        TurnEnd::Cut => "its answer reached the length limit".to_owned(),
        TurnEnd::Bound(why) | TurnEnd::Stopped(why) => why.clone(),
    }
}

/// The result as the parent reads it.
pub(crate) fn result_text(skill: &str, output: &Output) -> String {
    let inner = escape::closing(output.text.trim(), "sub_agent");
    format!("<sub_agent skill=\"{}\">\n{inner}\n</sub_agent>", escape::xml(skill))
}

/// The beginning and the end of a long answer.
fn compact(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit * 3 / 4);
    let tail = text.ceil_char_boundary(text.len() - limit / 4);
    format!("{}\n(… {} bytes removed …)\n{}", &text[..head], tail - head, &text[tail..])
}

/// Forwards the events of a sub-agent to the parent's observer.
struct ForwardingObserver<'a, 'w> {
    setup: &'a TurnSetup<'w>,
    skill: &'a str,
}

impl Observer for ForwardingObserver<'_, '_> {
    fn observe(&self, event: &Event) {
        match event {
            Event::ToolStarted { summary, .. } => {
                let phase = ForkPhase::Uses(summary.clone());
                self.setup.observe(&Event::Fork { skill: self.skill.to_owned(), phase });
            }
            Event::Denied { .. } | Event::Diagnostic(_) | Event::Note(_) | Event::NotActivated { .. } => {
                self.setup.observer.observe(event);
            }
            _ => {}
        }
    }
}

/// Records the messages of a sub-agent in a session of its own, and its usage with its parent.
struct SubAgentJournal<'a> {
    parent: &'a dyn Journal,
    own: Option<Box<dyn Journal + 'a>>,
}

impl Journal for SubAgentJournal<'_> {
    fn append(&self, entries: &[crate::journal::JournalEntry], state: &Session) -> Result<(), String> {
        match &self.own {
            Some(own) => own.append(entries, state),
            None => NoJournal.append(entries, state),
        }
    }

    fn record_use(&self, skill: &str) -> Result<(), String> {
        self.parent.record_use(skill)
    }

    fn record_usage(&self, model: &str, usage: Usage, cost: Option<f64>) -> Result<(), String> {
        self.parent.record_usage(model, usage, cost)
    }
}

/// Tokens that sub-agents used, added from their threads.
#[derive(Clone, Default)]
pub(crate) struct UsageCounter(Arc<Mutex<Spent>>);

impl UsageCounter {
    pub(crate) fn add(&self, spent: &Spent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(spent.usage, spent.cost);
    }
}

/// Sub-agents that run while the turn continues.
pub(crate) struct Background {
    account: UsageCounter,
    running: usize,
    send: Sender<String>,
    come: Receiver<String>,
}

impl Default for Background {
    fn default() -> Self {
        let (send, come) = channel();
        Self { account: UsageCounter::default(), running: 0, send, come }
    }
}

impl Background {
    /// The counter that sub-agents add to.
    pub(crate) fn account(&self) -> UsageCounter {
        self.account.clone()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.running > 0
    }

    /// Results that arrived since the last call.
    pub(crate) fn finished(&mut self) -> Vec<String> {
        let come: Vec<String> = self.come.try_iter().collect();
        self.running -= come.len();
        come
    }

    /// Moves the usage of sub-agents into the usage of the turn.
    pub(crate) fn settle(&self, spent: &mut Spent) {
        let used = std::mem::take(&mut *self.account.0.lock().unwrap_or_else(PoisonError::into_inner));
        spent.add(used.usage, used.cost);
    }
}

impl TurnLoop<'_, '_, '_, '_> {
    /// Starts a sub-agent in the background; the turn waits for it only before its own answer.
    pub(crate) fn start_in_background(&mut self, task: SubAgentTask) -> Result<(), String> {
        let most = self.setup.limits.forks;
        if self.background.running >= most {
            return Err(format!("{most} sub-agents already run in the background; wait for their results"));
        }
        self.background.running += 1;
        let (setup, send, account) = (self.setup, self.background.send.clone(), self.background.account());
        self.scope.spawn(move || {
            let done = run_as(setup, &task, true);
            account.add(&done.spent);
            // The receiver is gone when the turn failed meanwhile.
            let _gone = send.send(result_text(&task.skill, &done.output));
        });
        Ok(())
    }

    /// Waits for the running sub-agents and returns their results.
    pub(crate) fn wait_for_background(&mut self) -> Vec<String> {
        let mut come = self.background.finished();
        while self.background.running > 0 {
            let Ok(text) = self.background.come.recv() else { break };
            self.background.running -= 1;
            come.push(text);
        }
        self.background.settle(&mut self.spent);
        come
    }
}
