//! The calls of one answer: hooks, policy and user decide about each, allowed calls run, and every call gets
//! exactly one result.

use crate::{
    approval::{ApprovalAnswer, ApprovalRequest, needs_approval},
    event::Event,
    history::{Item, ItemKind},
    image::Image,
    journal::JournalEntry,
    run_skill_program::{self, RUN_SKILL_PROGRAM},
    save_skill::SAVE_SKILL,
    skill_management::SKILL_MANAGEMENT,
    skills,
    tool::{Effect, Output, Preview, RESULT_LIMIT, Reach, ToolPlan},
    tool_environment::ToolEnvironment,
    touched_files,
    turn::TurnError,
    turn_loop::{Call, TurnLoop, happening},
};
use serde_json::{Map, Value};
use skillful_catalog::profile::ToolListMode;
use skillful_llm::{Arguments, Message, Part, Role};
use skillful_mcp::client::Tool as ServerTool;
use skillful_runtime::{
    hooks::{Event as HookEvent, Happening},
    policy::{Because, Decision, Policy, Reason as PolicyReason, ToolCall},
    session::{self, HIGH_PRIVILEGE_TOOLS},
};
use std::{
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// Most calls that run in parallel.
const SIDE_BY_SIDE: usize = 8;
/// Characters of unparsable arguments that are repeated to the model.
const BROKEN_SHOWN: usize = 200;

/// The decision about a call.
pub(crate) enum CallDecision<'a> {
    /// The call has its result already.
    Done(Output),
    /// The call may run.
    Run(ToolPlan<'a>),
}

/// The arguments of a tool about skills.
#[derive(Clone, Copy)]
pub(crate) struct SkillArguments<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> SkillArguments<'a> {
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

impl<'env> TurnLoop<'_, '_, 'env, '_> {
    /// Runs the calls of an answer and adds their results to the session.
    pub(crate) fn call(&mut self, calls: &[Call]) -> Result<(), TurnError> {
        let (policy, _) = self.policy();
        let mut env =
            ToolEnvironment { environment: self.session.environment.clone(), ..self.setup.env.clone() };
        if let Some(programs) = env.programs {
            programs.add_called(self.session.state.active().iter().map(|skill| skill.name.clone()));
            // Commands do not get what the tool is forbidden.
            let decision = policy.decide(&ToolCall::bare(RUN_SKILL_PROGRAM));
            let is_banned = matches!(decision, Decision::Denied(PolicyReason::Disallowed(_)));
            env.programs = env.programs.filter(|_| !is_banned);
        }
        let mut results: Vec<Timed> = calls.iter().map(|_| None).collect();
        let mut group = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            // The call before may have installed one.
            self.setup.engine.asker.environment.forget_programs();
            let refused = if at >= self.setup.limits.calls {
                Some(format!("too many calls in one answer: only the first {} run", self.setup.limits.calls))
            } else if self.setup.cancel.is_cancelled() {
                Some("not run: the user cancelled the step".to_owned())
            } else {
                self.stopped.as_ref().map(|why| format!("not run: {why}"))
            };
            let judged = match refused {
                Some(why) => CallDecision::Done(Output::failed(why)),
                None => self.decide(call, &env),
            };
            match judged {
                CallDecision::Done(output) => results[at] = Some((output, Duration::ZERO)),
                CallDecision::Run(plan) if plan.parallel => {
                    self.touched_now.extend(touched_files::of(&plan.effects));
                    self.record_implicit_uses(&plan.effects);
                    group.push((at, plan));
                }
                CallDecision::Run(plan) => {
                    // A call that changes something waits for the read-only calls before it, and runs alone.
                    self.touched_now.extend(touched_files::of(&plan.effects));
                    self.record_implicit_uses(&plan.effects);
                    self.work(calls, std::mem::take(&mut group), &mut results);
                    self.work(calls, vec![(at, plan)], &mut results);
                }
            }
        }
        self.work(calls, group, &mut results);
        self.setup.engine.asker.environment.forget_programs();
        self.results(calls, results)
    }

    /// Runs plans in parallel.
    fn work(&mut self, calls: &[Call], plans: Vec<(usize, ToolPlan<'_>)>, results: &mut [Timed]) {
        let setup = self.setup;
        let began = |call: &Call, plan: &ToolPlan<'_>| Event::ToolStarted {
            id: call.id.clone(),
            tool: call.name.clone(),
            summary: plan.summary.clone(),
            preview: plan.preview.clone(),
        };
        if let [_] = plans.as_slice() {
            for (at, plan) in plans {
                if !plan.summary.is_empty() {
                    setup.observe(&began(&calls[at], &plan));
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
                    setup.observe(&began(&calls[at], &plan));
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

    /// Adds one result per call, in the order of the calls.
    fn results(&mut self, calls: &[Call], results: Vec<Timed>) -> Result<(), TurnError> {
        let (mut parts, mut images) = (Vec::new(), Vec::new());
        for (call, result) in calls.iter().zip(results) {
            let (output, took) = result.unwrap_or_else(|| {
                (Output::failed("not run: the tool ended without a result"), Duration::ZERO)
            });
            let mut output = output;
            if let Some(programs) = self.setup.env.programs {
                output.text = programs.redacted(output.text);
            }
            let output = capped(output);
            self.setup.observe(&Event::ToolFinished {
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
            if output.untrusted && self.setup.distrust_web {
                self.apply(&session::Event::MarkUntrusted { source: call.name.clone() });
            }
            images.extend(output.image.map(Image::part));
            parts.push(Part::Result { id: call.id.clone(), text: output.text, failed: output.failed });
        }
        parts.extend(images);
        self.background.settle(&mut self.spent);
        self.forked_now.clear();
        let skills = std::mem::take(&mut self.loaded_now);
        let message = Message { role: Role::User, parts };
        let mut items = vec![Item { kind: ItemKind::Results { skills }, message }];
        let notes = self.notes.drain(..).chain(self.background.finished());
        items.extend(notes.map(|note| Item::user(ItemKind::Note, note)));
        self.push(items)
    }

    /// Decides about one call: the tool must exist, and hooks, policy and user must allow it.
    fn decide<'s>(&mut self, call: &Call, env: &'s ToolEnvironment<'s>) -> CallDecision<'s>
    where
        'env: 's,
    {
        let mut arguments = match &call.arguments {
            Arguments::Read(arguments) => arguments.clone(),
            Arguments::Unread(text) => {
                let shown: String = text.chars().take(BROKEN_SHOWN).collect();
                // The same call would be cut again.
                let why = if self.cut {
                    "the answer reached its length limit inside this call; do it in smaller steps, a long file part by part"
                } else {
                    "the arguments are not a JSON object; send the call again"
                };
                return CallDecision::Done(Output::failed(format!("{why}. They were: {shown}")));
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
        if let Some(judged) = skills::decide(self, call, &arguments) {
            return judged;
        }
        if call.name == RUN_SKILL_PROGRAM && skills::has_any(self.setup) {
            return match self.setup.env.programs {
                Some(programs) => match run_skill_program::plan(self, programs, &arguments) {
                    Ok(plan) => self.permit(call, plan, &policy),
                    Err(why) => CallDecision::Done(Output::failed(why)),
                },
                None => CallDecision::Done(Output::failed(
                    "commands are off (`run.commands` in the configuration)",
                )),
            };
        }
        let own = self.setup.tools.iter().find(|tool| tool.spec().name == call.name);
        let plan = match own {
            Some(tool) => match tool.plan(&arguments, env) {
                Ok(plan) => plan,
                Err(why) => return CallDecision::Done(Output::failed(why)),
            },
            None => match self.session.served.iter().find(|tool| tool.name == call.name).cloned() {
                Some(tool) => self.server_plan(tool, arguments),
                None => return CallDecision::Done(Output::failed(self.unknown(&call.name))),
            },
        };
        self.permit(call, plan, &policy)
    }

    /// Tools about skills have no plan; the policy judges their name and the skill they name.
    fn denied_by_name<'s>(
        &mut self,
        call: &Call,
        policy: &Policy,
        arguments: &Map<String, Value>,
    ) -> Option<CallDecision<'s>> {
        let saves = [SAVE_SKILL, SKILL_MANAGEMENT].contains(&call.name.as_str());
        if !saves && !skills::TOOLS.contains(&call.name.as_str()) {
            return None;
        }
        let about = ["name", "target_skill"].iter().find_map(|key| arguments.get(*key)?.as_str());
        let about = about.unwrap_or_default();
        match policy.decide(&ToolCall::text(&call.name, about)) {
            // A list of tools that a skill uses is not about proposals; a ban is.
            Decision::Denied(reason) if !saves || matches!(reason, PolicyReason::Disallowed(_)) => {
                let why = self.why_denied(&reason);
                Some(self.deny(call, about, &why))
            }
            Decision::NeedsApproval(reason @ PolicyReason::AskFirst(_)) => {
                let summary = format!("{} {about}", call.name);
                self.ask_user(call, &summary, Reach::Guarded, reason.to_string(), None)
            }
            _ => None,
        }
    }

    /// Asks the policy and, where it is required, the user.
    fn permit<'s>(&mut self, call: &Call, mut plan: ToolPlan<'s>, policy: &Policy) -> CallDecision<'s> {
        let only = self.only_tools().map(|only| decisions(&only.policy, &call.name, &plan.effects));
        // What the list of a skill approves needs no question, where lists approve.
        let mut is_preapproved = self.setup.work.ground.mode == ToolListMode::Preapprove;
        let (mut must_ask, mut not_listed) = (None, None);
        for decision in only.into_iter().flatten().filter(Decision::is_denied).chain(decisions(
            policy,
            &call.name,
            &plan.effects,
        )) {
            is_preapproved &= matches!(decision, Decision::Allowed(Because::Granted(_)));
            match decision {
                Decision::Allowed(_) => {}
                Decision::Denied(reason) => {
                    let why = self.why_denied(&reason);
                    return self.deny(call, &plan.summary, &why);
                }
                Decision::NeedsApproval(reason @ PolicyReason::AskFirst(_)) => must_ask = Some(reason),
                Decision::NeedsApproval(reason) => not_listed = Some(reason),
            }
        }
        let is_approved = self.session.approved.contains(&(call.name.clone(), plan.reach));
        let is_settled =
            is_approved && plan.reach < Reach::Guarded || is_preapproved && plan.reach < Reach::Machine;
        let why = match must_ask {
            Some(rule) => Some(rule.to_string()),
            None if needs_approval(self.setup.mode, plan.reach) && !is_settled => {
                Some(not_listed.map_or_else(|| reason(&plan).to_owned(), |reason| reason.to_string()))
            }
            None => None,
        };
        let Some(why) = why else { return CallDecision::Run(plan) };
        let preview = plan.preview.take();
        match self.ask_user(call, &plan.summary, plan.reach, why, preview) {
            Some(denied) => denied,
            None => CallDecision::Run(plan),
        }
    }

    /// Asks the user about a call; `None` when they allow it.
    fn ask_user<'s>(
        &mut self,
        call: &Call,
        summary: &str,
        reach: Reach,
        why: String,
        preview: Option<Preview>,
    ) -> Option<CallDecision<'s>> {
        let fired = self.fire_about(HookEvent::PermissionRequest, call, |_| {});
        if let Some(why) = fired.blocked {
            return Some(self.deny(call, summary, &format!("a hook refused it: {why}")));
        }
        let question = ApprovalRequest {
            tool: call.name.clone(),
            summary: summary.to_owned(),
            reach,
            why,
            preview,
            skill: self.session.state.leading().map(|skill| skill.name.clone()),
        };
        match self.setup.approver.ask(&question) {
            ApprovalAnswer::Once => None,
            ApprovalAnswer::Always => {
                self.session.approved.insert((call.name.clone(), reach));
                None
            }
            ApprovalAnswer::No(words) => {
                let words = words.unwrap_or_else(|| "the user denied it".to_owned());
                Some(self.deny(call, summary, &words))
            }
            ApprovalAnswer::Stop => {
                self.stopped = Some("the user stopped the turn".to_owned());
                Some(self.deny(call, summary, "the user stopped the turn"))
            }
        }
    }

    /// A denial in words. What an untrusted run lost is not forbidden by the skill or the user.
    fn why_denied(&self, reason: &PolicyReason) -> String {
        match reason {
            PolicyReason::Disallowed(ban)
                if self.session.state.is_untrusted() && HIGH_PRIVILEGE_TOOLS.contains(&ban.as_str()) =>
            {
                "this session has read content of the web, and can change and send nothing since; start a new \
                 session for that"
                    .to_owned()
            }
            reason => reason.to_string(),
        }
    }

    fn deny<'s>(&mut self, call: &Call, summary: &str, why: &str) -> CallDecision<'s> {
        self.setup.observe(&Event::Denied {
            tool: call.name.clone(),
            summary: summary.to_owned(),
            why: why.to_owned(),
        });
        let note = JournalEntry::Note { text: format!("not allowed: {} ({summary}): {why}", call.name) };
        // The result contains it too, so a failed write loses nothing.
        let _in_the_result_too = self.append(&[note]);
        CallDecision::Done(Output::failed(format!("Not run: {why}")))
    }

    fn server_plan<'s>(&self, tool: ServerTool, arguments: Map<String, Value>) -> ToolPlan<'s>
    where
        'env: 's,
    {
        let setup = self.setup;
        let remote = setup.servers.is_some_and(|bridge| bridge.is_outside(&tool.name));
        let shown = serde_json::to_string(&arguments).unwrap_or_default();
        ToolPlan {
            summary: format!("{} of the skill {}", tool.raw, tool.skill),
            effects: Vec::new(),
            reach: if remote { Reach::Beyond } else { Reach::Project },
            preview: Some(Preview::Text(shown)),
            parallel: false,
            work: Box::new(move || match setup.servers {
                Some(bridge) => bridge.call(&tool.name, arguments, &setup.cancel),
                None => Output::failed("MCP servers of skills are off (`run.commands` in the configuration)"),
            }),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let names: Vec<&str> = self.tools.iter().map(|spec| spec.name.as_str()).collect();
        format!("no tool named `{name}`; the tools are {}", names.join(", "))
    }

    /// Fires the hooks for a call.
    fn fire_about(
        &mut self,
        event: HookEvent,
        call: &Call,
        more: impl FnOnce(&mut Map<String, Value>),
    ) -> skillful_runtime::hooks::Fired {
        if self.session.hooks.is_empty() {
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

/// The policy's decision about each effect of a call.
fn decisions(policy: &Policy, tool: &str, effects: &[Effect]) -> Vec<Decision> {
    if effects.is_empty() {
        return vec![policy.decide(&ToolCall::bare(tool))];
    }
    let decide = |effect: &Effect| match effect {
        Effect::Read(path) | Effect::Write(path) => {
            policy.decide(&ToolCall::path(tool, &path.to_string_lossy()))
        }
        Effect::Command { text, .. } => policy.decide(&ToolCall::command(tool, text)),
        Effect::Program { skill, command } => program(policy, tool, skill, command),
        Effect::Fetch(url) => policy.decide(&ToolCall::url(tool, url)),
        Effect::Other(text) => policy.decide(&ToolCall::text(tool, text)),
    };
    effects.iter().map(decide).collect()
}

/// The decision about a program of a skill. It counts as the command that would run it, too, so that a list of commands
/// is about both.
fn program(policy: &Policy, tool: &str, skill: &str, command: &str) -> Decision {
    let by_name = policy.decide(&ToolCall::text(tool, skill));
    let as_command = policy.decide(&ToolCall::command("run_command", command));
    let is_banned = |decision: &Decision| matches!(decision, Decision::Denied(PolicyReason::Disallowed(_)));
    match by_name {
        _ if is_banned(&as_command) => as_command,
        Decision::Allowed(Because::Granted(_)) => by_name,
        _ if is_banned(&by_name) => by_name,
        _ => as_command,
    }
}

/// Why the user is asked, by the reach of the call.
fn reason(plan: &ToolPlan<'_>) -> &'static str {
    let changes_files = plan.effects.iter().any(|effect| matches!(effect, Effect::Write(_)));
    match plan.reach {
        Reach::Nothing => "every call needs approval in this mode",
        Reach::Project => "it changes files or runs a command in the project",
        Reach::Beyond => "it reaches beyond the project",
        Reach::Machine if changes_files => "it changes a file outside the project, or one that may hold keys",
        Reach::Machine => {
            "it can reach this machine beyond the project; with the network its own services too (`assistant.network = true` allows that)"
        }
        Reach::Guarded => "it changes what agents or tools run, or reads keys",
    }
}

/// A result shortened to the limit.
fn capped(mut output: Output) -> Output {
    if output.text.len() > RESULT_LIMIT {
        let end = output.text.floor_char_boundary(RESULT_LIMIT);
        let cut = output.text.len() - end;
        output.text.truncate(end);
        output.text.push_str(&format!("\n({cut} more bytes are not shown.)"));
    }
    if output.text.trim().is_empty() {
        output.text.push_str("(no output)");
    }
    output
}
