//! Activation: from a skill and its arguments to the text a model reads. Every caller gets the same text.

use crate::{
    files, hooks,
    perform::{Performed, StopReason, Stopped, perform},
    policy::{Difference, Ground, Request, ToolLists, ToolsInEffect},
    room::{Grants, Room, Run},
};
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Serialize;
use skillful_catalog::access::{Admitted, Asker, NotAdmitted};
use skillful_catalog::{
    AdmittedSkill, Entry, Settings, body, profile::ArgumentRule, profile::RootKind, roots, variables,
};
use skillful_credentials::redaction::{Redactor, Unredacted, unredacted_diagnostics};
use skillful_format::{Diagnostic, ToolGrant, body_commands};
use skillful_render::{
    Arguments,
    envelope::Files,
    shell::{self, ShellCommand},
    substitution::{OWN_DIALECT, Values, append_arguments, substitute},
};
use std::{collections::BTreeMap, io, ops::Range};

/// What every activation of a turn shares.
#[derive(Clone, Copy, Debug)]
pub struct Engine<'a> {
    /// The catalog.
    pub catalog: &'a skillful_catalog::Catalog,
    /// Who asks.
    pub asker: Asker<'a>,
    /// Where variables are kept.
    pub settings: &'a Settings,
    /// How arguments are put in; that of an agent, or our own.
    pub dialect: &'a ArgumentRule,
    /// What the agent supplies for `{name}`.
    pub names: &'a BTreeMap<String, String>,
    /// The session, when there is one.
    pub session: Option<&'a str>,
    /// How the commands of bodies run; without it they stay as written.
    pub work: Option<BodyExecution<'a>>,
}

/// How the commands of bodies run.
#[derive(Clone, Copy, Debug)]
pub struct BodyExecution<'a> {
    /// What the user allows to them.
    pub grants: &'a Grants,
    /// Whose names of tools count, and what a list means.
    pub ground: &'a Ground,
    /// The tools in effect before the skill; its frontmatter narrows them and never widens by itself.
    pub in_effect: &'a ToolsInEffect,
    /// Whether the user approved what this skill asks for, after seeing it.
    pub opt_in: bool,
    /// What runs them; `None` when commands are disabled.
    pub run: Option<&'a dyn Run>,
}

impl<'a> Engine<'a> {
    /// An engine with our own dialect, no names and no session.
    pub fn new(
        catalog: &'a skillful_catalog::Catalog,
        asker: Asker<'a>,
        settings: &'a Settings,
        names: &'a BTreeMap<String, String>,
    ) -> Self {
        Self { catalog, asker, settings, dialect: &OWN_DIALECT, names, session: None, work: None }
    }
}

/// A skill ready for a model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Activation {
    /// Its address.
    pub name: String,
    /// What it does.
    pub description: Option<String>,
    /// The file of its instructions.
    pub path: String,
    /// Its folder; a command has none.
    pub folder: Option<String>,
    /// The instructions with everything put in. Commands stand as written until
    /// [`perform`] ran them.
    pub instructions: String,
    /// Files it brings.
    pub files: Files,
    /// Commands that run before a model reads it, in order.
    pub commands: Vec<Pending>,
    /// Commands that ran, in order.
    pub performed: Vec<Performed>,
    /// What its commands could not see, and why.
    pub notes: Vec<String>,
    /// What changes about tools while it is active; only where it is known what is in effect.
    pub difference: Option<Difference>,
    /// Tools it may use; `None` when it does not name any.
    pub allowed_tools: Option<Vec<String>>,
    /// Tools it gives up.
    pub disallowed_tools: Vec<String>,
    /// Skills that come along.
    pub companions: Vec<String>,
    /// Variables for its programs and for a model's shell; no secret is among them.
    pub environment: BTreeMap<String, String>,
    /// The MCP server it brings, whose tools come when they are first needed.
    pub mcp: Option<String>,
    /// Events that it hooks into.
    pub hooks: Vec<String>,
    /// The skill that follows its answer.
    pub next_skill: Option<String>,
    /// Skills that may follow it, by label.
    pub conditional_next_skills: BTreeMap<String, String>,
    /// Whether it runs as a sub-agent.
    pub fork: bool,
    /// Class of model it asks for.
    pub model_tier: Option<String>,
    /// Placeholders without a value, as written.
    pub unfilled: Vec<String>,
    /// What was wrong with its variables and its files; a caller reports them in its own form.
    #[serde(skip)]
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a skill was not activated.
#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    /// Its file cannot be read.
    #[error("its file cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The proof does not count.
    #[error(transparent)]
    NotAdmitted(#[from] NotAdmitted),
    /// A command of it was not allowed, or failed.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// A command of a body that has not run yet.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Pending {
    /// As a shell gets it.
    #[serde(flatten)]
    pub shell: ShellCommand,
    /// Bytes of the instructions that its output replaces.
    #[serde(skip)]
    pub range: Range<usize>,
    /// As its author wrote it, which is how the record of the skill names it.
    #[serde(skip)]
    pub written: String,
}

