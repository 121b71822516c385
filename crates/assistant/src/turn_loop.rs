//! The loop of a turn: ask the model, run its calls, follow the transitions of its skills, until there is an
//! answer or a limit is reached.

use crate::{
    compaction,
    event::{Event, Status},
    fork::Background,
    history::{self, Item, ItemKind},
    image,
    journal::JournalEntry,
    model_set::{ModelChoice, ModelRequest},
    prompts, run_skill_program,
    session::ChatSession,
    setup::TurnSetup,
    skills,
    turn::{TurnEnd, TurnError},
};
use skillful_catalog::Entry as CatalogEntry;
use skillful_format::Diagnostic;
use skillful_llm::{
    Arguments, Delta, Error, Message, Part, Reply, Request, Role, Stop, StreamLimits, ToolSpec, Usage,
};
use skillful_runtime::{
    hooks::{Event as HookEvent, Fired, Happening},
    policy::{Aliases, Ground, Policy, Request as Asked},
    session::{self, Outcome, Skill},
};
use skillful_select::access::{Way, reach};
use std::{collections::BTreeSet, path::PathBuf, thread::Scope};

/// How often hooks may keep a turn from ending.
const HELD_OPEN: u32 = 3;

/// Characters of an answer that the session state keeps.
const ANSWER_BEGINS: usize = 200;

/// Tokens and cost of a turn.
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

/// A tool call of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
}

/// A turn in progress.
pub(crate) struct TurnLoop<'r, 'scope, 'env, 'w> {
    pub(crate) setup: &'env TurnSetup<'w>,
    pub(crate) session: &'r mut ChatSession,
    pub(crate) scope: &'scope Scope<'scope, 'env>,
    /// Sub-agents that run while the turn continues.
    pub(crate) background: Background,
    /// The model that active skills request; lasts for the turn.
    pub(crate) wanted: ModelRequest,
    pub(crate) spent: Spent,
    /// The system prompt.
    pub(crate) system: String,
    /// All tools that are offered now.
    pub(crate) tools: Vec<ToolSpec>,
    /// Skills that the calls of this step loaded: call id and address.
    pub(crate) loaded_now: Vec<(String, String)>,
    /// Calls of this step that were sub-agents.
    pub(crate) forked_now: Vec<String>,
    /// Files that the calls of this step read or changed.
    pub(crate) touched_now: Vec<PathBuf>,
    /// Skills whose use was recorded in this turn, by address.
    pub(crate) used: BTreeSet<String>,
    /// Notes for the model that go with the next results.
    pub(crate) notes: Vec<String>,
    /// The text of the answer that is being received.
    pub(crate) half: String,
    /// Whether the newest answer ended at its length limit.
    pub(crate) cut: bool,
    /// Why the turn must end.
    pub(crate) stopped: Option<String>,
    held_open: u32,
}

impl<'r, 'scope, 'env, 'w> TurnLoop<'r, 'scope, 'env, 'w> {
    pub(crate) fn new(
        setup: &'env TurnSetup<'w>,
        session: &'r mut ChatSession,
        scope: &'scope Scope<'scope, 'env>,
        system: String,
    ) -> Self {
        let mut turn_loop = Self {
            setup,
            session,
            scope,
            background: Background::default(),
            wanted: ModelRequest::default(),
            spent: Spent::default(),
            system,
            tools: Vec::new(),
            loaded_now: Vec::new(),
            forked_now: Vec::new(),
            touched_now: Vec::new(),
            used: BTreeSet::new(),
            notes: Vec::new(),
            half: String::new(),
            cut: false,
            stopped: None,
            held_open: 0,
        };
        turn_loop.rebuild_tools();
        turn_loop
    }

