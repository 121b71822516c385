//! The hooks that are alive in a run: from the activation of their skill to its end.

use super::{Event, Hook, HookAnswer, Hooks};
use crate::{
    policy::Aliases,
    room::{Room, Run},
};
use serde_json::{Value, json};
use skillful_format::{Code, Diagnostic};
use std::collections::BTreeMap;

/// Something that happens, or is about to.
#[derive(Clone, Debug)]
pub struct Happening {
    /// The event.
    pub event: Event,
    /// The tool, at events of tools.
    pub tool: Option<String>,
    /// What goes into it; `null` at other events.
    pub input: Value,
    /// More for the hook to read: the answer of a tool, the prompt, why a run stops.
    pub more: serde_json::Map<String, Value>,
}

/// What the hooks made of it.
#[derive(Clone, Debug, Default)]
pub struct Fired {
    /// Why it must not happen; the first reason.
    pub blocked: Option<String>,
    /// Why the run should stop.
    pub stopped: Option<String>,
    /// The amended input, when a hook amended it. The rules judge it again.
    pub input: Option<Value>,
    /// Words for the model, in the order of the hooks.
    pub context: Vec<String>,
    /// What went wrong with hooks.
    pub diagnostics: Vec<Diagnostic>,
    /// Hooks with `once` that succeeded, which a session keeps.
    pub spent: Vec<String>,
}

struct Armed {
    skill: String,
    hook: Hook,
    /// Or why there is none: then its hooks fail, and a guard that fails blocks.
    room: Result<Room, String>,
}

impl Armed {
    /// What a session keeps of it: a changed hook is another one.
    fn id(&self) -> String {
        format!("{} {} {}", self.skill, self.hook.event.name(), self.hook.command)
    }
}

/// The hooks that are alive.
#[derive(Default)]
pub struct Live {
    armed: Vec<Armed>,
}

impl Live {
    /// A skill became active. Its hooks are armed once, however often it is activated; those that were spent in the
    /// session are not armed again.
    pub fn arm(
        &mut self,
        skill: &str,
        hooks: Hooks,
        room: &Result<Room, String>,
        is_spent: &dyn Fn(&str) -> bool,
    ) {
        if self.armed.iter().any(|one| one.skill == skill) {
            return;
        }
        let armed = |hook| Armed { skill: skill.to_owned(), hook, room: room.clone() };
        let armed = hooks.0.into_iter().map(armed);
        self.armed.extend(armed.filter(|one| !(one.hook.once && is_spent(&one.id()))));
    }

    /// Every skill but one ended.
    pub fn keep_only(&mut self, skill: &str) {
        self.armed.retain(|one| one.skill == skill);
    }

    /// How many are alive.
    pub fn len(&self) -> usize {
        self.armed.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.armed.is_empty()
    }

    /// Runs the hooks of an event, in the order in which they were armed. The first that blocks ends
    /// the series; the next hook sees the amended input.
    pub fn fire(&mut self, happening: &Happening, aliases: &Aliases, run: &dyn Run) -> Fired {
        let mut fired = Fired::default();
        let mut spent = Vec::new();
        for (at, armed) in self.armed.iter().enumerate() {
            let hook = &armed.hook;
            let fits = |tool: &String| hook.matcher.fits(tool, aliases);
            if hook.event != happening.event
                || (hook.event.is_of_a_tool() && !happening.tool.as_ref().is_none_or(fits))
            {
                continue;
            }
            let input = fired.input.as_ref().unwrap_or(&happening.input);
            let answer = ask(armed, happening, input, run);
            for what in [&answer.failed, &answer.ignored].into_iter().flatten() {
                let message = format!("a hook of `{}` at {}: {what}", armed.skill, hook.event.name());
                fired.diagnostics.push(Diagnostic::new(Code::HookFailed, message));
            }
            if hook.once && answer.failed.is_none() {
                fired.spent.push(armed.id());
                spent.push(at);
            }
            fired.context.extend(answer.context);
            fired.stopped = fired.stopped.or(answer.stopped);
            fired.input = answer.input.or(fired.input);
            if answer.blocked.is_some() {
                fired.blocked = answer.blocked;
                break;
            }
        }
        let mut at = 0;
        self.armed.retain(|_| {
            at += 1;
            !spent.contains(&(at - 1))
        });
        fired
    }
}

fn ask(armed: &Armed, happening: &Happening, input: &Value, run: &dyn Run) -> HookAnswer {
    let mut told = json!({ "hook_event_name": happening.event.name(), "skill": armed.skill });
    if let Some(tool) = &happening.tool {
        told["tool_name"] = json!(tool);
        told["tool_input"] = input.clone();
    }
    for (key, value) in &happening.more {
        told[key] = value.clone();
    }
    let failed = |why: String| {
        HookAnswer { failed: Some(why), ..HookAnswer::default() }.closed(happening.event.is_guard())
    };
    let room = match &armed.room {
        Ok(room) => room,
        Err(why) => return failed(why.clone()),
    };
    let command = match room.with_whole_paths(&armed.hook.command) {
        Ok(command) => command,
        Err(unclear) => return failed(unclear.to_string()),
    };
    let mut job = room.shell(&command, &BTreeMap::new());
    job.stdin = told.to_string().into_bytes();
    job.limits.time = Some(armed.hook.timeout);
    match run.run(&job) {
        Ok(outcome) => HookAnswer::of(&outcome, happening.event.is_guard()),
        Err(error) => failed(error.to_string()),
    }
}
