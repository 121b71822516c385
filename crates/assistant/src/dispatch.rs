//! The calls of one answer: each is judged (hooks, policy, person), what is let through is done, and every
//! call gets exactly one result.

use crate::{
    approval::{Answer, Question, asks},
    conversation::{Item, Kind},
    event::Event,
    flow::{Call, Flow, happening},
    journal::Entry,
    run::TurnError,
    scene::Scene,
    skills,
    tool::{Effect, Output, Plan, RESULT_LIMIT, Reach},
};
use serde_json::{Map, Value};
use skillful_llm::{Arguments, Message, Part, Role};
use skillful_mcp::client::Tool as ServerTool;
use skillful_runtime::{
    hooks::{Event as HookEvent, Happening},
    policy::{Decision, Policy, ToolCall},
    session,
};
use std::{
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Calls that run side by side.
const SIDE_BY_SIDE: usize = 8;
/// Characters of broken arguments that the model sees again.
const BROKEN_SHOWN: usize = 200;

/// What was made of a call.
pub(crate) enum Judged<'a> {
    /// It has its result already.
    Done(Output),
    /// It may be done.
    Go(Plan<'a>),
}

/// The arguments of a call about skills.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Text<'a> {
    pub(crate) fn optional(self, name: &str) -> Result<Option<&'a str>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{name}` must be text")),
        }
    }

    pub(crate) fn needed(self, name: &str) -> Result<&'a str, String> {
        let text = self.optional(name)?.map(str::trim).filter(|text| !text.is_empty());
        text.ok_or_else(|| format!("`{name}` is missing"))
    }

    pub(crate) fn number(self, name: &str) -> Result<Option<usize>, String> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(usize::try_from(number).unwrap_or(usize::MAX))),
                None => Err(format!("`{name}` must be a whole number, 0 or more")),
            },
        }
    }
}

/// A result with the time it took.
type Timed = Option<(Output, Duration)>;

