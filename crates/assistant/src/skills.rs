//! The tools about skills: loading, reading, finding, going on. What they bring in takes effect here.

use crate::{
    conversation::{Item, Kind},
    dispatch::{Judged, Text},
    event::Event,
    flow::{Call, Flow, happening},
    fork,
    save::{self, SAVE_SKILL},
    tool::{Output, Plan, Reach},
};
use serde_json::{Map, Value};
use skillful_catalog::Entry;
use skillful_format::{Code, Diagnostic};
use skillful_llm::ToolSpec;
use skillful_mcp::{names::tool, server::skill_tools};
use skillful_render::envelope;
use skillful_runtime::{
    Activation, Engine, activate, compose, files,
    hooks::{Event as HookEvent, Hooks},
    menu,
    resource::{self, ResourceError},
    room::{Room, Run},
    session::{Event as Happens, Outcome, Skill},
};
use skillful_sandbox::{Job, SandboxError};
use skillful_select::access::{Admitted, Way, is_open, reach};
use std::collections::BTreeSet;

/// What stands in for the sandbox where commands are switched off, so that guards close.
#[derive(Debug)]
pub(crate) struct NoCommands;

impl Run for NoCommands {
    fn run(&self, _job: &Job) -> Result<skillful_sandbox::Outcome, SandboxError> {
        Err(SandboxError::Unavailable {
            wanted: "any".to_owned(),
            reasons: "commands of skills are switched off; `run.commands` in the configuration says so"
                .to_owned(),
        })
    }
}

/// The tools about skills.
pub(crate) const TOOLS: [&str; 5] =
    [tool::USE_SKILL, tool::READ_SKILL_FILE, tool::LIST_SKILLS, tool::SEARCH_SKILLS, tool::SKILL_TRANSITION];

/// The tools, in the words of the MCP server.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let ours = skill_tools().filter(|one| TOOLS.contains(&one.name));
    ours.map(|one| ToolSpec {
        name: one.name.to_owned(),
        description: one.description.to_owned(),
        schema: one.schema,
    })
    .chain([save::spec()])
    .collect()
}

/// Does a call about skills; `None` when it is about something else.
pub(crate) fn judge<'env>(
    flow: &mut Flow<'_, '_, 'env, '_>,
    call: &Call,
    arguments: &Map<String, Value>,
) -> Option<Judged<'env>> {
    let text = Text(arguments);
    let done =
        |result: Result<String, String>| Some(Judged::Done(result.map_or_else(Output::failed, Output::ok)));
    match call.name.as_str() {
        tool::USE_SKILL => Some(use_skill(flow, call, text)),
        tool::READ_SKILL_FILE => done(read(flow, text)),
        tool::LIST_SKILLS => done(list(flow, text)),
        tool::SEARCH_SKILLS => done(search(flow, text)),
        tool::SKILL_TRANSITION => done(transition(flow, text)),
        SAVE_SKILL => done(save::save(flow, text)),
        _ => None,
    }
}

/// Skills whose instructions are in the conversation, by address.
pub(crate) fn loaded(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        match &item.kind {
            Kind::Skill { name } => names.push(name.clone()),
            Kind::Results { skills } => names.extend(skills.iter().map(|(_, name)| name.clone())),
            _ => {}
        }
    }
    names
}

/// What may follow the leading skill, in words for a model.
pub(crate) fn targets(flow: &Flow<'_, '_, '_, '_>) -> Option<String> {
    let targets = flow.run.session.targets()?;
    Some(format!("\nGo on with `{}` where it fits:\n{targets}\n", tool::SKILL_TRANSITION))
}

fn use_skill<'env>(flow: &mut Flow<'_, '_, 'env, '_>, call: &Call, text: Text<'_>) -> Judged<'env> {
    let wanted =
        text.needed("name").and_then(|name| Ok((name, text.optional("arguments")?.unwrap_or_default())));
    let (name, arguments) = match wanted {
        Ok(wanted) => wanted,
        Err(why) => return Judged::Done(Output::failed(why)),
    };
    match load(flow, call, name, arguments) {
        Ok(judged) => judged,
        Err(why) => Judged::Done(Output::failed(why)),
    }
}

