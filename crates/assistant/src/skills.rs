//! The tools about skills: load, read, list, search, transition. Skills they load take effect here.

use crate::{
    dispatch::{CallDecision, SkillArguments},
    event::Event,
    fork,
    history::{Item, ItemKind},
    save_skill::{self, SAVE_SKILL},
    server_tools::serve,
    setup::TurnSetup,
    skill_management::{self, SKILL_MANAGEMENT},
    tool::{Output, Reach, ToolPlan},
    turn_loop::{Call, TurnLoop, happening},
};
use serde_json::{Map, Value};
use skillful_catalog::Entry;
use skillful_format::{Code, Diagnostic};
use skillful_llm::{Part, ToolSpec};
use skillful_mcp::{names::tool, server::skill_tools};
use skillful_render::envelope;
use skillful_runtime::{
    Activation, Engine, activate, compose, files,
    hooks::{Event as HookEvent, Hooks},
    menu,
    resource::{self, ResourceError},
    room::{Room, Run},
    session::{Event as Happens, Outcome, Session, Skill},
};
use skillful_sandbox::{Job, SandboxError};
use skillful_select::access::{Admitted, Way, is_open, reach};
use std::collections::BTreeSet;

/// Refuses every command: used when commands are off, so that hooks that guard a call block it.
#[derive(Debug)]
pub(crate) struct NoCommands;

impl Run for NoCommands {
    fn run(&self, _job: &Job) -> Result<skillful_sandbox::Outcome, SandboxError> {
        Err(SandboxError::Unavailable {
            wanted: "any".to_owned(),
            reasons: "commands of skills are off (`run.commands` in the configuration)".to_owned(),
        })
    }
}

/// The tools about skills.
pub(crate) const TOOLS: [&str; 5] =
    [tool::USE_SKILL, tool::READ_SKILL_FILE, tool::LIST_SKILLS, tool::SEARCH_SKILLS, tool::SKILL_TRANSITION];

/// Whether there is a skill that the user or the model may use.
pub(crate) fn has_any(setup: &TurnSetup<'_>) -> bool {
    let Engine { catalog, asker, .. } = setup.engine;
    (0..catalog.entries.len())
        .any(|at| is_open(catalog, at, asker, Way::Load) || is_open(catalog, at, asker, Way::Mention))
}

/// The tools, with the descriptions of the MCP server.
pub(crate) fn specs(setup: &TurnSetup<'_>) -> Vec<ToolSpec> {
    let ours = skill_tools().filter(|one| TOOLS.contains(&one.name));
    ours.map(|one| ToolSpec {
        name: one.name.to_owned(),
        description: one.description.to_owned(),
        schema: one.schema,
    })
    .chain(proposing(setup))
    .collect()
}

/// The tool that proposes skills: the agent's, or ours.
fn proposing(setup: &TurnSetup<'_>) -> Option<ToolSpec> {
    if setup.agent.tools.contains_key(SKILL_MANAGEMENT) {
        return skill_management::spec();
    }
    Some(save_skill::spec())
}

/// Runs a tool about skills; `None` when the call names another tool.
pub(crate) fn decide<'env>(
    turn_loop: &mut TurnLoop<'_, '_, 'env, '_>,
    call: &Call,
    arguments: &Map<String, Value>,
) -> Option<CallDecision<'env>> {
    let text = SkillArguments(arguments);
    let done = |result: Result<String, String>| {
        Some(CallDecision::Done(result.map_or_else(Output::failed, Output::ok)))
    };
    match call.name.as_str() {
        tool::USE_SKILL => Some(use_skill(turn_loop, call, text)),
        tool::READ_SKILL_FILE => {
            let read = read(turn_loop, text);
            if let Ok((skill, _)) = &read {
                turn_loop.record_use_once(skill);
            }
            done(read.map(|(_, text)| text))
        }
        tool::LIST_SKILLS => done(list(turn_loop, text)),
        tool::SEARCH_SKILLS => done(search(turn_loop, text)),
        tool::SKILL_TRANSITION => done(transition(turn_loop, text)),
        SAVE_SKILL => done(save_skill::save(turn_loop, text)),
        SKILL_MANAGEMENT => done(skill_management::manage(turn_loop, text)),
        _ => None,
    }
}

/// Skills whose instructions are among the items, by address.
pub(crate) fn loaded(items: &[Item]) -> Vec<String> {
    let mut names = Vec::new();
    for item in items {
        match &item.kind {
            ItemKind::Skill { name } => names.push(name.clone()),
            ItemKind::Results { skills } => names.extend(skills.iter().map(|(_, name)| name.clone())),
            _ => {}
        }
    }
    names
}