impl<'env> Flow<'_, '_, 'env, '_> {
    /// Does the calls of an answer and puts their results into the conversation.
    pub(crate) fn call(&mut self, calls: &[Call]) -> Result<(), TurnError> {
        let scene = Scene { environment: self.run.environment.clone(), ..self.world.scene.clone() };
        let mut results: Vec<Timed> = calls.iter().map(|_| None).collect();
        let mut group = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            let refused = if at >= self.world.limits.calls {
                Some(format!(
                    "too many calls in one answer: only the first {} are done",
                    self.world.limits.calls
                ))
            } else if self.world.cancel.is_cancelled() {
                Some("not done: the step was cancelled".to_owned())
            } else {
                self.stopped.as_ref().map(|why| format!("not done: {why}"))
            };
            let judged = match refused {
                Some(why) => Judged::Done(Output::failed(why)),
                None => self.judge(call, &scene),
            };
            match judged {
                Judged::Done(output) => results[at] = Some((output, Duration::ZERO)),
                Judged::Go(plan) if plan.parallel => group.push((at, plan)),
                Judged::Go(plan) => {
                    // What changes something waits for what only looks, and runs alone.
                    self.work(calls, std::mem::take(&mut group), &mut results);
                    self.work(calls, vec![(at, plan)], &mut results);
                }
            }
        }
        self.work(calls, group, &mut results);
        self.results(calls, results)
    }

    /// Runs plans side by side.
    fn work(&mut self, calls: &[Call], plans: Vec<(usize, Plan<'_>)>, results: &mut [Timed]) {
        let world = self.world;
        let began = |call: &Call, plan: &Plan<'_>| Event::Began {
            id: call.id.clone(),
            tool: call.name.clone(),
            summary: plan.summary.clone(),
            preview: plan.preview.clone(),
        };
        if let [_] = plans.as_slice() {
            for (at, plan) in plans {
                if !plan.summary.is_empty() {
                    world.see(&began(&calls[at], &plan));
                }
                let start = Instant::now();
                results[at] = Some(((plan.work)(), start.elapsed()));
            }
            return;
        }
        let threads = plans.len().min(SIDE_BY_SIDE);
        let plans = Mutex::new(plans.into_iter());
        let done = Mutex::new(results);
        let one = || {
            loop {
                let next = plans.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((at, plan)) = next else { break };
                if !plan.summary.is_empty() {
                    world.see(&began(&calls[at], &plan));
                }
                let start = Instant::now();
                let output = (plan.work)();
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done[at] = Some((output, start.elapsed()));
            }
        };
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(one);
            }
        });
    }

    /// Every call gets its result, in the order of the calls.
    fn results(&mut self, calls: &[Call], results: Vec<Timed>) -> Result<(), TurnError> {
        let mut parts = Vec::new();
        for (call, result) in calls.iter().zip(results) {
            let (output, took) = result.unwrap_or_else(|| {
                (Output::failed("not done: the tool ended without a word"), Duration::ZERO)
            });
            let output = capped(output);
            self.world.see(&Event::Ended {
                id: call.id.clone(),
                tool: call.name.clone(),
                text: output.text.clone(),
                failed: output.failed,
                took,
            });
            let event = if output.failed { HookEvent::PostToolUseFailure } else { HookEvent::PostToolUse };
            self.fire_about(event, call, |more| {
                more.insert("tool_response".to_owned(), output.text.clone().into());
            });
            if self.forked_now.contains(&call.id) {
                self.fire(&happening(HookEvent::SubagentStop));
            }
            if output.untrusted && self.world.distrust_web {
                self.apply(&session::Event::MarkUntrusted { source: call.name.clone() });
            }
            parts.push(Part::Result { id: call.id.clone(), text: output.text, failed: output.failed });
        }
        self.background.settle(&mut self.spent);
        self.forked_now.clear();
        let skills = std::mem::take(&mut self.loaded_now);
        let message = Message { role: Role::User, parts };
        let mut items = vec![Item { kind: Kind::Results { skills }, message }];
        let notes = self.notes.drain(..).chain(self.background.finished());
        items.extend(notes.map(|note| Item::user(Kind::Note, note)));
        self.push(items)
    }

    /// Looks at one call: is there such a tool, do hooks, policy and person agree?
    fn judge<'s>(&mut self, call: &Call, scene: &'s Scene<'s>) -> Judged<'s>
    where
        'env: 's,
    {
        let mut arguments = match &call.arguments {
            Arguments::Read(arguments) => arguments.clone(),
            Arguments::Unread(text) => {
                let shown: String = text.chars().take(BROKEN_SHOWN).collect();
                let why =
                    format!("the arguments are no JSON object; send the call again. They were: {shown}");
                return Judged::Done(Output::failed(why));
            }
        };
        let fired = self.fire_about(HookEvent::PreToolUse, call, |_| {});
        if let Some(why) = fired.blocked {
            return self.deny(call, &call.name, &format!("a hook refused it: {why}"));
        }
        if let Some(Value::Object(amended)) = fired.input {
            arguments = amended;
        }
        let (policy, _) = self.policy();
        if let Some(denied) = self.denied_by_name(call, &policy, &arguments) {
            return denied;
        }
        if let Some(judged) = skills::judge(self, call, &arguments) {
            return judged;
        }
        let own = self.world.tools.iter().find(|tool| tool.spec().name == call.name);
        let plan = match own {
            Some(tool) => match tool.plan(&arguments, scene) {
                Ok(plan) => plan,
                Err(why) => return Judged::Done(Output::failed(why)),
            },
            None => match self.run.served.iter().find(|tool| tool.name == call.name).cloned() {
                Some(tool) => self.server_plan(tool, arguments),
                None => return Judged::Done(Output::failed(self.unknown(&call.name))),
            },
        };
        self.permit(call, plan, &policy)
    }

    /// Tools about skills have no plan; their name and what they are about is all there is to judge.
    fn denied_by_name<'s>(
        &mut self,
        call: &Call,
        policy: &Policy,
        arguments: &Map<String, Value>,
    ) -> Option<Judged<'s>> {
        if !skills::TOOLS.contains(&call.name.as_str()) {
            return None;
        }
        let about = ["name", "target_skill"].iter().find_map(|key| arguments.get(*key)?.as_str());
        let about = about.unwrap_or_default();
        match policy.decide(&ToolCall::text(&call.name, about)) {
            Decision::Denied(reason) => Some(self.deny(call, about, &reason.to_string())),
            _ => None,
        }
    }

    /// Policy and person.
    fn permit<'s>(&mut self, call: &Call, mut plan: Plan<'s>, policy: &Policy) -> Judged<'s> {
        let mut why = None;
        for decision in decisions(policy, &call.name, &plan.effects) {
            match decision {
                Decision::Allowed(_) => {}
                Decision::Denied(reason) => return self.deny(call, &plan.summary, &reason.to_string()),
                Decision::NeedsApproval(reason) => why = Some(reason.to_string()),
            }
        }
        let agreed = self.run.agreed.contains(&(call.name.clone(), plan.reach));
        if asks(self.world.mode, plan.reach) && !(agreed && plan.reach < Reach::Guarded) {
            why.get_or_insert_with(|| reason(plan.reach).to_owned());
        }
        let Some(why) = why else { return Judged::Go(plan) };
        let fired = self.fire_about(HookEvent::PermissionRequest, call, |_| {});
        if let Some(why) = fired.blocked {
            return self.deny(call, &plan.summary, &format!("a hook refused it: {why}"));
        }
        let question = Question {
            tool: call.name.clone(),
            summary: plan.summary.clone(),
            reach: plan.reach,
            why,
            preview: plan.preview.take(),
            skill: self.run.session.leading().map(|skill| skill.name.clone()),
        };
        match self.world.approve.ask(&question) {
            Answer::Once => Judged::Go(plan),
            Answer::Always => {
                self.run.agreed.insert((call.name.clone(), plan.reach));
                Judged::Go(plan)
            }
            Answer::No(words) => {
                let words = words.unwrap_or_else(|| "the person said no".to_owned());
                self.deny(call, &plan.summary, &words)
            }
            Answer::Stop => {
                self.stopped = Some("the person stopped the turn".to_owned());
                self.deny(call, &plan.summary, "the person stopped the turn")
            }
        }
    }

    fn deny<'s>(&mut self, call: &Call, summary: &str, why: &str) -> Judged<'s> {
        self.world.see(&Event::Denied {
            tool: call.name.clone(),
            summary: summary.to_owned(),
            why: why.to_owned(),
        });
        let note = Entry::Note { text: format!("not allowed: {} ({summary}): {why}", call.name) };
        // The result says it too; a note that is lost loses nothing.
        let _told_with_the_result = self.keep(&[note]);
        Judged::Done(Output::failed(format!("Not done: {why}")))
    }

    fn server_plan<'s>(&self, tool: ServerTool, arguments: Map<String, Value>) -> Plan<'s>
    where
        'env: 's,
    {
        let world = self.world;
        let remote = self.entry(&tool.skill).and_then(|entry| entry.loaded.manifest.mcp.as_ref());
        let remote = remote.is_some_and(|server| server.url.is_some());
        Plan {
            summary: format!("{} of the skill {}", tool.raw, tool.skill),
            effects: Vec::new(),
            reach: if remote { Reach::Beyond } else { Reach::Project },
            preview: None,
            parallel: false,
            work: Box::new(move || match world.servers {
                Some(bridge) => bridge.call(&tool.name, arguments, &world.cancel),
                None => Output::failed("servers of skills are switched off"),
            }),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.tools.iter().map(|spec| spec.name.as_str()).collect();
        format!("there is no tool `{name}`; there are {}", names.join(", "))
    }

    /// Tells the hooks of a call.
    fn fire_about(
        &mut self,
        event: HookEvent,
        call: &Call,
        more: impl FnOnce(&mut Map<String, Value>),
    ) -> skillful_runtime::hooks::Fired {
        if self.run.hooks.is_empty() {
            return skillful_runtime::hooks::Fired::default();
        }
        let input = match &call.arguments {
            Arguments::Read(arguments) => Value::Object(arguments.clone()),
            Arguments::Unread(_) => Value::Null,
        };
        let mut happening = Happening { event, tool: Some(call.name.clone()), input, more: Map::new() };
        more(&mut happening.more);
        self.fire(&happening)
    }
}