fn load<'env>(
    flow: &mut Flow<'_, '_, 'env, '_>,
    call: &Call,
    name: &str,
    arguments: &str,
) -> Result<Judged<'env>, String> {
    let world = flow.world;
    let engine = world.engine();
    let proof = find(flow, name, Way::Load)?;
    let entry = &engine.catalog.entries[proof.entry()];
    let name = entry.address();
    let skill = Skill::of(&name, &entry.loaded.manifest);
    if !skill.fork && loaded(&flow.run.items).contains(&name) {
        let outcome = flow.apply(&Happens::Activate { skill, call: call.id.clone() });
        takes_effect(flow, entry, None, "use_skill again", &outcome);
        let mut text = envelope::again(&name, arguments);
        text.push_str(&targets(flow).unwrap_or_default());
        return Ok(Judged::Done(Output::ok(text)));
    }
    let (activation, mut text) = compose::load(&engine, &proof, arguments)
        .map_err(|error| format!("the skill `{name}` cannot be used: {error}"))?;
    let background = entry.loaded.manifest.background == Some(true);
    let outcome = flow.apply(&Happens::Activate { skill, call: call.id.clone() });
    takes_effect(flow, entry, Some(&activation), "use_skill", &outcome);
    match outcome {
        Outcome::Fork { lists, .. } => {
            let job = fork::Job { skill: name.clone(), instructions: activation.instructions, lists };
            Ok(forked(flow, call, job, background))
        }
        Outcome::AlreadyForked { .. } => Err("the sub-agent of this call was started before and is not started again; what it did may be there already".to_owned()),
        outcome => {
            if let Outcome::Directive { why, .. } = outcome {
                text.push_str(&format!("\nThis skill asks for a sub-agent: {why}.\n"));
            }
            for note in &activation.notes {
                text.push_str(&format!("\n{note}\n"));
            }
            text.push_str(&targets(flow).unwrap_or_default());
            flow.loaded_now.push((call.id.clone(), name));
            Ok(Judged::Done(Output::ok(text)))
        }
    }
}

/// A sub-agent: the run waits for it, or goes on meanwhile.
fn forked<'env>(
    flow: &mut Flow<'_, '_, 'env, '_>,
    call: &Call,
    job: fork::Job,
    background: bool,
) -> Judged<'env> {
    let world = flow.world;
    // It must not be started twice, even after a crash: that it was is kept before it is.
    if let Err(error) = flow.keep(&[]) {
        return Judged::Done(Output::failed(error.to_string()));
    }
    let mut started = happening(HookEvent::SubagentStart);
    started.more.insert("sub_agent".to_owned(), job.skill.clone().into());
    flow.fire(&started);
    if background {
        let skill = job.skill.clone();
        return Judged::Done(match flow.start_in_background(job) {
            Ok(()) => Output::ok(format!(
                "The skill `{skill}` works in the background. Its result comes by itself; do not wait for it."
            )),
            Err(why) => Output::failed(why),
        });
    }
    let spent = flow.background.account();
    flow.forked_now.push(call.id.clone());
    Judged::Go(Plan {
        summary: String::new(),
        effects: Vec::new(),
        reach: Reach::Nothing,
        preview: None,
        parallel: true,
        work: Box::new(move || {
            let done = fork::run(world, &job);
            spent.add(&done.spent);
            Output { text: fork::told(&job.skill, &done.output), ..done.output }
        }),
    })
}

/// A skill that the run goes on to: its instructions, and everything it brings takes effect.
pub(crate) fn enter(flow: &mut Flow<'_, '_, '_, '_>, name: &str, way: Way) -> Result<String, String> {
    let engine = flow.world.engine();
    let proof = find(flow, name, way)?;
    let entry = &engine.catalog.entries[proof.entry()];
    let (activation, mut text) = compose::load(&engine, &proof, "").map_err(|error| error.to_string())?;
    let outcome = Outcome::Activated { skill: name.to_owned() };
    takes_effect(flow, entry, Some(&activation), "transition", &outcome);
    text.push_str(&targets(flow).unwrap_or_default());
    Ok(text)
}

/// Everything that a skill brings besides its words. A sub-agent takes it along instead.
pub(crate) fn takes_effect(
    flow: &mut Flow<'_, '_, '_, '_>,
    entry: &Entry,
    activation: Option<&Activation>,
    why: &str,
    outcome: &Outcome,
) {
    let name = entry.address();
    let world = flow.world;
    if let Err(why) = world.journal.used(&name) {
        world.see(&Event::Note(format!("that `{name}` was used could not be kept: {why}")));
    }
    if matches!(outcome, Outcome::Fork { .. } | Outcome::AlreadyForked { .. }) {
        return;
    }
    world.see(&Event::Activated { skill: name.clone(), why: why.to_owned() });
    flow.want(entry);
    if let Some(activation) = activation {
        flow.tell(activation.diagnostics.clone());
        flow.run.environment.extend(activation.environment.clone());
        if let Some(difference) = activation.difference.as_ref().filter(|one| !one.is_empty()) {
            world.see(&Event::Note(format!("{name}: {difference}")));
        }
    }
    arm(flow, entry);
    serve(flow, entry);
}

/// What was active when the conversation was left is active again, as far as the gate is still open; and
/// what the gate closed since the last turn loses its tools.
pub(crate) fn go_on(flow: &mut Flow<'_, '_, '_, '_>) {
    let engine = Engine { work: None, ..flow.world.engine() };
    let world = flow.world;
    let open = |name: &str| {
        reach(engine.catalog, name, engine.asker, Way::Load).map_err(|refusal| refusal.message())
    };
    let gone = |skill: &str, why: String| world.see(&Event::NotActivated { skill: skill.to_owned(), why });
    let serving: BTreeSet<String> = flow.run.served.iter().map(|tool| tool.skill.clone()).collect();
    for (skill, why) in serving.into_iter().filter_map(|skill| open(&skill).err().map(|why| (skill, why))) {
        flow.run.served.retain(|tool| tool.skill != skill);
        flow.count_tools();
        gone(&skill, format!("its tools are gone: {why}"));
    }
    if !std::mem::take(&mut flow.run.resumed) {
        return;
    }
    let active: Vec<String> = flow.run.session.active().iter().map(|skill| skill.name.clone()).collect();
    for name in active {
        let proof = match open(&name) {
            Ok(proof) => proof,
            Err(why) => {
                gone(&name, format!("it was active and is not any more: {why}"));
                continue;
            }
        };
        let entry = &engine.catalog.entries[proof.entry()];
        match activate(&engine, &proof, "") {
            Ok(activation) => flow.run.environment.extend(activation.environment),
            Err(error) => {
                gone(&name, error.to_string());
                continue;
            }
        }
        arm(flow, entry);
        serve(flow, entry);
    }
}