/// Whether the items have these instructions of a skill.
pub(crate) fn has_instructions(items: &[Item], address: &str, instructions: &str) -> bool {
    let has = |part: &Part| match part {
        Part::Text { text } | Part::Result { text, .. } => envelope::has(text, instructions),
        _ => false,
    };
    items.iter().any(|item| {
        loaded(std::slice::from_ref(item)).iter().any(|name| name == address)
            && item.message.parts.iter().any(has)
    })
}

/// Whether the items have the current text of a skill, with the arguments of its call.
pub(crate) fn holds(items: &[Item], state: &Session, entry: &Entry) -> bool {
    let name = entry.address();
    state.text_of(&name) == Some(entry.loaded.content) && loaded(items).contains(&name)
}

/// The transitions that the leading skill offers, for the model.
pub(crate) fn targets(turn_loop: &TurnLoop<'_, '_, '_, '_>) -> Option<String> {
    let targets = turn_loop.session.state.targets()?;
    Some(format!("\nContinue with `{}` where it fits:\n{targets}\n", tool::SKILL_TRANSITION))
}

fn use_skill<'env>(
    turn_loop: &mut TurnLoop<'_, '_, 'env, '_>,
    call: &Call,
    text: SkillArguments<'_>,
) -> CallDecision<'env> {
    let wanted =
        text.needed("name").and_then(|name| Ok((name, text.optional("arguments")?.unwrap_or_default())));
    let (name, arguments) = match wanted {
        Ok(wanted) => wanted,
        Err(why) => return CallDecision::Done(Output::failed(why)),
    };
    match load(turn_loop, call, name, arguments) {
        Ok(judged) => judged,
        Err(why) => CallDecision::Done(Output::failed(why)),
    }
}

fn load<'env>(
    turn_loop: &mut TurnLoop<'_, '_, 'env, '_>,
    call: &Call,
    name: &str,
    arguments: &str,
) -> Result<CallDecision<'env>, String> {
    let setup = turn_loop.setup;
    let engine = setup.engine();
    let proof = find(turn_loop, name, Way::Load)?;
    let entry = &engine.catalog.entries[proof.entry()];
    let name = entry.address();
    let skill = Skill::of(entry);
    let (activation, mut text) = compose::load(&engine, &proof, arguments)
        .map_err(|error| format!("the skill `{name}` cannot be used: {error}"))?;
    // Its commands ran again; a text that is the same is not repeated.
    let again = !skill.fork && has_instructions(&turn_loop.session.items, &name, &activation.instructions);
    if again {
        text = envelope::again(&name, arguments);
    }
    let background = entry.loaded.manifest.background == Some(true);
    let outcome = turn_loop.apply(&Happens::Activate { skill, call: call.id.clone() });
    apply_effects(turn_loop, &proof, Some(&activation), "use_skill", &outcome);
    match outcome {
        Outcome::Fork { lists, .. } => {
            let task = fork::SubAgentTask { proof, skill: name.clone(), instructions: text, lists };
            Ok(forked(turn_loop, call, task, background))
        }
        Outcome::AlreadyForked { .. } => Err(
            "the sub-agent of this call was already started and is not started again; check what it has done"
                .to_owned(),
        ),
        outcome => {
            if let Outcome::Directive { why, .. } = outcome {
                text.push_str(&format!("\nThis skill asks for a sub-agent: {why}.\n"));
            }
            for note in &activation.notes {
                text.push_str(&format!("\n{note}\n"));
            }
            text.push_str(&targets(turn_loop).unwrap_or_default());
            if !again {
                turn_loop.loaded_now.push((call.id.clone(), name));
            }
            Ok(CallDecision::Done(Output::ok(text)))
        }
    }
}