/// Renders a skill that the gate admitted: its body, its variables, the names of its files, and
/// the output of its commands when the engine has a [`BodyExecution`].
pub fn activate(
    engine: &Engine<'_>,
    proof: &Admitted,
    arguments: &str,
) -> Result<Activation, ActivationError> {
    let skill = engine.catalog.admitted(proof)?;
    let entry = skill.entry();
    let (mut activation, redactor) = rendered(engine, &skill, arguments)?;
    let Some(work) = engine.work else { return Ok(activation) };
    let manifest = &entry.loaded.manifest;
    let asked = ToolLists {
        allowed: manifest.allowed_tools.clone(),
        disallowed: manifest.disallowed_tools.clone(),
        ..ToolLists::default()
    };
    let request = Request { lists: &asked, scope: entry.origin.scope, opt_in: work.opt_in };
    let (lists, difference) = work.in_effect.with(request, work.ground);
    activation.difference = Some(difference);
    if activation.commands.is_empty() {
        return Ok(activation);
    }
    // The file may have changed since the skill was loaded, and the record is what was judged.
    let recorded = &entry.loaded.commands;
    if let Some(pending) = activation.commands.iter().find(|pending| !recorded.contains(&pending.written)) {
        let command = pending.written.clone();
        return Err(Stopped { skill: activation.name, command, why: StopReason::NotRecorded }.into());
    }
    let Some(run) = work.run else {
        let command = activation.commands[0].shell.text.clone();
        return Err(Stopped { skill: activation.name, command, why: StopReason::Disabled }.into());
    };
    let room = Room::of(engine, &skill, work.grants, &activation.environment)?;
    activation.performed = perform(&mut activation, &lists, work.ground, &room, &redactor, run)?;
    activation.notes = room.notes;
    Ok(activation)
}