/// Events that never happen while a skill is active here.
const NEVER: [HookEvent; 3] = [HookEvent::SessionStart, HookEvent::SessionEnd, HookEvent::Notification];

fn arm(flow: &mut Flow<'_, '_, '_, '_>, entry: &Entry) {
    let (hooks, mut told) = Hooks::of(&entry.loaded.manifest);
    if hooks.0.is_empty() {
        return flow.tell(told);
    }
    let idle: BTreeSet<HookEvent> =
        hooks.0.iter().map(|hook| hook.event).filter(|event| NEVER.contains(event)).collect();
    for event in idle {
        let message =
            format!("a hook of `{}` waits for {}, which does not happen here", entry.address(), event.name());
        told.push(Diagnostic::new(Code::HookFailed, message));
    }
    flow.tell(told);
    let world = flow.world;
    let room = Room::of(&world.engine(), entry, world.work.grants, &flow.run.environment);
    flow.run.hooks.arm(&entry.address(), hooks, &room);
}

fn serve(flow: &mut Flow<'_, '_, '_, '_>, entry: &Entry) {
    if entry.loaded.manifest.mcp.is_none() {
        return;
    }
    let name = entry.address();
    let Some(bridge) = flow.world.servers else {
        let message = format!("the server of `{name}` is not started: servers of skills are switched off");
        flow.tell(vec![Diagnostic::new(Code::McpStartFailed, message)]);
        return;
    };
    let engine = &flow.world.engine;
    let (tools, told) = bridge.tools(entry, engine.asker.environment, engine.settings);
    flow.tell(told);
    flow.run.served.retain(|tool| tool.skill != name);
    flow.run.served.extend(tools);
    flow.count_tools();
}

/// The skill that a word means to who asks.
fn find(flow: &Flow<'_, '_, '_, '_>, word: &str, way: Way) -> Result<Admitted, String> {
    let engine = &flow.world.engine;
    reach(engine.catalog, word, engine.asker, way).map_err(|refusal| {
        format!("{}; `{}` finds skills by what they do", refusal.message(), tool::SEARCH_SKILLS)
    })
}

fn read(flow: &Flow<'_, '_, '_, '_>, text: Text<'_>) -> Result<String, String> {
    let (name, path) = (text.needed("name")?, text.needed("path")?);
    let entry = &flow.world.engine.catalog.entries[find(flow, name, Way::Load)?.entry()];
    if !files::is_part(entry, path) {
        return Err(ResourceError::Missing { name: entry.address(), path: path.to_owned() }.to_string());
    }
    resource::of_entry(entry, Some(path)).map(|found| found.text).map_err(|error| error.to_string())
}

fn list(flow: &Flow<'_, '_, '_, '_>, text: Text<'_>) -> Result<String, String> {
    let engine = &flow.world.engine;
    let listed = menu::list(
        engine.catalog,
        engine.asker,
        text.optional("filter")?,
        text.number("offset")?.unwrap_or(0),
        text.number("limit")?.unwrap_or(menu::USUALLY_LISTED),
    );
    Ok(listed.text(engine.catalog))
}

fn search(flow: &Flow<'_, '_, '_, '_>, text: Text<'_>) -> Result<String, String> {
    let query = text.needed("query")?;
    let limit = text.number("limit")?.unwrap_or(5).clamp(1, menu::MOST_FOUND);
    let engine = &flow.world.engine;
    let open = |at| is_open(engine.catalog, at, engine.asker, Way::List);
    let found = flow.world.finder.search(query, limit, &open);
    // Whatever a finder answers, nobody gets past the gate.
    let found = found.into_iter().filter(|at| open(*at)).take(limit);
    let found: Vec<&Entry> = found.map(|at| &engine.catalog.entries[at]).collect();
    Ok(menu::found(&found))
}

fn transition(flow: &mut Flow<'_, '_, '_, '_>, text: Text<'_>) -> Result<String, String> {
    let target = text.optional("target_skill")?.unwrap_or_default().to_owned();
    let reason = text.optional("reason")?.map(str::to_owned);
    match flow.apply(&Happens::Transition { target, reason }) {
        Outcome::Pending { target } => Ok(format!("The skill `{target}` follows.")),
        Outcome::Stayed(why) => {
            flow.world.see(&Event::Stayed(why.to_string()));
            Err(why.to_string())
        }
        _ => Err("there is nothing to go on to".to_owned()),
    }
}