/// Starts a sub-agent; the turn waits for it, or continues when it runs in the background.
fn forked<'env>(
    turn_loop: &mut TurnLoop<'_, '_, 'env, '_>,
    call: &Call,
    task: fork::SubAgentTask,
    background: bool,
) -> CallDecision<'env> {
    let setup = turn_loop.setup;
    // Recorded before the start, so that it is not started twice after a crash.
    if let Err(error) = turn_loop.append(&[]) {
        return CallDecision::Done(Output::failed(error.to_string()));
    }
    let mut started = happening(HookEvent::SubagentStart);
    started.more.insert("sub_agent".to_owned(), task.skill.clone().into());
    turn_loop.fire(&started);
    if background {
        let skill = task.skill.clone();
        return CallDecision::Done(match turn_loop.start_in_background(task) {
            Ok(()) => Output::ok(format!(
                "The skill `{skill}` runs in the background. Its result arrives by itself; do not wait for it."
            )),
            Err(why) => Output::failed(why),
        });
    }
    let spent = turn_loop.background.account();
    turn_loop.forked_now.push(call.id.clone());
    CallDecision::Run(ToolPlan {
        summary: String::new(),
        effects: Vec::new(),
        reach: Reach::Nothing,
        preview: None,
        parallel: true,
        work: Box::new(move || {
            let done = fork::run(setup, &task);
            spent.add(&done.spent);
            Output { text: fork::result_text(&task.skill, &done.output), ..done.output }
        }),
    })
}

/// Loads the skill that a transition leads to and returns its instructions.
pub(crate) fn enter(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    name: &str,
    way: Way,
) -> Result<String, String> {
    let engine = turn_loop.setup.engine();
    let proof = find(turn_loop, name, way)?;
    let (activation, mut text) = compose::load(&engine, &proof, "").map_err(|error| error.to_string())?;
    let outcome = Outcome::Activated { skill: name.to_owned() };
    let why = match way {
        Way::Select => "path",
        Way::Load => "changed",
        _ => "transition",
    };
    apply_effects(turn_loop, &proof, Some(&activation), why, &outcome);
    text.push_str(&targets(turn_loop).unwrap_or_default());
    Ok(text)
}

/// Applies what a skill brings besides its instructions: model, variables, hooks, server. For a sub-agent this
/// happens in its own session.
pub(crate) fn apply_effects(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    proof: &Admitted,
    activation: Option<&Activation>,
    why: &str,
    outcome: &Outcome,
) {
    let setup = turn_loop.setup;
    let entry = &setup.engine.catalog.entries[proof.entry()];
    let name = entry.address();
    turn_loop.record_use(&name);
    if matches!(outcome, Outcome::Fork { .. } | Outcome::AlreadyForked { .. }) {
        return;
    }
    setup.observe(&Event::Activated { skill: name.clone(), why: why.to_owned() });
    turn_loop.request_model(entry);
    if let Some(activation) = activation {
        turn_loop.report(activation.diagnostics.clone());
        if let Some(difference) = activation.difference.as_ref().filter(|one| !one.is_empty()) {
            setup.observe(&Event::Note(format!("{name}: {difference}")));
        }
    }
    keep(turn_loop, proof, activation);
}

/// What holds as long as a skill stays, also in a process that took the session up: its variables, its hooks and its server.
pub(crate) fn keep(
    turn_loop: &mut TurnLoop<'_, '_, '_, '_>,
    proof: &Admitted,
    activation: Option<&Activation>,
) {
    if let Some(activation) = activation {
        turn_loop.session.environment.extend(activation.environment.clone());
    }
    arm(turn_loop, proof);
    serve(turn_loop, proof);
}

/// Activates again what was active when the session was left, as far as the gate allows it; skills that the
/// gate refuses since the last turn lose their tools.
pub(crate) fn reactivate(turn_loop: &mut TurnLoop<'_, '_, '_, '_>) {
    let engine = Engine { work: None, ..turn_loop.setup.engine() };
    let setup = turn_loop.setup;
    let open = |name: &str| {
        reach(engine.catalog, name, engine.asker, Way::Load).map_err(|refusal| refusal.message())
    };
    let gone =
        |skill: &str, why: String| setup.observe(&Event::NotActivated { skill: skill.to_owned(), why });
    let serving: BTreeSet<String> = turn_loop.session.served.iter().map(|tool| tool.skill.clone()).collect();
    for (skill, why) in serving.into_iter().filter_map(|skill| open(&skill).err().map(|why| (skill, why))) {
        turn_loop.session.served.retain(|tool| tool.skill != skill);
        turn_loop.rebuild_tools();
        gone(&skill, format!("its tools were removed: {why}"));
    }
    if !std::mem::take(&mut turn_loop.session.resumed) {
        return;
    }
    let active: Vec<String> =
        turn_loop.session.state.active().iter().map(|skill| skill.name.clone()).collect();
    for name in active {
        let proof = match open(&name) {
            Ok(proof) => proof,
            Err(why) => {
                gone(&name, format!("it was active and cannot be activated again: {why}"));
                continue;
            }
        };
        match activate(&engine, &proof, "") {
            Ok(activation) => turn_loop.session.environment.extend(activation.environment),
            Err(error) => {
                gone(&name, error.to_string());
                continue;
            }
        }
        arm(turn_loop, &proof);
        serve(turn_loop, &proof);
    }
}

