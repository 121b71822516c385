//! Sub-agents: a skill with a conversation of its own, its own tools and its own bounds. Only its last
//! answer comes back.

use crate::{
    approval::Nobody,
    conversation::{Item, Kind},
    event::{Event, ForkPhase, Watch},
    flow::{Flow, Spent, system},
    journal::{Forgetful, Journal},
    run::{End, Limits, Run, World},
    skills,
    tool::Output,
    words,
};
use skillful_llm::Usage;
use skillful_render::escape;
use skillful_runtime::{
    compose::{Manner, disclose},
    policy::ToolLists,
    session::{Abilities, Event as Happens, Session, Skill},
};
use skillful_select::turn::Turn;
use std::{
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// What a sub-agent is to do.
pub(crate) struct Job {
    /// The skill that leads it.
    pub(crate) skill: String,
    /// Its instructions, rendered.
    pub(crate) instructions: String,
    /// The tools it may use.
    pub(crate) lists: ToolLists,
}

/// What came of it.
pub(crate) struct Done {
    pub(crate) output: Output,
    pub(crate) spent: Spent,
}

/// Works until the sub-agent ends. It asks nobody: what would need a person's yes is denied.
pub(crate) fn run(world: &World<'_>, job: &Job) -> Done {
    run_as(world, job, false)
}

fn run_as(world: &World<'_>, job: &Job, background: bool) -> Done {
    let phase = |phase| world.see(&Event::Fork { skill: job.skill.clone(), phase });
    phase(ForkPhase::Began { background });
    let watch = Through { world, skill: &job.skill };
    let journal = CountsOnly(world.journal);
    let inner = World {
        approve: &Nobody,
        watch: &watch,
        journal: &journal,
        limits: Limits { steps: world.limits.fork_steps, ..world.limits },
        scene: world.scene.clone(),
        wanted: world.wanted.clone(),
        instructions: format!("{}\n\n{}", words::SUB_AGENT, world.instructions),
        today: world.today.clone(),
        cancel: world.cancel.clone(),
        ..*world
    };
    let mut child =
        Run { session: Session::new(Abilities { nested: true, ..Abilities::default() }), ..Run::default() };
    let done = thread::scope(|scope| {
        let turn = Turn { folder: world.scene.folder.clone(), ..Turn::default() };
        let manner = Manner { unit: inner.unit, ..Manner::plain(Some(inner.agent), inner.budget) };
        let catalogue = disclose(&inner.engine(), &turn, &manner).text;
        let mut flow = Flow::new(&inner, &mut child, scope, system(&inner, &catalogue));
        if let Some(entry) = flow.entry(&job.skill) {
            let mut skill = Skill::of(&job.skill, &entry.loaded.manifest);
            skill.fork = false;
            skill.lists = job.lists.clone();
            let outcome = flow.apply(&Happens::Activate { skill, call: String::new() });
            skills::takes_effect(&mut flow, entry, None, "sub-agent", &outcome);
        }
        let item = Item::user(Kind::Skill { name: job.skill.clone() }, job.instructions.clone());
        let ended = flow.push(vec![item]).and_then(|()| flow.steps());
        let output = match ended {
            Ok((text, End::Answered)) => Output::ok(compact(&text, world.limits.fork_answer)),
            Ok((text, end)) => Output::failed(format!(
                "It did not come to its end: {}\n\n{}",
                ending(&end),
                compact(&text, world.limits.fork_answer)
            )),
            Err(error) => Output::failed(format!("It failed: {error}")),
        };
        Done { output, spent: flow.spent }
    });
    phase(ForkPhase::Ended { failed: done.output.failed });
    done
}

fn ending(end: &End) -> String {
    match end {
        End::Answered => "it answered".to_owned(),
        End::Refused => "its model refused".to_owned(),
        End::Cut => "its answer was cut at the longest length".to_owned(),
        End::Bound(why) | End::Stopped(why) => why.clone(),
    }
}

/// What the parent reads.
pub(crate) fn told(skill: &str, output: &Output) -> String {
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
    format!("{}\n(… {} bytes are left out …)\n{}", &text[..head], tail - head, &text[tail..])
}

/// What a sub-agent does, as its parent's watchers see it.
struct Through<'a, 'w> {
    world: &'a World<'w>,
    skill: &'a str,
}

impl Watch for Through<'_, '_> {
    fn see(&self, event: &Event) {
        match event {
            Event::Began { summary, .. } => {
                let phase = ForkPhase::Uses(summary.clone());
                self.world.see(&Event::Fork { skill: self.skill.to_owned(), phase });
            }
            Event::Denied { .. } | Event::Told(_) | Event::Note(_) | Event::NotActivated { .. } => {
                self.world.watch.see(event);
            }
            _ => {}
        }
    }
}

/// What a sub-agent says is not kept; what it uses is.
struct CountsOnly<'a>(&'a dyn Journal);

impl Journal for CountsOnly<'_> {
    fn keep(&self, entries: &[crate::journal::Entry], state: &Session) -> Result<(), String> {
        Forgetful.keep(entries, state)
    }

    fn used(&self, skill: &str) -> Result<(), String> {
        self.0.used(skill)
    }

    fn spent(&self, model: &str, usage: Usage, cost: Option<f64>) -> Result<(), String> {
        self.0.spent(model, usage, cost)
    }
}

/// What sub-agents used, counted from their threads.
#[derive(Clone, Default)]
pub(crate) struct Account(Arc<Mutex<Spent>>);

impl Account {
    pub(crate) fn add(&self, spent: &Spent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(spent.usage, spent.cost);
    }
}

/// Sub-agents that work while the turn goes on.
pub(crate) struct Background {
    account: Account,
    running: usize,
    send: Sender<String>,
    come: Receiver<String>,
}

impl Default for Background {
    fn default() -> Self {
        let (send, come) = channel();
        Self { account: Account::default(), running: 0, send, come }
    }
}

impl Background {
    /// Where sub-agents count what they use.
    pub(crate) fn account(&self) -> Account {
        self.account.clone()
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.running > 0
    }

    /// What came in since the last look.
    pub(crate) fn finished(&mut self) -> Vec<String> {
        let come: Vec<String> = self.come.try_iter().collect();
        self.running -= come.len();
        come
    }

    /// Adds what sub-agents used to what the turn used.
    pub(crate) fn settle(&self, spent: &mut Spent) {
        let used = std::mem::take(&mut *self.account.0.lock().unwrap_or_else(PoisonError::into_inner));
        spent.add(used.usage, used.cost);
    }
}

impl Flow<'_, '_, '_, '_> {
    /// Starts a sub-agent that the run does not wait for until it has its answer.
    pub(crate) fn start_in_background(&mut self, job: Job) -> Result<(), String> {
        let most = self.world.limits.forks;
        if self.background.running >= most {
            return Err(format!("{most} sub-agents work in the background already; wait for their results"));
        }
        self.background.running += 1;
        let (world, send, account) = (self.world, self.background.send.clone(), self.background.account());
        self.scope.spawn(move || {
            let done = run_as(world, &job, true);
            account.add(&done.spent);
            // Nobody listens when the turn failed meanwhile.
            let _gone = send.send(told(&job.skill, &done.output));
        });
        Ok(())
    }

    /// Waits for the sub-agents that still work, and gives what they say.
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