/// What the policy says about each effect of a call.
fn decisions(policy: &Policy, tool: &str, effects: &[Effect]) -> Vec<Decision> {
    if effects.is_empty() {
        return vec![policy.decide(&ToolCall::bare(tool))];
    }
    let decide = |effect: &Effect| match effect {
        Effect::Read(path) | Effect::Write(path) => {
            policy.decide(&ToolCall::path(tool, &path.to_string_lossy()))
        }
        Effect::Command { text, .. } => policy.decide(&ToolCall::command(tool, text)),
        Effect::Fetch(url) => policy.decide(&ToolCall::url(tool, url)),
        Effect::Other(text) => policy.decide(&ToolCall::text(tool, text)),
    };
    effects.iter().map(decide).collect()
}

/// Why a person is asked, by how far a call reaches.
fn reason(reach: Reach) -> &'static str {
    match reach {
        Reach::Nothing => "it is asked for every call",
        Reach::Project => "it changes something",
        Reach::Beyond => "it reaches beyond the project",
        Reach::Guarded => "it changes what agents are told to do",
    }
}

/// A result that a model can afford to read.
fn capped(mut output: Output) -> Output {
    if output.text.len() > RESULT_LIMIT {
        let end = output.text.floor_char_boundary(RESULT_LIMIT);
        let cut = output.text.len() - end;
        output.text.truncate(end);
        output.text.push_str(&format!("\n({cut} bytes more are not shown.)"));
    }
    if output.text.trim().is_empty() {
        output.text.push_str("(no output)");
    }
    output
}