/// Events that never occur while a skill is active here.
const NEVER: [HookEvent; 3] = [HookEvent::SessionStart, HookEvent::SessionEnd, HookEvent::Notification];

fn arm(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, proof: &Admitted) {
    let entry = &turn_loop.setup.engine.catalog.entries[proof.entry()];
    let (hooks, mut diagnostics) = Hooks::of(&entry.loaded.manifest);
    if hooks.0.is_empty() {
        return turn_loop.report(diagnostics);
    }
    let idle: BTreeSet<HookEvent> =
        hooks.0.iter().map(|hook| hook.event).filter(|event| NEVER.contains(event)).collect();
    for event in idle {
        let message =
            format!("a hook of `{}` is for {}, which does not occur here", entry.address(), event.name());
        diagnostics.push(Diagnostic::new(Code::HookFailed, message));
    }
    turn_loop.report(diagnostics);
    let setup = turn_loop.setup;
    let variables = &turn_loop.session.environment;
    let room = (setup.engine.catalog.admitted(proof).map_err(|error| error.to_string())).and_then(|skill| {
        Room::of(&setup.engine(), &skill, setup.work.grants, variables).map_err(|error| error.to_string())
    });
    let session = &mut *turn_loop.session;
    session.hooks.arm(&entry.address(), hooks, &room, &|hook| session.state.is_spent(hook));
}

/// The skill with this name, when the gate admits it.
pub(crate) fn find(turn_loop: &TurnLoop<'_, '_, '_, '_>, word: &str, way: Way) -> Result<Admitted, String> {
    let engine = &turn_loop.setup.engine;
    reach(engine.catalog, word, engine.asker, way).map_err(|refusal| {
        format!("{}; `{}` finds skills by what they do", refusal.message(), tool::SEARCH_SKILLS)
    })
}

/// The address of a skill, and the text of one of its files.
fn read(turn_loop: &TurnLoop<'_, '_, '_, '_>, text: SkillArguments<'_>) -> Result<(String, String), String> {
    let (name, path) = (text.needed("name")?, text.needed("path")?);
    let proof = find(turn_loop, name, Way::Load)?;
    let skill = turn_loop.setup.engine.catalog.admitted(&proof).map_err(|error| error.to_string())?;
    let name = skill.entry().address();
    if !files::is_part(&skill, path) {
        return Err(ResourceError::Missing { name, path: path.to_owned() }.to_string());
    }
    let found = resource::of_skill(&skill, Some(path)).map_err(|error| error.to_string())?;
    Ok((name, found.text))
}

fn list(turn_loop: &TurnLoop<'_, '_, '_, '_>, text: SkillArguments<'_>) -> Result<String, String> {
    let engine = &turn_loop.setup.engine;
    let listed = menu::list(
        engine.catalog,
        engine.asker,
        text.optional("filter")?,
        text.number("offset")?.unwrap_or(0),
        text.number("limit")?.unwrap_or(menu::USUALLY_LISTED),
    );
    Ok(listed.text(engine.catalog))
}

fn search(turn_loop: &TurnLoop<'_, '_, '_, '_>, text: SkillArguments<'_>) -> Result<String, String> {
    let query = text.needed("query")?;
    let limit = text.number("limit")?.unwrap_or(5).clamp(1, menu::MOST_FOUND);
    let engine = &turn_loop.setup.engine;
    let open = |at| is_open(engine.catalog, at, engine.asker, Way::List);
    let found = turn_loop.setup.finder.search(query, limit, &open);
    // The gate decides, whatever the finder returns.
    let found = found.into_iter().filter(|at| open(*at)).take(limit);
    let found: Vec<&Entry> = found.map(|at| &engine.catalog.entries[at]).collect();
    Ok(menu::found(engine.catalog, engine.asker, &found))
}

fn transition(turn_loop: &mut TurnLoop<'_, '_, '_, '_>, text: SkillArguments<'_>) -> Result<String, String> {
    let target = text.optional("target_skill")?.unwrap_or_default().to_owned();
    let reason = text.optional("reason")?.map(str::to_owned);
    match turn_loop.apply(&Happens::Transition { target, reason }) {
        Outcome::Pending { target } => Ok(format!("The skill `{target}` follows.")),
        Outcome::Stayed(why) => {
            turn_loop.setup.observe(&Event::TransitionRefused(why.to_string()));
            Err(why.to_string())
        }
        _ => Err("no transition is available".to_owned()),
    }
}