/// The activation before its commands ran, and what takes the skill's secrets out of their output.
fn rendered(
    engine: &Engine<'_>,
    skill: &AdmittedSkill<'_>,
    arguments: &str,
) -> io::Result<(Activation, Redactor)> {
    let (entry, body) = (skill.entry(), skill.body()?);
    let store = variables::SharedVariables::new(engine.settings);
    let resolved = variables::resolve(entry, engine.asker.environment, &store);
    let manifest = &entry.loaded.manifest;
    let values = Values {
        arguments: Arguments::new(arguments),
        names: manifest.arguments.clone(),
        places: places(engine, entry),
        variables: resolved
            .values
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.for_model()?.to_owned())))
            .collect(),
        agent: engine.names.clone(),
    };
    let (mut instructions, mut took, mut unfilled) = (String::with_capacity(body.len()), false, Vec::new());
    let mut commands = Vec::new();
    let mut at = 0;
    for command in body_commands::commands(&body) {
        let filled = substitute(&body[at..command.range.start], &values, engine.dialect);
        instructions.push_str(&filled.text);
        took |= filled.took_arguments;
        unfilled.extend(filled.unfilled);
        let start = instructions.len();
        instructions.push_str(&body[command.range.clone()]);
        let shell = shell::command(&command.text, &values, engine.dialect);
        took |= shell.took_arguments;
        commands.push(Pending { shell, range: start..instructions.len(), written: command.text });
        at = command.range.end;
    }
    let filled = substitute(&body[at..], &values, engine.dialect);
    instructions.push_str(&filled.text);
    took |= filled.took_arguments;
    unfilled.extend(filled.unfilled);
    if !took {
        append_arguments(&mut instructions, &values.arguments);
    }
    unfilled.sort();
    unfilled.dedup();
    let is_command = entry.origin.kind == RootKind::Commands;
    let (files, unlisted) = files::of(skill);
    let (redactor, unredacted) = redactor(&resolved);
    let shown = if commands.is_empty() { Vec::new() } else { unredacted_diagnostics(&unredacted) };
    let activation = Activation {
        name: entry.address(),
        description: manifest.description.clone(),
        path: body::file(entry).display().to_string(),
        folder: (!is_command).then(|| entry.folder().display().to_string()),
        instructions,
        files,
        commands,
        performed: Vec::new(),
        notes: Vec::new(),
        difference: None,
        allowed_tools: manifest
            .allowed_tools
            .as_ref()
            .map(|grants| grants.iter().map(ToolGrant::to_string).collect()),
        disallowed_tools: manifest.disallowed_tools.iter().map(ToolGrant::to_string).collect(),
        companions: manifest.companion_skills.clone(),
        environment: values.places.into_iter().chain(values.variables).collect(),
        mcp: manifest.mcp.as_ref().and_then(|server| server.url.clone().or_else(|| server.command.clone())),
        hooks: hooks::Hooks::of(manifest).0.events().map(str::to_owned).collect(),
        next_skill: manifest.next_skill.clone(),
        conditional_next_skills: manifest.conditional_next_skills.iter().cloned().collect(),
        fork: manifest.context_fork,
        model_tier: manifest.model_tier.clone(),
        unfilled,
        diagnostics: [resolved.diagnostics, unlisted, shown, entry.displacement().into_iter().collect()]
            .concat(),
    };
    Ok((activation, redactor))
}

/// Removes the secrets among a skill's variables from the output of its programs: its own folder may hold
/// them, and its programs read that.
fn redactor(resolved: &variables::Resolved) -> (Redactor, Vec<Unredacted>) {
    let hidden = |value: &variables::Value| value.is_secret() && value.for_model().is_none();
    let secrets: Vec<(&str, SecretString)> = (resolved.values.iter())
        .filter(|(_, value)| hidden(value))
        .map(|(name, value)| (name.as_str(), SecretString::from(value.reveal())))
        .collect();
    Redactor::new(secrets.iter().map(|(name, secret)| (*name, secret)))
}

/// Where things are, in the spelling of Claude Code and in our own.
fn places(engine: &Engine<'_>, entry: &Entry) -> BTreeMap<String, String> {
    let cwd = &engine.asker.environment.cwd;
    let project = roots::repository_of(cwd).unwrap_or(cwd).display().to_string();
    let mut places = BTreeMap::new();
    let mut put = |name: &str, value: String| {
        for vendor in ["CLAUDE", "SKILLFUL"] {
            places.insert(format!("{vendor}_{name}"), value.clone());
        }
    };
    put("SKILL_DIR", entry.folder().display().to_string());
    put("PROJECT_DIR", project);
    if let Some(session) = engine.session {
        put("SESSION_ID", session.to_owned());
    }
    if let Some(effort) = &entry.loaded.manifest.effort {
        put("EFFORT", effort.clone());
    }
    places
}
