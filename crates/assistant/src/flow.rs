//! The loop of a turn: ask the model, do what it calls for, follow the pipeline of its skills, until there
//! is an answer or a bound.

use crate::{
    compaction,
    conversation::{self, Item, Kind},
    event::{Event, Status},
    fork::Background,
    journal::Entry,
    roster::{Choice, Wanted},
    run::{End, Run, TurnError, World},
    skills, words,
};
use skillful_catalog::Entry as CatalogEntry;
use skillful_format::Diagnostic;
use skillful_llm::{
    Arguments, Error, Message, Part, Reply, Request, Role, Stop, StreamLimits, ToolSpec, Usage,
};
use skillful_runtime::{
    hooks::{Event as HookEvent, Fired, Happening},
    policy::{Aliases, Ground, Policy, Request as Asked},
    session::{self, Outcome, Skill},
};
use skillful_select::access::{Way, reach};
use std::{collections::BTreeSet, thread::Scope};

/// Times that hooks may keep a turn from ending.
const HELD_OPEN: u32 = 3;

/// Characters of an answer that the history of skills keeps.
const ANSWER_BEGINS: usize = 200;

/// What a turn used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) usage: Usage,
    pub(crate) cost: Option<f64>,
}

impl Spent {
    pub(crate) fn add(&mut self, usage: Usage, cost: Option<f64>) {
        self.usage += usage;
        if let Some(cost) = cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
    }
}

/// A call of a tool, out of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
}

/// A turn on its way.
pub(crate) struct Flow<'r, 'scope, 'env, 'w> {
    pub(crate) world: &'env World<'w>,
    pub(crate) run: &'r mut Run,
    pub(crate) scope: &'scope Scope<'scope, 'env>,
    /// Sub-agents that work while the turn goes on.
    pub(crate) background: Background,
    /// What active skills want of the model; ends with the turn.
    pub(crate) wanted: Wanted,
    pub(crate) spent: Spent,
    /// What the model is told above the conversation.
    pub(crate) system: String,
    /// Every tool there is now.
    pub(crate) tools: Vec<ToolSpec>,
    /// Instructions that the calls of this step loaded: call, address.
    pub(crate) loaded_now: Vec<(String, String)>,
    /// Calls of this step that were sub-agents.
    pub(crate) forked_now: Vec<String>,
    /// Words for the model that go with the next results.
    pub(crate) notes: Vec<String>,
    /// Why the turn has to end here.
    pub(crate) stopped: Option<String>,
    held_open: u32,
}

impl<'r, 'scope, 'env, 'w> Flow<'r, 'scope, 'env, 'w> {
    pub(crate) fn new(
        world: &'env World<'w>,
        run: &'r mut Run,
        scope: &'scope Scope<'scope, 'env>,
        system: String,
    ) -> Self {
        let mut flow = Self {
            world,
            run,
            scope,
            background: Background::default(),
            wanted: Wanted::default(),
            spent: Spent::default(),
            system,
            tools: Vec::new(),
            loaded_now: Vec::new(),
            forked_now: Vec::new(),
            notes: Vec::new(),
            stopped: None,
            held_open: 0,
        };
        flow.count_tools();
        flow
    }

    /// Goes on until there is an answer or a bound.
    pub(crate) fn steps(&mut self) -> Result<(String, End), TurnError> {
        let mut last = String::new();
        for _ in 0..self.world.limits.steps {
            self.wanted_still()?;
            let outcome = self.apply(&session::Event::Step);
            self.follow(&outcome)?;
            let reply = self.ask()?;
            let text = reply.text();
            if !text.trim().is_empty() {
                last.clone_from(&text);
            }
            let calls = calls(&reply);
            if calls.is_empty() {
                if let Some(end) = self.answered(&text, &reply.stop)? {
                    return Ok((last, end));
                }
                continue;
            }
            self.call(&calls)?;
            if let Some(why) = self.stopped.take() {
                return Ok((last, End::Stopped(why)));
            }
            let used = self.spent.usage.input.saturating_add(self.spent.usage.output);
            if let Some(most) = self.world.limits.tokens.filter(|most| used >= *most) {
                let why = format!("the turn used {used} tokens, and {most} are allowed");
                return Ok((last, End::Bound(why)));
            }
        }
        let why = format!(
            "the model was asked {} times without an end; say “go on” to continue",
            self.world.limits.steps
        );
        Ok((last, End::Bound(why)))
    }