    /// Runs steps until there is an answer or a limit is reached.
    pub(crate) fn steps(&mut self) -> Result<(String, TurnEnd), TurnError> {
        let mut last = String::new();
        for _ in 0..self.setup.limits.steps {
            self.check_cancelled()?;
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
                    if last.is_empty() && end == TurnEnd::Answered {
                        let note =
                            "the model gave an empty answer; send the message again, or choose another model";
                        self.setup.observe(&Event::Note(note.to_owned()));
                    }
                    return Ok((last, end));
                }
                continue;
            }
            self.cut = reply.stop == Stop::Length;
            self.call(&calls)?;
            if let Some(why) = self.stopped.take() {
                return Ok((last, TurnEnd::Stopped(why)));
            }
            if self.take_touched()? {
                return Ok((last, TurnEnd::Joined));
            }
            let used = self.spent.usage.input.saturating_add(self.spent.usage.output);
            if let Some(most) = self.setup.limits.tokens.filter(|most| used >= *most) {
                let why = format!("the turn used {used} of {most} allowed tokens");
                return Ok((last, TurnEnd::Bound(why)));
            }
        }
        let why = format!(
            "the turn reached its limit of {} steps; send “go on” to continue",
            self.setup.limits.steps
        );
        Ok((last, TurnEnd::Bound(why)))
    }

    /// Handles an answer without a call: either the turn continues or it ends.
    fn answered(&mut self, text: &str, stop: &Stop) -> Result<Option<TurnEnd>, TurnError> {
        match stop {
            Stop::Refusal => return Ok(Some(TurnEnd::Refused)),
            Stop::Length => return Ok(Some(TurnEnd::Cut)),
            _ => {}
        }
        // Results of sub-agents belong to this turn: the model reads them before its answer counts.
        let results = self.wait_for_background();
        if !results.is_empty() {
            let items = results.into_iter().map(|text| Item::user(ItemKind::Note, text)).collect();
            self.push(items)?;
            self.setup.observe(&Event::Continued("a sub-agent has finished".to_owned()));
            return Ok(None);
        }
        // The state is written often, so it keeps only the beginning; the session keeps the whole answer.
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
            self.setup.observe(&Event::Continued(why.clone()));
            self.push(vec![Item::user(ItemKind::Note, format!("The work is not done yet: {why}"))])?;
            return Ok(None);
        }
        self.append(&[])?;
        Ok(Some(TurnEnd::Answered))
    }

    /// Acts on the outcome of a session event. Returns whether the model must be asked again.
    pub(crate) fn follow(&mut self, outcome: &Outcome) -> Result<bool, TurnError> {
        match outcome {
            Outcome::Moved { from, to, depth, .. } => {
                self.setup.observe(&Event::Transitioned {
                    from: from.clone(),
                    to: to.clone(),
                    depth: *depth,
                });
                self.deactivate_all_but(to);
                let before = from.as_ref().map_or_else(String::new, |from| format!(" from `{from}`"));
                let text = match skills::enter(self, to, Way::Transition) {
                    Ok(text) => format!("The work continues{before} with the skill `{to}`.\n\n{text}"),
                    Err(why) => {
                        self.setup.observe(&Event::NotActivated { skill: to.clone(), why: why.clone() });
                        format!(
                            "The skill `{to}` should follow{before} but cannot be loaded: {why}\nAnswer without it."
                        )
                    }
                };
                let mut items = vec![Item::user(ItemKind::Skill { name: to.clone() }, text)];
                items.extend(self.notes.drain(..).map(|note| Item::user(ItemKind::Note, note)));
                self.push(items)?;
                Ok(true)
            }
            Outcome::Stayed(why) => {
                self.setup.observe(&Event::TransitionRefused(why.to_string()));
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Asks the model and records its answer.
    fn ask(&mut self) -> Result<Reply, TurnError> {
        let choice = self.choice();
        let (mut is_first, mut shortened) = (true, false);
        let reply = loop {
            let request = self.request(&choice);
            let estimate = compaction::estimate(&request);
            if std::mem::take(&mut is_first)
                && compaction::is_needed(self.session.counted, estimate, &choice.line)
            {
                compaction::now(self, &choice.line)?;
                continue;
            }
            let answer = self.send(&choice, &request);
            match answer {
                Err(error) if compaction::is_too_long(&error) && !shortened => {
                    shortened = true;
                    compaction::now(self, &choice.line)?;
                }
                Err(error) if is_about_images(&error) && self.remove_images() => {
                    self.setup.observe(&Event::Note("this model does not take images".to_owned()));
                }
                Err(Error::Cancelled) => {
                    self.keep_half()?;
                    return Err(TurnError::Cancelled);
                }
                Err(error) => return Err(error.into()),
                Ok(reply) => {
                    let read = usize::try_from(reply.usage.input).unwrap_or(usize::MAX);
                    if read > 0 {
                        self.session.counted = Some((read, estimate));
                    }
                    break reply;
                }
            }
        };
        let mut reply = reply;
        history::make_call_ids_unique(&self.session.items, &mut reply.parts);
        let item = Item {
            kind: ItemKind::Answer,
            message: Message { role: Role::Assistant, parts: reply.parts.clone() },
        };
        self.push(vec![item])?;
        self.report_status(&choice);
        Ok(reply)
    }

    /// Replaces the images of the session by notes. Returns whether there were any.
    fn remove_images(&mut self) -> bool {
        image::remove_all(self.session.items.iter_mut().flat_map(|item| &mut item.message.parts))
    }

    /// Sends a request and records its usage.
    fn send(&mut self, choice: &ModelChoice, request: &Request) -> Result<Reply, Error> {
        let observer = self.setup.observer;
        let client = &self.setup.models.client;
        let provider = &choice.line.provider;
        let half = &mut self.half;
        half.clear();
        let reply =
            client.stream(provider, request, StreamLimits::default(), &self.setup.cancel, &mut |delta| {
                match &delta {
                    Delta::Text(text) => half.push_str(text),
                    Delta::Retry { .. } => half.clear(),
                    _ => {}
                }
                observer.observe(&Event::Delta(delta));
            })?;
        self.half.clear();
        self.count(choice, &reply);
        Ok(reply)
    }

    fn count(&mut self, choice: &ModelChoice, reply: &Reply) {
        let cost = choice.line.price.map(|price| price.of(reply.usage));
        self.spent.add(reply.usage, cost);
        if let Err(why) = self.setup.journal.record_usage(&choice.line.provider.model, reply.usage, cost) {
            self.setup.observe(&Event::Note(format!("the usage could not be recorded: {why}")));
        }
    }

    /// Asks without streaming the answer to the observer.
    pub(crate) fn ask_silently(&mut self, choice: &ModelChoice, request: &Request) -> Result<String, Error> {
        let client = &self.setup.models.client;
        let limits = StreamLimits::default();
        let reply = client.stream(&choice.line.provider, request, limits, &self.setup.cancel, &mut |_| {})?;
        self.count(choice, &reply);
        Ok(reply.text())
    }

    /// The request of this step.
    pub(crate) fn request(&self, choice: &ModelChoice) -> Request {
        Request {
            system: Some(self.system.clone()),
            messages: history::messages(&self.session.items),
            tools: self.tools.clone(),
            max_tokens: choice.line.answer,
            temperature: None,
            effort: choice.line.effort,
        }
    }

    /// Rebuilds the list of tools. Of several tools with one name the first counts.
    pub(crate) fn rebuild_tools(&mut self) {
        let mut names = BTreeSet::new();
        let served = self.session.served.iter().map(|tool| ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone().unwrap_or_default(),
            schema: tool.schema.clone(),
        });
        let own = self.setup.tools.iter().map(|tool| tool.spec());
        let mut about_skills =
            if skills::has_any(self.setup) { skills::specs(self.setup) } else { Vec::new() };
        if !about_skills.is_empty() && self.setup.env.programs.is_some() {
            about_skills.push(run_skill_program::spec());
        }
        let all = about_skills.into_iter().chain(own).chain(served);
        let is_offered = |name: &str| self.only_tools().is_none_or(|only| only.offers(name));
        self.tools = all.filter(|spec| is_offered(&spec.name) && names.insert(spec.name.clone())).collect();
    }

    /// The model that answers: the user's request comes before those of skills.
    pub(crate) fn choice(&self) -> ModelChoice {
        let first = |own: &Option<String>, skill: &Option<String>| own.clone().or_else(|| skill.clone());
        let own = &self.setup.wanted;
        let model = own.model.clone().or_else(|| self.wanted.model.clone());
        let tier = if own.model.is_some() { own.tier.clone() } else { first(&own.tier, &self.wanted.tier) };
        self.setup.models.choose(&ModelRequest {
            model,
            tier,
            effort: first(&own.effort, &self.wanted.effort),
        })
    }

    /// Notes the model that a skill requests; a request that cannot be met is reported once, here.
    pub(crate) fn request_model(&mut self, entry: &CatalogEntry) {
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
            self.setup.observe(&Event::Note(format!("{}: {note}", entry.address())));
        }
    }

    /// The policy in force: what the user allows, narrowed by the leading skill.
    pub(crate) fn policy(&self) -> (Policy, Ground) {
        let work = self.setup.work;
        let names: Vec<String> = self.tools.iter().map(|spec| spec.name.clone()).collect();
        let ground = Ground { aliases: Aliases::of(&self.setup.agent.tools, &names), ..work.ground.clone() };
        let lists = self.session.state.lists();
        let scope = self.session.state.leading().and_then(|skill| self.entry(&skill.name));
        let scope = scope.map_or(skillful_catalog::profile::Scope::Project, |entry| entry.origin.scope);
        let (lists, _) = work.in_effect.with(Asked { lists: &lists, scope, opt_in: work.opt_in }, &ground);
        (Policy::of(&lists, &ground), ground)
    }

    /// The catalog entry of an address.
    pub(crate) fn entry(&self, name: &str) -> Option<&'w CatalogEntry> {
        let catalog = self.setup.engine.catalog;
        let person = self.setup.engine.asker.principal.user.as_deref();
        catalog.called_by(name, person).map(|(_, entry)| entry)
    }

    /// Applies an event to the session state; a transition asks the gate.
    pub(crate) fn apply(&mut self, event: &session::Event) -> Outcome {
        let engine = &self.setup.engine;
        let gate = |word: &str| -> Result<Skill, String> {
            let proof = reach(engine.catalog, word, engine.asker, Way::Transition)
                .map_err(|refusal| refusal.message())?;
            let entry = &engine.catalog.entries[proof.entry()];
            Ok(Skill::of(entry))
        };
        self.session.state.apply(event, &gate)
    }

    /// Fires the hooks and reports their problems to the observer.
    pub(crate) fn fire(&mut self, happening: &Happening) -> Fired {
        if self.session.hooks.is_empty() {
            return Fired::default();
        }
        let aliases = &self.setup.work.ground.aliases;
        let fired =
            self.session.hooks.fire(happening, aliases, self.setup.work.run.unwrap_or(&skills::NoCommands));
        self.session.state.spend_hooks(fired.spent.iter().cloned());
        self.report(fired.diagnostics.clone());
        self.notes.extend(fired.context.iter().cloned());
        if let Some(why) = &fired.stopped {
            self.stopped.get_or_insert_with(|| why.clone());
        }
        fired
    }

    pub(crate) fn report(&self, diagnostics: Vec<Diagnostic>) {
        for one in diagnostics {
            self.setup.observe(&Event::Diagnostic(one));
        }
    }

    /// Adds items to the session and writes them to the journal.
    pub(crate) fn push(&mut self, items: Vec<Item>) -> Result<(), TurnError> {
        let entries: Vec<JournalEntry> = items.iter().cloned().map(JournalEntry::Item).collect();
        self.session.items.extend(items);
        self.append(&entries)
    }

    /// Writes entries and the state to the journal.
    pub(crate) fn append(&self, entries: &[JournalEntry]) -> Result<(), TurnError> {
        self.setup.journal.append(entries, &self.session.state).map_err(TurnError::Journal)
    }

    pub(crate) fn check_cancelled(&self) -> Result<(), TurnError> {
        if self.setup.cancel.is_cancelled() { Err(TurnError::Cancelled) } else { Ok(()) }
    }

    fn report_status(&self, choice: &ModelChoice) {
        let lists = self.session.state.lists();
        let words =
            |grants: Vec<skillful_format::ToolGrant>| grants.iter().map(ToString::to_string).collect();
        self.setup.observe(&Event::Status(Status {
            active: self.session.state.active().iter().map(|skill| skill.name.clone()).collect(),
            tools: lists.allowed.map(words),
            model: choice.line.provider.model.clone(),
            turn: self.spent.usage,
            context: self.session.counted.map_or(0, |(counted, _)| counted),
            window: choice.line.window,
            cost: self.spent.cost,
        }));
    }

    /// Ends the hooks, servers and tools of all skills but one, after a transition.
    fn deactivate_all_but(&mut self, name: &str) {
        self.session.hooks.keep_only(name);
        let gone: BTreeSet<String> =
            self.session.served.iter().map(|tool| tool.skill.clone()).filter(|skill| skill != name).collect();
        self.session.served.retain(|tool| tool.skill == name);
        self.rebuild_tools();
        if let Some(bridge) = self.setup.servers {
            for skill in &gone {
                bridge.stop(skill);
            }
        }
    }
}

/// Whether a server refuses a request because of its images.
fn is_about_images(error: &Error) -> bool {
    let Error::Status { status: 400 | 404 | 415 | 422, message, .. } = error else { return false };
    let message = message.to_lowercase();
    ["image", "multimodal", "vision", "media type"].iter().any(|word| message.contains(word))
}

/// The calls of an answer, in order.
pub(crate) fn calls(reply: &Reply) -> Vec<Call> {
    let call = |part: &Part| match part {
        Part::Call { id, name, arguments } => {
            Some(Call { id: id.clone(), name: name.clone(), arguments: arguments.clone() })
        }
        _ => None,
    };
    reply.parts.iter().filter_map(call).collect()
}

/// A hook event that is not about a tool.
pub(crate) fn happening(event: HookEvent) -> Happening {
    Happening { event, tool: None, input: serde_json::Value::Null, more: serde_json::Map::new() }
}

/// The system prompt with this menu.
pub(crate) fn system(setup: &TurnSetup<'_>, menu: &str) -> String {
    prompts::system(setup, menu, skills::has_any(setup))
}