    /// The model answered without a call: what follows, or the end.
    fn answered(&mut self, text: &str, stop: &Stop) -> Result<Option<End>, TurnError> {
        match stop {
            Stop::Refusal => return Ok(Some(End::Refused)),
            Stop::Length => return Ok(Some(End::Cut)),
            _ => {}
        }
        // Their results belong to this turn: the model reads them before its answer counts.
        let results = self.wait_for_background();
        if !results.is_empty() {
            let items = results.into_iter().map(|text| Item::user(Kind::Note, text)).collect();
            self.push(items)?;
            return Ok(None);
        }
        // The conversation keeps all of it; the state, which is written often, only how it begins.
        let begins: String = text.chars().take(ANSWER_BEGINS).collect();
        let outcome = self.apply(&session::Event::FinalAnswer { text: begins, tool_calls: false });
        if self.follow(&outcome)? {
            return Ok(None);
        }
        let mut happening = happening(HookEvent::Stop);
        happening.more.insert("last_answer".to_owned(), text.into());
        let fired = self.fire(&happening);
        if let Some(why) = fired.blocked.filter(|_| self.held_open < HELD_OPEN) {
            self.held_open += 1;
            self.push(vec![Item::user(Kind::Note, format!("The work is not done yet: {why}"))])?;
            return Ok(None);
        }
        self.keep(&[])?;
        Ok(Some(End::Answered))
    }

    /// Acts on what the session says. Tells whether the model is to be asked again.
    pub(crate) fn follow(&mut self, outcome: &Outcome) -> Result<bool, TurnError> {
        match outcome {
            Outcome::Moved { from, to, depth, .. } => {
                self.world.see(&Event::Moved { from: from.clone(), to: to.clone(), depth: *depth });
                self.leave_all_but(to);
                let before = from.as_ref().map_or_else(String::new, |from| format!(" from `{from}`"));
                let text = match skills::enter(self, to, Way::Transition) {
                    Ok(text) => format!("The work goes on{before} with the skill `{to}`.\n\n{text}"),
                    Err(why) => {
                        self.world.see(&Event::NotActivated { skill: to.clone(), why: why.clone() });
                        format!(
                            "The skill `{to}` was to follow{before} and cannot: {why}\nAnswer without it."
                        )
                    }
                };
                let item = Item::user(Kind::Skill { name: to.clone() }, text);
                self.push(vec![item])?;
                Ok(true)
            }
            Outcome::Stayed(why) => {
                self.world.see(&Event::Stayed(why.to_string()));
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Asks the model and keeps its answer.
    fn ask(&mut self) -> Result<Reply, TurnError> {
        let choice = self.choice();
        compaction::if_needed(self, &choice.line)?;
        let mut shortened = false;
        let reply = loop {
            let request = self.request(&choice);
            let estimate = compaction::estimate(&request);
            let answer = self.send(&choice, &request);
            match answer {
                Err(error) if compaction::is_too_long(&error) && !shortened => {
                    shortened = true;
                    compaction::now(self, &choice.line)?;
                }
                Err(Error::Cancelled) => return Err(TurnError::Cancelled),
                Err(error) => return Err(error.into()),
                Ok(reply) => {
                    let read = usize::try_from(reply.usage.input).unwrap_or(usize::MAX);
                    if read > 0 {
                        self.run.counted = Some((read, estimate));
                    }
                    break reply;
                }
            }
        };
        let mut reply = reply;
        self.name_apart(&mut reply.parts);
        let item = Item {
            kind: Kind::Answer,
            message: Message { role: Role::Assistant, parts: reply.parts.clone() },
        };
        self.push(vec![item])?;
        self.tell_status(&choice);
        Ok(reply)
    }

    /// Sends a request, and counts what it cost.
    fn send(&mut self, choice: &Choice, request: &Request) -> Result<Reply, Error> {
        let watch = self.world.watch;
        let client = &self.world.roster.client;
        let provider = &choice.line.provider;
        let reply =
            client.stream(provider, request, StreamLimits::default(), &self.world.cancel, &mut |delta| {
                watch.see(&Event::Delta(delta));
            })?;
        self.count(choice, &reply);
        Ok(reply)
    }

    fn count(&mut self, choice: &Choice, reply: &Reply) {
        let cost = choice.line.price.map(|price| price.of(reply.usage));
        self.spent.add(reply.usage, cost);
        if let Err(why) = self.world.journal.spent(&choice.line.provider.model, reply.usage, cost) {
            self.world.see(&Event::Note(format!("what it cost could not be kept: {why}")));
        }
    }

    /// Asks for something that nobody watches being written.
    pub(crate) fn quietly(&mut self, choice: &Choice, request: &Request) -> Result<String, Error> {
        let client = &self.world.roster.client;
        let limits = StreamLimits::default();
        let reply = client.stream(&choice.line.provider, request, limits, &self.world.cancel, &mut |_| {})?;
        self.count(choice, &reply);
        Ok(reply.text())
    }

    /// The request of this step.
    pub(crate) fn request(&self, choice: &Choice) -> Request {
        Request {
            system: Some(self.system.clone()),
            messages: conversation::messages(&self.run.items),
            tools: self.tools.clone(),
            max_tokens: choice.line.answer,
            temperature: None,
            effort: choice.line.effort,
        }
    }

    /// Looks which tools there are. Those of one name are one: the first.
    pub(crate) fn count_tools(&mut self) {
        let mut names = BTreeSet::new();
        let served = self.run.served.iter().map(|tool| ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone().unwrap_or_default(),
            schema: tool.schema.clone(),
        });
        let own = self.world.tools.iter().map(|tool| tool.spec());
        let all = skills::specs().into_iter().chain(own).chain(served);
        self.tools = all.filter(|spec| names.insert(spec.name.clone())).collect();
    }

    /// Who answers: what the person wants comes before what skills want.
    pub(crate) fn choice(&self) -> Choice {
        let first = |own: &Option<String>, skill: &Option<String>| own.clone().or_else(|| skill.clone());
        let own = &self.world.wanted;
        let model = own.model.clone().or_else(|| self.wanted.model.clone());
        let tier = if own.model.is_some() { own.tier.clone() } else { first(&own.tier, &self.wanted.tier) };
        self.world.roster.choose(&Wanted { model, tier, effort: first(&own.effort, &self.wanted.effort) })
    }

    /// A skill says which model it wants. What could not be followed is told once, here.
    pub(crate) fn want(&mut self, entry: &CatalogEntry) {
        let manifest = &entry.loaded.manifest;
        for (to, from) in [
            (&mut self.wanted.model, &manifest.model),
            (&mut self.wanted.tier, &manifest.model_tier),
            (&mut self.wanted.effort, &manifest.effort),
        ] {
            if from.is_some() {
                to.clone_from(from);
            }
        }
        if let Some(note) = self.choice().note {
            self.world.see(&Event::Note(format!("{}: {note}", entry.address())));
        }
    }

    /// Servers that number their calls anew in each answer would make two calls one.
    fn name_apart(&self, parts: &mut [Part]) {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for part in self.run.items.iter().flat_map(|item| &item.message.parts) {
            if let Part::Call { id, .. } = part {
                known.insert(id.clone());
            }
        }
        for part in parts {
            if let Part::Call { id, .. } = part {
                let plain = id.clone();
                let mut number = 2;
                while id.is_empty() || !known.insert(id.clone()) {
                    *id = format!("{plain}_{number}");
                    number += 1;
                }
            }
        }
    }

    /// The policy in force: what the person allows, as the leading skill narrows it.
    pub(crate) fn policy(&self) -> (Policy, Ground) {
        let work = self.world.work;
        let names: Vec<String> = self.tools.iter().map(|spec| spec.name.clone()).collect();
        let ground = Ground { aliases: Aliases::of(&self.world.agent.tools, &names), ..work.ground.clone() };
        let lists = self.run.session.lists();
        let scope = self.run.session.leading().and_then(|skill| self.entry(&skill.name));
        let scope = scope.map_or(skillful_catalog::profile::Scope::Project, |entry| entry.origin.scope);
        let (lists, _) = work.in_effect.with(Asked { lists: &lists, scope, opt_in: work.opt_in }, &ground);
        (Policy::of(&lists, &ground), ground)
    }

    /// The skill of an address.
    pub(crate) fn entry(&self, name: &str) -> Option<&'w CatalogEntry> {
        let catalog = self.world.engine.catalog;
        let person = self.world.engine.asker.principal.user.as_deref();
        catalog.called_by(name, person).map(|(_, entry)| entry)
    }

    /// Tells the session; a transition asks the gate.
    pub(crate) fn apply(&mut self, event: &session::Event) -> Outcome {
        let engine = &self.world.engine;
        let gate = |word: &str| -> Result<Skill, String> {
            let proof = reach(engine.catalog, word, engine.asker, Way::Transition)
                .map_err(|refusal| refusal.message())?;
            let entry = &engine.catalog.entries[proof.entry()];
            Ok(Skill::of(&entry.address(), &entry.loaded.manifest))
        };
        self.run.session.apply(event, &gate)
    }

    /// Tells the hooks, and the watchers what went wrong with them.
    pub(crate) fn fire(&mut self, happening: &Happening) -> Fired {
        if self.run.hooks.is_empty() {
            return Fired::default();
        }
        let aliases = &self.world.work.ground.aliases;
        let fired =
            self.run.hooks.fire(happening, aliases, self.world.work.run.unwrap_or(&skills::NoCommands));
        self.tell(fired.diagnostics.clone());
        self.notes.extend(fired.context.iter().cloned());
        if let Some(why) = &fired.stopped {
            self.stopped.get_or_insert_with(|| why.clone());
        }
        fired
    }

    pub(crate) fn tell(&self, diagnostics: Vec<Diagnostic>) {
        for one in diagnostics {
            self.world.see(&Event::Told(one));
        }
    }

    /// Adds to the conversation and keeps it.
    pub(crate) fn push(&mut self, items: Vec<Item>) -> Result<(), TurnError> {
        let entries: Vec<Entry> = items.iter().cloned().map(Entry::Item).collect();
        self.run.items.extend(items);
        self.keep(&entries)
    }

    /// Keeps entries together with the state.
    pub(crate) fn keep(&self, entries: &[Entry]) -> Result<(), TurnError> {
        self.world.journal.keep(entries, &self.run.session).map_err(TurnError::Journal)
    }

    pub(crate) fn wanted_still(&self) -> Result<(), TurnError> {
        if self.world.cancel.is_cancelled() { Err(TurnError::Cancelled) } else { Ok(()) }
    }

    fn tell_status(&self, choice: &Choice) {
        let lists = self.run.session.lists();
        let words =
            |grants: Vec<skillful_format::ToolGrant>| grants.iter().map(ToString::to_string).collect();
        self.world.see(&Event::Status(Status {
            active: self.run.session.active().iter().map(|skill| skill.name.clone()).collect(),
            tools: lists.allowed.map(words),
            model: choice.line.provider.model.clone(),
            turn: self.spent.usage,
            context: self.run.counted.map_or(0, |(counted, _)| counted),
            window: choice.line.window,
            cost: self.spent.cost,
        }));
    }

    /// Skills that the work moved away from end: their hooks, their servers, their tools.
    fn leave_all_but(&mut self, name: &str) {
        self.run.hooks.keep_only(name);
        let gone: BTreeSet<String> =
            self.run.served.iter().map(|tool| tool.skill.clone()).filter(|skill| skill != name).collect();
        self.run.served.retain(|tool| tool.skill == name);
        self.count_tools();
        if let Some(bridge) = self.world.servers {
            for skill in &gone {
                bridge.stop(skill);
            }
        }
    }
}

/// The calls of an answer, in order.
fn calls(reply: &Reply) -> Vec<Call> {
    let call = |part: &Part| match part {
        Part::Call { id, name, arguments } => {
            Some(Call { id: id.clone(), name: name.clone(), arguments: arguments.clone() })
        }
        _ => None,
    };
    reply.parts.iter().filter_map(call).collect()
}

/// An event about no tool.
pub(crate) fn happening(event: HookEvent) -> Happening {
    Happening { event, tool: None, input: serde_json::Value::Null, more: serde_json::Map::new() }
}

/// What a model is told above a conversation with these skills.
pub(crate) fn system(world: &World<'_>, catalogue: &str) -> String {
    words::system(world, catalogue)
}
